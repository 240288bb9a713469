"""What readers ask for comes first: questions written without a look at the index, and the pages that answer them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Site, goto

with (Path(__file__).parent / "questions.csv").open(newline="") as file:
    QUESTIONS = {row["query"]: row["pages"].split() for row in csv.DictReader(file)}

ASK = """async (queries) => {
  const { search, base } = JSON.parse(document.querySelector("#__config").textContent);
  const index = await (await fetch(new URL("search/search_index.json", new URL(base, location)))).json();
  const worker = new Worker(new URL(search, new URL(base, location)));
  const answer = (type) => new Promise((resolve) => {
    worker.addEventListener("message", function heard({ data }) {
      if (data.type !== type) return;
      worker.removeEventListener("message", heard);
      resolve(data.data);
    });
  });
  const ready = answer(1);
  worker.postMessage({ type: 0, data: { ...index, options: { suggest: false } } });
  await ready;
  const found = {};
  for (const query of queries) {
    const result = answer(3);
    worker.postMessage({ type: 2, data: query });
    found[query] = (await result).items.slice(0, 5).map(([page]) => page.location.split("#")[0]);
  }
  worker.terminate();
  return found;
}"""


@pytest.fixture(scope="module")
def found(site: Site, chromium: Browser) -> dict[str, list[str]]:
    """The first pages that the search finds for each question, in the worker that answers a reader's."""
    context = chromium.new_context()
    page = context.new_page()
    goto(page, site.url)
    answers: dict[str, list[str]] = page.evaluate(ASK, list(QUESTIONS))
    context.close()
    return answers


def test_there_are_fifty_questions_whose_answers_are_pages(site: Site) -> None:
    assert len(QUESTIONS) == 50
    assert [path for pages in QUESTIONS.values() for path in pages if not (site.folder / path).is_dir()] == []


def test_the_right_page_comes_first_for_nine_questions_in_ten(found: dict[str, list[str]]) -> None:
    wrong = {
        query: found[query] for query, pages in QUESTIONS.items() if found[query][:1] not in [[page] for page in pages]
    }
    assert len(wrong) <= 5, wrong


def test_the_right_page_is_among_the_first_three_for_every_question(found: dict[str, list[str]]) -> None:
    wrong = {query: found[query] for query, pages in QUESTIONS.items() if not {*found[query][:3]} & {*pages}}
    assert wrong == {}
