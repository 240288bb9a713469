"""The picture on the home page: what it shows is to scale, and its words can be read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from math import pi

import pytest
from playwright.sync_api import expect

from survey.literature import Entry, Pool, Shape, counts
from tests.browser.conftest import Visit

TOUCHING = """() => {
  const labels = [...document.querySelectorAll("svg.atlas-wide text")].map((text) => [text.textContent.trim(), text.getBBox()]);
  const touching = new Set();
  for (const path of document.querySelectorAll("svg.atlas-wide .bands path")) {
    const half = parseFloat(getComputedStyle(path).strokeWidth) / 2, length = path.getTotalLength();
    for (let at = 0; at <= length; at += 1) {
      const { x, y } = path.getPointAtLength(at);
      for (const [said, box] of labels)
        if (x > box.x && x < box.x + box.width && y > box.y - half && y < box.y + box.height + half)
          touching.add(`${said}: ${path.textContent}`);
    }
  }
  return [labels.length, ...touching];
}"""
"""The number of labels of the picture, and each label with each band that runs under it."""


def test_no_label_of_the_picture_lies_on_a_band(visit: Callable[..., Visit]) -> None:
    labels, *touching = visit("", width=1440).page.evaluate(TOUCHING)
    assert labels > 20
    assert touching == []


def test_no_label_of_the_picture_is_cut_off(visit: Callable[..., Visit]) -> None:
    """Whatever the shape of the window: in a tall one the picture fills the whole width."""
    page = visit("", width=1440).page
    page.set_viewport_size({"width": 1440, "height": 1800})
    outside = """() => {
      const { width, height } = document.querySelector("svg.atlas-wide").viewBox.baseVal;
      return [...document.querySelectorAll("svg.atlas-wide text")].filter((text) => {
        const box = text.getBBox();
        return box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height;
      }).map((text) => text.textContent);
    }"""
    assert page.evaluate(outside) == []


def test_discs_and_bands_are_to_scale(visit: Callable[..., Visit], pool: Pool) -> None:
    page = visit("", width=1440).page
    rows = page.evaluate(
        """() => [...document.querySelectorAll("svg.atlas-wide a.node:not(.hollow)")].map((node) =>
             [node.getAttribute("href") || node.getAttribute("xlink:href"), node.querySelector("title").textContent,
              node.querySelector("circle").r.baseVal.value])"""
    )
    number: Counter[tuple[str, str]] = Counter()
    for axis in ("reward", "credit", "decision"):
        table = counts(pool, axis)
        for cell, entries in zip(table["cell"], table["count"], strict=True):
            number[axis, str(cell).partition(": ")[0]] += int(entries)
    areas = set()
    for link, title, radius in rows:
        _, axis, value = re.search(r"(axes)/([^/]+)/([^/]+)/", link).groups()  # type: ignore[union-attr]
        entries = int(re.search(r": (\d+) entr", title)[1])  # type: ignore[index]
        assert entries == number[axis, value]
        areas.add(pi * radius**2 / entries)
    assert max(areas) / min(areas) == pytest.approx(1, rel=0.03)  # radii are written with two digits
    bands = page.evaluate(
        """() => [...document.querySelectorAll("svg.atlas-wide .bands path")].map((band) =>
             [Number(band.textContent.split(": ")[1]), parseFloat(getComputedStyle(band).strokeWidth)])"""
    )
    most, widest = max(bands)
    assert all(width == pytest.approx(max(0.5, widest * n / most), abs=0.06) for n, width in bands)


@pytest.mark.parametrize(
    ("width", "shown", "hidden"), [(1440, "width of a band", "dashed outline"), (390, "dashed outline", "band")]
)
def test_the_caption_speaks_of_what_is_shown(visit: Callable[..., Visit], width: int, shown: str, hidden: str) -> None:
    caption = visit("", width=width).page.locator("figure.atlas figcaption").inner_text()
    assert shown in caption
    assert hidden not in caption


def goes_with(pool: Pool, axis: str, value: str, others: tuple[str, ...]) -> list[int]:
    """How many entries a value shares with each value of other axes, most first: counted from the tags, one by one."""

    def has(entry: Entry, axis: str, value: str) -> bool:
        words = entry.words(axis)
        return value in (words if pool.taxonomy[axis].shape is Shape.SET else words[:1])

    numbers = [
        sum(
            len([t for t in entry.tags[other] if t.word == word]) if pool.taxonomy[other].shape is Shape.SET else 1
            for entry in pool
            if has(entry, axis, value) and has(entry, other, word)
        )
        for other in others
        for word in pool.taxonomy[other].values
    ]
    return sorted(numbers, reverse=True)


def test_a_value_that_is_pointed_at_or_focused_says_with_what_it_goes_most_often(
    visit: Callable[..., Visit], pool: Pool
) -> None:
    page = visit("", width=1440).page
    said = page.locator("[data-goes-with]")
    invitation = said.inner_text()
    faint = "() => [...document.querySelectorAll('.bands path')].filter((p) => !p.classList.contains('own')).length"
    node = page.locator('a[data-value="credit/message"]')
    leave: list[tuple[Callable[[], None], Callable[[], None]]]
    leave = [(node.hover, lambda: page.mouse.move(2, 2)), (node.focus, node.blur)]
    for begin, end in leave:
        begin()
        expect(said).to_have_text(re.compile(r"^message goes most often with "))
        found = [int(number) for number in re.findall(r"\((\d+)\)", said.inner_text())]
        assert found == goes_with(pool, "credit", "message", ("reward", "decision"))[:3]
        total = page.locator(".bands path").count()
        own = page.locator(".bands path.own").count()
        assert 0 < own == total - page.evaluate(faint) < total
        end()
        expect(said).to_have_text(invitation)
