"""The flow into each edition against counts of the plain files, and against a small survey worked by hand."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from survey.literature import Pool, load
from survey.literature.counting.flow import captures, flows, recalls, steps
from tests.conftest import PUBLISHED, ROOT
from tests.literature.conftest import ENTRY, TAXONOMY

RECORDS = (
    TAXONOMY
    + """
[axis.stage]
on = "record"
field = "stage"
label = "Stage"
definition = "How far it came."
shape = "one"
required = true
evidence = false
[axis.stage.value.abstract]
label = "abstract"
definition = "Title and abstract."
[axis.stage.value.text]
label = "text"
definition = "The text."
[axis.reason]
on = "record"
field = "reason"
label = "Reason"
definition = "Why."
shape = "one"
required = true
evidence = false
[axis.reason.value.alone]
label = "alone"
definition = "One agent."
[axis.reason.value.vague]
label = "vague"
definition = "Hard to say."
[axis.read]
field = "read"
label = "Read"
definition = "How deep."
shape = "one"
evidence = false
[axis.read.value.abstract]
label = "abstract"
definition = "The abstract."
[axis.read.value.full]
label = "full"
definition = "All."
"""
)

PROTOCOL = """
[inclusion.team]
label = "a team"
definition = "It has a team."
[exclusion.single]
label = "single"
definition = "One agent."
reasons = ["alone"]
[exclusion.same]
label = "duplicate"
definition = "The same work."
duplicate = true
[reasons]
axis = "reason"
[stages]
axis = "stage"
assessed = ["text"]
[reading]
axis = "read"
abstract-only = ["abstract"]
[[decision]]
record = "R3"
date = 2026-06-02
eligible = "team"
why = "It has two agents."
[[decision]]
record = "R4"
date = 2026-06-02
excluded = "same"
why = "It is a2026."
"""

LOG = """
[family.one]
label = "One"
[route.listing]
label = "A listing"
kind = "databases"
holds = ["a2026", "b2026", "R3"]
[route.letters]
label = "Letters"
kind = "other"

