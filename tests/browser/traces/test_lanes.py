"""The timeline of a report on its canvas: it shows what the drawing shows, at any width, and leads to events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from survey.traces import Trace
from survey.traces.exporters.report import html
from survey.traces.simulate import Setting, simulate
from tests.browser.traces.conftest import VisitFile
from tests.browser.traces.test_report import session
from tests.traces.exporters.test_report import example

pytestmark = pytest.mark.programs

Opened = Callable[..., Page]

WHOLE = 20_000
"""Units of the axis."""

MARGIN = 12
"""Pixels at its end."""

RUN = "JSON.parse(document.getElementById('run-events').textContent)"
"""What the report knows of its run."""

PIXELS = """(points) => {
  const canvas = document.querySelector(".lanes");
  const scale = canvas.width / canvas.clientWidth;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return points.map(([x, y]) => {
    const first = 4 * (Math.round(y * scale) * canvas.width + Math.round(x * scale));
    return [...data.slice(first, first + 3)];
  });
}"""

SHAPES = """() => [...document.querySelectorAll(".plane rect:has(> title)")].map((rect) => {
  const number = (name) => Number(rect.getAttribute(name));
  const { fill, opacity } = getComputedStyle(rect);
  return { x: number("x"), y: number("y"), width: number("width"), height: number("height"), fill, opacity, kind: rect.classList[0] };
})"""


@pytest.fixture
def opened(visit_file: VisitFile, tmp_path: Path) -> Opened:
    """Open the report of a run."""

    def open(trace: Trace, *how: object, **more: object) -> Page:
        path = tmp_path / "run.html"
        path.write_text(html(trace), encoding="utf-8")
        page = visit_file(path, *how, **more)
        painted(page)
        return page

    return open


def painted(page: Page) -> None:
    """Wait until what was asked for is on the canvas."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def width(page: Page) -> float:
    """The length of the axis in pixels."""
    return float(page.locator(".lanes").evaluate("canvas => canvas.clientWidth")) - MARGIN


def said(page: Page) -> str:
    return page.locator("#detail").text_content() or ""


def place_of(page: Page, id: str) -> tuple[float, float]:
    """Where the middle of an event is: in units of the axis, and in pixels from the top of the canvas."""
    x, y = page.evaluate(
        f"""(id) => {{
          const run = {RUN};
          const place = run.ids.indexOf(id);
          const {{ lefts, widths, top, row }} = run.drawing;
          return [(lefts[place] + widths[place] / 2) / 100, top + row * (run.agents[place] + 0.5)];
        }}""",
        id,
    )
    return float(x), float(y)


def hover(page: Page, unit: float, y: float, sight: tuple[float, float] = (0, WHOLE)) -> None:
    """Point at a place of the axis while a part of it is in sight."""
    left, right = sight
    position: Any = {"x": (unit - left) / (right - left) * width(page), "y": y}
    page.locator(".lanes").hover(position=position)
    painted(page)


def paused() -> Trace:
    """A run of two agents: work from 0 to 4 and from 8 to 16 s, and in between a wait."""
    events = [
        {"id": "a", "t": 0, "t_end": 4, "type": "model_call", "agent": "lead"},
        {"id": "b", "t": 4, "type": "spawn", "agent": "lead", "to": "help"},
        {"id": "c", "t": 4, "t_end": 8, "type": "model_call", "agent": "help"},
        {"id": "d", "t": 8, "type": "return", "agent": "help", "to": "lead"},
        {"id": "e", "t": 8, "t_end": 16, "type": "model_call", "agent": "lead"},
    ]
    edges = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")]
    return Trace.of({
        "schema_version": 1, "trace_id": "paused", "task_id": "t", "events": events, "rewards": {}, "costs": {"tokens": 0, "wall_clock_s": 16},
        "edges": [{"src": src, "dst": dst, "type": "causal"} for src, dst in edges],
    })  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width_of_screen", [1280, 390])
def test_the_canvas_has_every_slice_of_the_drawing_in_its_place_and_colour(
    opened: Opened, width_of_screen: int, scheme: str
) -> None:
    page = opened(session(), width_of_screen, scheme)
    scale = width(page) / WHOLE
    # those that are wide enough to look into, and not seen through
    shapes = [
        shape
        for shape in page.evaluate(SHAPES)
        if shape["width"] * scale >= 8 and shape["opacity"] == "1" and shape["kind"] != "idle"
    ]
    points = [[(s["x"] + s["width"] / 2) * scale, s["y"] + s["height"] / 2] for s in shapes]
    for shape, found in zip(shapes, page.evaluate(PIXELS, points), strict=True):
        expected = [int(part) for part in shape["fill"].removeprefix("rgb(").removesuffix(")").split(",")]
        assert found == expected, shape
    assert {"model", "waiting"} <= {shape["kind"] for shape in shapes}


def test_pointing_says_what_was_done_and_how_long(opened: Opened) -> None:
    page = opened(paused())
    hover(page, *place_of(page, "a"))
    assert said(page) == "lead: model, 4.0\u00a0s, on the critical path (a)"
    hover(page, WHOLE * 6 / 16, place_of(page, "a")[1])
    assert said(page) == "lead: waits for help, 4.0\u00a0s"
    hover(page, *place_of(page, "c"))
    assert said(page) == "help: model, 4.0\u00a0s, on the critical path (c)"
    page.mouse.move(0, 0)
    assert said(page).startswith("Point at a slice")


