"""The page with the form for a new entry: every field and value in it, and what its script is handed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from html import unescape
from typing import Any

import pytest

from survey.literature import Pool, Shape
from survey.literature.bibtex import CITED, OWN, REQUIRED_BY_TYPE, SYMBOLS
from survey.literature.bibtex.latex import to_unicode
from survey.literature.export.bib import tidy
from survey.literature.problems import expected
from survey.site.facts import Facts
from survey.site.pages.new_entry.builder import PAGE, new_entry_pages, written
from survey.site.theme.assets import SCRIPTS, SITE
from survey.site.theme.bundling import bundled

SCRIPT = bundled(SITE / SCRIPTS["assets/new-entry.js"])


@pytest.fixture(scope="module")
def page(pool: Pool) -> str:
    return dict(new_entry_pages(Facts(pool)))[PAGE]


@pytest.fixture(scope="module")
def vocabulary(page: str) -> dict[str, Any]:
    found = re.search(r"data-vocabulary='([^']+)'", page)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


# ------------------------------------------------------------------ the page


def test_every_field_that_an_entry_may_have_can_be_filled_in(page: str) -> None:
    asked = set(re.findall(r'data-field="([\w-]+)"', page))
    assert asked >= {*CITED, *OWN} - {"archiveprefix", "screened"}
    assert set(re.findall(r'<option value="(\w+)"', page)) >= set(REQUIRED_BY_TYPE)


def test_every_value_is_there_with_its_definition_and_rule(page: str, pool: Pool) -> None:
    shown = unescape(page)
    for axis in pool.taxonomy.on("entry"):
        kind = "radio" if axis.shape is Shape.ONE else "checkbox"
        if axis.steps:  # nobody chooses what follows from other answers: it is only shown
            assert f'data-follows="{axis.id}"' in page
            assert f'id="f-{axis.field}"' not in page and f'id="f-{axis.field}--' not in page
            if axis.evidence:
                assert f'id="f-{axis.why}"' in page
                assert axis.definition in shown
            continue
        for word in axis.words:
            number = axis.shape is Shape.QUANTITY and word in axis.values
            control = f'data-number="{word}"' if number else f'type="{kind}" id="f-{axis.field}--{word}"'
            assert control in page, (axis.id, word)
        assert all(value.definition in shown and value.rule in shown for value in axis.values.values())
        supported = axis.evidence or bool(axis.part_of)  # a part shares the evidence of the axis that follows from it
        assert (f'id="f-{axis.why}"' in page) is supported
        assert axis.definition in shown


def test_every_control_has_a_label_and_every_reference_leads_somewhere(page: str) -> None:
    ids = re.findall(r'(?<![\w-])id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for control in re.findall(r'<(?:input|textarea|select)[^>]* id="([^"]+)"', page):
        assert f'<label for="{control}">' in page, control
    for described in re.findall(r'aria-describedby="([^"]+)"', page):
        assert set(described.split()) <= set(ids), described
    assert len(re.findall("<fieldset", page)) == len(re.findall("<legend", page))


def test_the_form_is_offered_to_scripts_only_and_else_the_command_is_named(page: str) -> None:
    assert re.search(r"<form hidden [^>]*data-search-exclude", page)
    assert "survey new 1706.03762" in page.split("data-without")[1].split("<form")[0]
    assert '<script src="../../assets/new-entry.js" defer></script>' in page
    assert re.findall(r"\son\w+=", page) == []


def test_without_a_known_repository_no_issue_and_no_edit_is_offered(page: str, pool: Pool) -> None:
    assert "data-issue " not in page
    assert "data-pull" not in page
    assert "git clone" not in page
    cloned = dict(new_entry_pages(Facts(pool, repository="https://example.org/s")))[PAGE]
    assert 'href="https://example.org/s/edit/HEAD/bib/pool.bib" data-pull' in cloned
    assert "git clone https://example.org/s<" in cloned
    known = dict(new_entry_pages(Facts(pool, issues="https://example.org/issues/new")))[PAGE]
    assert 'data-issues="https://example.org/issues/new"' in known
    assert "data-issue " in known


# ------------------------------------------------------------ what the script is handed


def plain(words: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    return {axis: [str(value) for value in values] for axis, values in words.items()}


def test_the_vocabulary_is_that_of_the_taxonomy_in_its_order(pool: Pool, vocabulary: dict[str, Any]) -> None:
    axes = pool.taxonomy.on("entry")
    assert [axis["id"] for axis in vocabulary["axes"]] == [axis.id for axis in axes]
    for handed, axis in zip(vocabulary["axes"], axes, strict=True):
        assert handed["values"] + handed["absences"] == list(axis.words)
        assert handed["qualifiers"] == list(axis.qualifiers)
        listed = f"is missing (expected one of: {', '.join(handed['values'] + handed['absences'])})"
        assert handed.get("missing", listed) == f"is missing {expected('', axis.words)}"
        assert bool(handed["why"]) is axis.evidence
    handed = [
        (one["when"], {axis: words}, one["because"])
        for one in vocabulary["rules"]
        for axis, words in one["only"].items()
    ]
    apart = [
        (plain(rule.when), plain({axis: words}), rule.because)
        for rule in pool.taxonomy.rules
        for axis, words in rule.only.items()
    ]
    assert sorted(map(repr, handed)) == sorted(map(repr, apart))
    assert [list(found["cells"]) for found in vocabulary["impossible"]] == [
        list(i.cells) for i in pool.taxonomy.impossible
    ]
    assert set(vocabulary["required"]) == {"author", "title", "year", *pool.taxonomy.settings.required} - {"url"}
    assert vocabulary["addressed"] == ("url" in pool.taxonomy.settings.required)
    assert vocabulary["types"] == {name: list(fields) for name, fields in REQUIRED_BY_TYPE.items()}


def test_fields_are_in_the_order_of_the_pool(pool: Pool, vocabulary: dict[str, Any]) -> None:
    place = {name: n for n, name in enumerate(vocabulary["order"])}
    for entry in pool:
        names = list(tidy(entry.block, pool.taxonomy).fields)
        assert names == sorted(names, key=place.__getitem__), entry.key


def test_every_symbol_that_latex_can_show_is_written_so_that_it_shows() -> None:
    for character, latex in written().items():
        shown = to_unicode(latex)
        assert shown == character or {shown, character} <= {"’", "'"} or {shown, character} <= {"‘", "`"}
    letters = {text for name, text in SYMBOLS.items() if name.isalpha() and len(text) == 1 and not text.isascii()}
    assert letters - {"\u2009"} <= set(written())


# ------------------------------------------------------------------ its script


def test_the_script_makes_no_markup_from_text() -> None:
    for wrong in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "DOMParser", "style:", ".style"):  # fmt: skip
        assert wrong not in SCRIPT, wrong


def test_the_script_asks_for_known_works_and_rare_commands_only_and_sends_nothing() -> None:
    assert SCRIPT.count("fetch(") == 1
    assert SCRIPT.count("loadJson(") == 3  # its definition, and a call for each
    for wrong in ("XMLHttpRequest", "sendBeacon", "WebSocket", "EventSource", "import(", "localStorage"):
        assert wrong not in SCRIPT, wrong


def test_the_script_names_no_axis_and_no_value(pool: Pool) -> None:
    for axis in pool.taxonomy.on("entry"):
        for word in (axis.field, axis.why, *axis.values):
            assert f'"{word}"' not in SCRIPT, word