[[search]]
date = 2026-06-01
source = "x"
family = "one"
query = "q"
hits = 20
screened = 8
kept = 1
route = "listing"
found = ["a2026", "b2026", "R3"]
[[search]]
date = 2026-06-01
source = "x"
family = "one"
query = "r"
hits = 10
screened = 1
kept = 0
route = "listing"
found = ["b2026"]
[[deduplicated]]
date = 2026-06-01
route = "listing"
works = 25
"""

EDITIONS = '[2026-05-04]\ntitle = "First"\n[2026-06-01]\ntitle = "Second"\n'


def entry(key: str, added: str, appeared: str, more: str = "read = {full}") -> str:
    return (
        ENTRY.replace("key2026", key)
        .replace("{A Title}", f"{{{key.upper()} of some things}}")
        .replace("example.org/a", f"example.org/{key}")
        .replace("added      = {2026-05-04}", f"added = {{{added}}},\n  announced = {{{appeared}}},\n  {more}")
    )


def record(key: str, stage: str, reason: str, screened: str = "2026-06-01") -> str:
    return (
        f"@misc{{{key},\n  author = {{Rest, {key}}},\n  title = {{The {key} left out}},\n  year = {{2026}},\n"
        f"  url = {{https://example.org/{key}}},\n  screened = {{{screened}}},\n  stage = {{{stage}}},\n"
        f"  reason = {{{reason}}}\n}}\n"
    )


ENTRIES = (
    entry("a2026", "2026-05-04", "2026-01")
    + entry("b2026", "2026-06-01", "2026-02-03", "read = {abstract}")
    + entry("c2026", "2026-06-01", "2026-05", "route = {letters}")
    + entry("d2026", "2026-06-01", "2026-05-30")
)
LEFT_OUT = (
    record("R1", "abstract", "alone", "2026-05-01")
    + record("R2", "text", "alone")
    + record("R3", "abstract", "vague")
    + record("R4", "abstract", "vague")
)


@pytest.fixture
def bib(folder: Callable[..., Path]) -> Path:
    files = {"excluded_bib": LEFT_OUT, "protocol_toml": PROTOCOL, "searches_toml": LOG, "editions_toml": EDITIONS}
    return folder(ENTRIES, RECORDS, **files)


def test_a_small_flow_worked_by_hand(bib: Path) -> None:
    first, second = flows(load(bib))
    assert (first.additions, first.hits, first.unrecorded, first.records) == (("a2026",), None, 1, 2)
    assert (second.hits, second.repeated, second.screened, second.unread) == (30, 5, 9, 16)
    assert (second.earlier, second.additions, second.included) == (1, ("b2026", "c2026", "d2026"), 4)
    assert [(one.route, one.first) for one in second.identified] == [("listing", 1), ("letters", 1)]
    assert (second.unrecorded, second.again, second.abstract_only) == (1, ("b2026",), ("b2026",))
    assert (second.duplicates, second.open, second.out_at_screening, second.out_at_assessment) == (
        ("R4",),
        ("R3",),
        0,
        1,
    )
    assert (second.records, second.sought, second.lost) == (6, 3, 4)  # 9 abstracts, 2 of them added, 3 with a record


def test_what_nobody_recorded_is_not_zero(bib: Path) -> None:
    unknown = {step.step for step in steps(flows(load(bib))[0]) if step.count is None}
    assert unknown == {"hits", "repeated", "unread", "screened", "lost", "not-retrieved", "again"}


def test_what_came_after_the_last_edition_is_a_flow_of_its_own(bib: Path) -> None:
    (bib / "editions.toml").write_text('[2026-05-04]\ntitle = "First"\n')
    assert [(flow.title, flow.included) for flow in flows(load(bib))] == [("First", 1), ("Since the last edition", 4)]
    assert [flow.day for flow in flows(load(bib).as_of(date(2026, 5, 4)))] == [date(2026, 5, 4)]


def test_relative_recall_counts_what_had_appeared(bib: Path) -> None:
    """By 4 May a2026 was in, b2026 was public; R3 (2026) and c2026 (May) may have been; d2026 was not."""
    first, second = recalls(load(bib))
    assert (first.had, first.known, first.perhaps) == (1, 2, 2)
    assert (first.low, first.high) == (0.25, 0.5)
    assert (second.had, second.known, second.perhaps, second.later) == (4, 4, 1, False)
    assert second.high is None  # nothing was searched since, and R3 may have appeared later


def test_too_few_works_give_no_estimate(bib: Path) -> None:
    found = captures(load(bib))
    assert [capture.id for capture in found] == ["2026-05-04-listing", "families-listing"]
    assert all(capture.share is None and capture.estimate.why_not for capture in found)


def test_a_survey_without_editions_criteria_and_log_has_a_flow() -> None:
    pool = load(ROOT / "tests" / "literature" / "bread")
    (flow,) = flows(pool)
    assert (flow.included, flow.unrecorded, flow.hits, flow.sought) == (len(pool), len(pool), None, None)
    assert captures(pool) == ()


def _dated(name: str, field: str) -> Counter[str]:
    text = (ROOT / "bib" / name).read_text()
    return Counter(re.findall(rf"(?m)^\s*{field}\s*=\s*\{{([0-9-]+)\}}", text))


def test_the_real_flows_add_up_to_the_files(pool: Pool) -> None:
    """Counted again from the plain text of the files."""
    found = flows(pool)
    assert found[0].day.isoformat() == PUBLISHED
    assert found[-1].included == sum(_dated("pool.bib", "added").values())
    assert sum(flow.records for flow in found) == sum(_dated("excluded.bib", "screened").values()) + len(pool)
    log = tomllib.loads((ROOT / "bib" / "searches.toml").read_text())["search"]
    assert found[1].hits == sum(search["hits"] for search in log)
    assert len(found[1].additions) - found[1].unrecorded == sum(search["kept"] for search in log)
    protocol = tomllib.loads((ROOT / "bib" / "protocol.toml").read_text())
    eligible = [one["record"] for one in protocol["decision"] if "eligible" in one]
    assert sorted(key for flow in found for key in flow.open) == sorted(eligible)


def test_every_record_without_a_criterion_in_its_reason_was_decided_again(pool: Pool) -> None:
    vague = {r.key for r in pool.records if r.primary("reason") == "less-central-than-a-retained-entry"}
    assert vague == set(pool.protocol.decisions)
    assert all(pool.protocol.decisions[key].why for key in vague)


def test_each_row_of_a_diagram_is_the_sum_of_its_parts(pool: Pool) -> None:
    for flow in flows(pool):
        parts: Counter[str] = Counter()
        whole: dict[str, int] = {}
        for step in steps(flow):
            if step.item:
                parts[step.step] += step.count or 0
            elif step.count is not None:
                whole[step.step] = step.count
        assert {step: parts[step] for step in parts} == {step: whole[step] for step in parts}


def test_completeness_is_given_only_where_the_estimate_is_above_what_is_known(pool: Pool) -> None:
    found = captures(pool)
    assert {capture.kind for capture in found} == {"edition", "families", "routes"}
    for capture in found:
        total = capture.estimate.total
        assert (capture.share is not None) == (total is not None and total >= capture.known)
