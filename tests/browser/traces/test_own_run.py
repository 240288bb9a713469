"""A run of the reader's own beside the pictures of scale: read in the browser, sent nowhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.browser.conftest import Visit

REPORT = {
    "trace_id": "r",
    "measures": {"agents": {"value": 12}, "steps": {"value": 640}, "sub_agents_at_once": {"reason": "x"}},
}


def test_a_report_is_laid_over_the_pictures(visit: Callable[..., Visit], tmp_path: Path) -> None:
    found = visit("measure/scale/")
    (tmp_path / "report.json").write_text(json.dumps(REPORT))
    found.page.set_input_files("#own-run", tmp_path / "report.json")
    said = found.page.locator("[data-own-said]")
    said.filter(has_text="agents: 12").wait_for()
    assert said.inner_text() == (
        "Shown in the charts as a dashed line: agents: 12; steps: 640; parallel: the report does not say."
    )
    assert found.page.locator("#chart-scale-agents .own line").count() == 1
    assert found.page.locator("#chart-scale-parallel .own line").count() == 0
    line = found.page.locator("#chart-scale-agents .own line").bounding_box()
    ticks = [
        box["x"]
        for box in (t.bounding_box() for t in found.page.locator("#chart-scale-agents .role-mark a").all())
        if box
    ]
    assert line is not None
    assert min(ticks) < line["x"] < max(ticks)
    found.clean()


def test_a_report_that_says_both_is_ringed_among_the_simulated_teams(
    visit: Callable[..., Visit], tmp_path: Path
) -> None:
    found = visit("measure/scale/")
    measures = REPORT["measures"] | {"sub_agents_at_once": {"value": 3}}  # type: ignore[operator]
    (tmp_path / "report.json").write_text(json.dumps({**REPORT, "measures": measures}))
    found.page.set_input_files("#own-run", tmp_path / "report.json")
    found.page.locator("[data-own-said]", has_text="parallel: 3").wait_for()
    picture = found.page.locator("#chart-scale-abreast")
    ring, frame = picture.locator(".own circle").bounding_box(), picture.locator("svg").bounding_box()
    assert ring is not None
    assert frame is not None
    assert frame["x"] < ring["x"] < frame["x"] + frame["width"] / 2  # 12 and 3 of a thousand, on a log scale
    assert frame["y"] + frame["height"] / 2 < ring["y"] < frame["y"] + frame["height"]
    assert picture.locator(".mark-line path").count() == 6
    found.clean()


def test_what_is_no_report_is_said_to_be_none(visit: Callable[..., Visit], tmp_path: Path) -> None:
    found = visit("measure/scale/")
    said = found.page.locator("[data-own-said]")
    (tmp_path / "a.json").write_text("{}")
    found.page.set_input_files("#own-run", tmp_path / "a.json")
    said.filter(has_text="has no measures").wait_for()
    (tmp_path / "b.json").write_text("<b>")
    found.page.set_input_files("#own-run", tmp_path / "b.json")
    said.filter(has_text="b.json is not JSON").wait_for()