def test_the_width_is_chosen_above_and_the_middle_stays(opened: Opened) -> None:
    page = opened(paused())
    assert page.locator(".overview").evaluate("canvas => getComputedStyle(canvas).visibility") == "hidden"
    page.locator("label[for=zoom-4]").click()
    assert page.locator(".overview").is_visible()
    sight = (WHOLE * 3 / 8, WHOLE * 5 / 8)  # 6 to 10 s
    hover(page, WHOLE * 9 / 16, place_of(page, "e")[1], sight)
    assert said(page).endswith("(e)")
    hover(page, WHOLE * 7 / 16, place_of(page, "e")[1], sight)
    assert said(page) == "lead: waits for help, 4.0\u00a0s"
    page.locator("label[for=zoom-1]").click()
    hover(page, *place_of(page, "a"))
    assert said(page).endswith("(a)")


def test_the_wheel_zooms_where_the_pointer_is_and_a_drag_moves_along(opened: Opened) -> None:
    page = opened(paused())
    unit, y = place_of(page, "c")
    hover(page, unit, y)
    page.keyboard.down("Control")
    for _ in range(8):
        page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    painted(page)
    assert page.locator(".zoom:checked").count() == 0
    hover(page, unit, y)  # the same pixel
    assert said(page).endswith("(c)")
    box = page.locator(".lanes").bounding_box()
    assert box is not None
    y_lead = place_of(page, "a")[1]
    for _ in range(40):  # to the left, until the wait is over
        page.mouse.move(box["x"] + 300, box["y"] + y_lead)
        page.mouse.down()
        page.mouse.move(box["x"] + 20, box["y"] + y_lead, steps=3)
        page.mouse.up()
    page.mouse.move(box["x"] + 300, box["y"] + y_lead)
    assert said(page) == "lead: waits for help, 4.0\u00a0s"
    assert page.locator(".event h3").count() == 0  # a drag chooses nothing


def test_the_keyboard_walks_zooms_and_moves_along(opened: Opened) -> None:
    page = opened(paused())
    page.locator(".scroller").focus()
    heard = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
        heard.append(said(page).partition(",")[0])
    assert heard == ["lead: model", "lead: waits for help", "help: model", "lead: waits for help", "lead: model"]
    for key, factor in (("+", 2), ("+", 4), ("-", 2)):
        page.keyboard.press(key)
        assert page.locator(f"#zoom-{factor}").is_checked()
    page.keyboard.press("0")
    assert page.locator("#zoom-1").is_checked()
    page.keyboard.press("Enter")
    assert page.locator(".event dd").last.text_content() == "e"
    page.keyboard.press("Escape")
    assert said(page).startswith("Point at a slice")


def test_a_click_chooses_the_event_and_the_list_brings_the_drawing_to_it(opened: Opened) -> None:
    page = opened(paused())
    unit, y = place_of(page, "c")
    page.locator(".lanes").click(position={"x": unit / WHOLE * width(page), "y": y})
    assert page.locator(".event dd").last.text_content() == "c"
    page.locator("label[for=zoom-16]").click()
    page.locator(".list").press("End")
    painted(page)
    end = place_of(page, "e")[0]  # its middle is in the middle of what is in sight
    hover(page, end, y_of(page, "e"), (end - WHOLE / 32, end + WHOLE / 32))
    assert said(page).endswith("(e)")


def y_of(page: Page, id: str) -> float:
    return place_of(page, id)[1]


def test_the_overview_leads_to_any_part(opened: Opened) -> None:
    page = opened(paused())
    page.locator("label[for=zoom-16]").click()
    page.locator(".overview").click(position={"x": width(page) * 2 / 16, "y": 10})
    painted(page)
    hover(page, WHOLE * 2 / 16, y_of(page, "a"), (WHOLE * 1.5 / 16, WHOLE * 2.5 / 16))
    assert said(page).endswith("(a)")


def test_a_slice_too_short_for_a_shape_of_its_own_is_found_up_close(opened: Opened) -> None:
    trace = simulate(Setting("swarm", agents=60, parts=60, steps=1500)).trace
    page = opened(trace)
    run = page.evaluate(RUN)
    widths = run["drawing"]["widths"]
    drawn = sum(width >= 0 for width in widths)
    assert drawn > page.evaluate("document.querySelectorAll('.plane rect > title').length")
    place = next(place for place, width in enumerate(widths) if place > 3000 and 20 < width < 200)
    id, begin = run["ids"][place], run["drawing"]["lefts"][place] / 100
    page.evaluate(f"location.hash = '#events?event={id}'")
    page.locator("label[for=zoom-16]").click()  # around what is chosen
    page.locator(".scroller").focus()
    for _ in range(5):
        page.keyboard.press("+")
    assert page.locator(".zoom:checked").count() == 0
    page.locator(".lanes").scroll_into_view_if_needed()
    # what is chosen has stayed where it was
    page.locator(".lanes").hover(position={"x": begin / WHOLE * width(page) + 1, "y": y_of(page, id)})
    assert said(page).endswith(f"({id})")


def test_an_untimed_trace_is_laid_out_in_order(opened: Opened) -> None:
    page = opened(example(time="ordinal"))
    hover(page, *place_of(page, "e5"))
    assert said(page).startswith("executor_1: browser.search, result")
    assert said(page).endswith("(e5)")


def test_on_paper_and_without_scripts_the_drawing_is_there(opened: Opened) -> None:
    page = opened(paused())
    assert not page.locator(".plane").is_visible()
    page.emulate_media(media="print")
    assert page.locator(".plane").is_visible()
    assert not page.locator(".lanes").is_visible()
