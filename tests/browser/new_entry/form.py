"""Filling in the form for a new entry, and what `survey check` says of the BibTeX that it gives."""

from __future__ import annotations

import re
from collections.abc import Mapping

from playwright.sync_api import Page

from survey.literature import Pool, parse_bibtex
from survey.literature.bibtex import Block
from survey.literature.gaps import check_impossible_cells
from survey.literature.pool import check_duplicates, check_editions, check_sourcing, read_entries
from survey.literature.pool.tags import parse_tags
from survey.literature.problems import Problem
from survey.literature.taxonomy import Taxonomy

PAGE = "take-part/new-entry/"

SET = """([values, ticks]) => {
  const form = document.querySelector("[data-new-entry] form");
  for (const [id, value] of Object.entries(values)) document.getElementById(id).value = value;
  for (const id of ticks) {
    document.getElementById(id).checked = true;
    document.getElementById(id).dispatchEvent(new Event("change", { bubbles: true }));
  }
  document.getElementById("f-type").dispatchEvent(new Event("change", { bubbles: true }));
}"""
"""Sets fields all at once, as a person would one by one: the script hears of each."""


def controls(block: Block, taxonomy: Taxonomy) -> tuple[dict[str, str], list[str]]:
    """What to type where, and what to tick in which order, for an entry as it is written.

    Parts are asked like any axis; what follows from them is neither written nor asked.
    """
    values = {"f-key": block.key, "f-type": block.type}
    ticks: list[str] = []
    axes = {axis.field: axis for axis in taxonomy.on("entry") if not axis.steps}
    for name, field in block.fields.items():
        if name in axes:
            for tag in parse_tags(field.text, axes[name])[0]:
                if tag.number is not None:
                    values[f"f-{name}--{tag.word}"] = str(tag.number)
                else:
                    ticks.append(f"f-{name}--{tag.word}{f'--{tag.qualifier}' if tag.qualifier else ''}")
        elif name in ("author", "editor"):
            values[f"f-{name}"] = "\n".join(field.text.split(" and "))
        elif name != "archiveprefix":
            values[f"f-{name}"] = field.text
    return values, ticks


def empty(page: Page) -> None:
    """Clear the form."""
    page.get_by_role("button", name="Clear the form").click()
    page.locator("[data-said]", has_text="The form is empty.").wait_for()


def put(page: Page, block: Block, taxonomy: Taxonomy, changed: Mapping[str, str] | None = None) -> None:
    """Clear the form and set it to an entry; then what is ``changed``, by the id of the control."""
    empty(page)
    values, ticks = controls(block, taxonomy)
    page.evaluate(SET, [values | dict(changed or {}), ticks])


def written(page: Page, block: Block, taxonomy: Taxonomy) -> tuple[str, dict[str, str]]:
    """Clear the form and set it to an entry, all at once; its BibTeX, and what follows from the answers."""
    values, ticks = controls(block, taxonomy)
    text, follows = page.evaluate(
        f"""(given) => {{
          document.querySelector("[data-new-entry] [data-clear]").click();
          ({SET})(given);
          const shown = [...document.querySelectorAll("[data-follows]")].map((at) => [at.dataset.follows, at.textContent]);
          return [document.querySelector("[data-bib]").textContent, Object.fromEntries(shown)];
        }}""",
        [values, ticks],
    )
    return text, follows


def bibtex(page: Page) -> str:
    """The BibTeX that the page shows."""
    return str(page.locator("[data-bib]").evaluate("code => code.textContent"))


def following(page: Page) -> dict[str, str]:
    """What the page says follows from the answers, by axis."""
    shown: dict[str, str] = page.locator("[data-follows]").evaluate_all(
        "all => Object.fromEntries(all.map(output => [output.dataset.follows, output.textContent]))"
    )
    return shown


def told(page: Page) -> list[str]:
    """Everything that the page calls wrong or missing, by field."""
    page.get_by_role("button", name="Copy", exact=True).click()  # from then on all of it is said
    texts: list[str] = page.locator(".problems li").evaluate_all("all => all.map(li => li.textContent)")
    return sorted(texts)


def checked(text: str, pool: Pool) -> list[str]:
    """What ``survey check`` says of an entry that is appended to the pool, in the same form."""
    document = parse_bibtex(text, "bib/pool.bib")
    taken = next((e.key for e in pool if e.key.lower() == document.blocks[0].key.lower()), "")
    entries, problems = read_entries(document, pool.taxonomy)
    problems += check_impossible_cells(entries, pool.taxonomy)
    problems += check_sourcing(pool.protocol.sourcing, entries)
    twins = check_duplicates([*pool.entries, *pool.records, *entries])
    problems += [p for p in twins if p.entry == entries[0].key and not (taken and p.field == "key")]
    if not problems and not taken:  # what cannot be read is not compared with the editions
        problems += check_editions([*pool.entries, *entries], pool.records, pool.editions.values(), pool.taxonomy)
    # told where a file is read, which this text is the end of
    twice = [f"key the key differs from {taken} only in case (first in pool.bib)"] if taken else []
    return sorted([*map(plainly, problems), *twice])


def plainly(problem: Problem) -> str:
    """A problem without the places that a page does not know."""
    message = re.sub(r"\((?:[^() ]*/)?(\w+\.bib):\d+\)", r"(\1)", problem.message)
    key = re.search(r"has no key|cannot be a key", message)
    return f"{problem.field or ('key' if key else 'type')} {message}"
