"""What the search knows of a page: sections with their weights, and short pages as a whole."""

from __future__ import annotations

from survey.site.publishing.search import weighed


def section(location: str, text: str) -> dict[str, str]:
    return {"location": location, "title": location, "text": text}


def test_an_entry_is_found_as_a_whole_and_a_chapter_by_its_sections() -> None:
    sections = [
        section("read/credit/", "credit"),
        section("read/credit/#messages", "messages"),
        section("entries/c3/", "<p>c3</p> <p>2026 ·  · </p>"),
        section("entries/c3/#tags", "message"),
        section("entries/c3/#cite", "cite"),
        section("entries/coma/", "coma"),
        section("glossary/", "words"),
    ]
    found = [*weighed(sections, {})]
    assert [(one["location"], one["text"]) for one in found] == [
        ("read/credit/", "credit"),
        ("read/credit/#messages", "messages"),
        ("entries/c3/", "c3 2026 message cite"),
        ("entries/coma/", "coma"),
        ("glossary/", "words"),
    ]
    assert [one["text"] for one in sections[3:]] == ["message", "cite", "coma", "words"]


def test_a_section_weighs_less_than_its_page_and_a_list_of_references_nothing() -> None:
    page, part = weighed(
        [section("read/x/", "a"), section("read/x/#part", "b"), section("read/x/#references", "c")], {}
    )
    assert part["boost"] < page["boost"]
