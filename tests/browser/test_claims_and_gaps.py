"""The ledger and a gap map, walked by keyboard alone and read without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from survey.literature import Pool
from survey.literature.claims import ledger
from survey.literature.gaps import Kind, gap_map
from tests.browser.conftest import Site, Visit, until

pytestmark = pytest.mark.programs

Open = Callable[..., Visit]

GAP_MAP = "gaps/reward-by-credit/"
CROSSTAB = "measure/reward-by-credit/"

FOCUSED = """() => {
    const e = document.activeElement, s = getComputedStyle(e);
    return { href: e.getAttribute("href") || "", cell: !!e.closest("table.gapmap"), claim: !!e.closest("table.claims"),
             seen: s.outlineStyle !== "none" || s.boxShadow !== "none" || e.matches(".md-skip, input"),
             shown: e.getBoundingClientRect().width > 0 };
}"""


def tab_until(found: Visit, what: str, most: int = 120) -> list[dict[str, object]]:
    """Press the tabulator until something of a kind has the focus; every stop on the way."""
    stops = []
    for _ in range(most):
        found.page.keyboard.press("Tab")
        stops.append(found.page.evaluate(FOCUSED))
        if stops[-1][what]:
            return stops
    raise AssertionError(f"{most} steps did not lead to a {what}")


def test_the_ledger_is_walked_by_keyboard_from_the_list_to_a_sentence_in_the_clipboard(visit: Open) -> None:
    found = visit("claims/")
    stops = tab_until(found, "claim")
    assert all(stop["seen"] for stop in stops if stop["shown"])
    found.page.keyboard.press("Enter")
    expect(found.page.locator("#sentence")).to_be_visible()
    until(found.page, "!!document.querySelector('[data-copy=sentence]')?.onclick")
    button = found.page.locator("[data-copy=sentence]")
    button.focus()
    found.page.keyboard.press("Enter")
    expect(button).to_have_text("Copied")
    assert found.page.evaluate("navigator.clipboard.readText()").strip() == found.page.locator("#sentence").inner_text()
    found.clean()


@pytest.mark.parametrize(
    ("cell", "said"),
    [("individual--agent", r"holds \d+ entries tagged"), ("individual--team", "holds no entry tagged")],
)
def test_a_cell_of_a_table_is_copied_as_a_sentence(visit: Open, cell: str, said: str) -> None:
    found = visit(CROSSTAB)
    button = found.page.locator(f":is(#{cell}[data-cite], #{cell} [data-cite])")
    until(found.page, "[...document.querySelectorAll('[data-cite]')].every(button => button.onclick)")
    row, column = (found.page.locator(place).first.inner_text() for place in (f"section:has(#{cell}) h3", f"#{cell} b"))
    button.click()
    expect(button).to_have_text("Copied")
    copied = found.page.evaluate("navigator.clipboard.readText()")
    assert re.search(said, copied), copied
    assert f"reward family: {row}" in copied
    assert f"credit unit: {column}" in copied
    assert "{" not in copied
    found.clean()


@pytest.mark.parametrize("notation", ["latex", "edition", "markdown"])
def test_a_claim_is_copied_in_every_notation(visit: Open, notation: str) -> None:
    found = visit("claims/stopping-untrained/")
    until(found.page, f"!!document.querySelector('[data-copy={notation}]')?.onclick")
    found.page.locator(f"[data-copy={notation}]").click()
    expect(found.page.locator(f"[data-copy={notation}]")).to_have_text("Copied")
    copied = found.page.evaluate("navigator.clipboard.readText()").strip()
    assert copied == (found.page.locator(f"#{notation}").text_content() or "").strip()
    assert "stopping-untrained" in copied or copied.startswith("@misc{survey-")
    found.clean()


def test_the_ledger_says_everything_without_scripts(visit: Open, pool: Pool) -> None:
    found = visit("claims/", scripts=False)
    judged = ledger(pool)
    links = found.page.locator("table.claims th a")
    assert sorted(links.all_inner_texts()) == sorted(j[-1].claim.sentence for j in judged.values())
    links.first.click()
    expect(found.page.get_by_role("heading", name="Result by reading")).to_be_visible()
    expect(found.page.locator("#sentence")).to_contain_text("edition")
    assert found.page.get_by_role("link", name="Download as BibTeX").count() <= 1


def test_every_cell_of_a_gap_map_is_reached_by_keyboard_and_leads_somewhere(visit: Open, pool: Pool) -> None:
    found = visit(GAP_MAP)
    stops = tab_until(found, "cell")
    map = gap_map(pool, "reward", "credit")
    cells = len(map.rows.value_cells) * len(map.columns.value_cells)
    for _ in range(cells - 1):
        found.page.keyboard.press("Tab")
        stops.append(found.page.evaluate(FOCUSED))
    inside = [stop for stop in stops if stop["cell"]]
    assert len(inside) == cells
    assert all(stop["seen"] for stop in stops if stop["shown"])
    gap = next(str(stop["href"]) for stop in inside if "#" in str(stop["href"]))
    found.page.locator(f"table.gapmap a[href='{gap}']").first.focus()
    found.page.keyboard.press("Enter")
    expect(found.page.locator(f"[id='{gap.split('#')[1]}']")).to_be_in_viewport()
    found.clean()


def test_a_gap_map_tells_every_kind_of_emptiness_without_scripts(visit: Open, site: Site, pool: Pool) -> None:
    found = visit(GAP_MAP, scripts=False)
    map = gap_map(pool, "reward", "credit")
    shown = found.page.locator("table.gapmap td a").all_inner_texts()
    assert len(shown) == len(list(map))
    assert all(text == str(cell.count) for text, cell in zip(shown, map, strict=True) if cell.count)
    impossible = sum(cell.kind is Kind.IMPOSSIBLE for cell in map)
    assert found.page.locator("table.gapmap td.impossible").count() == impossible
    bib = found.page.get_by_role("link", name="as BibTeX").get_attribute("href") or ""
    assert (site.folder / GAP_MAP / bib).is_file()
