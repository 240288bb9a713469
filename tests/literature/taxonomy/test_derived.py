"""Axes that follow from others: by hand, in entries and in codings, and what is said where nothing follows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from survey.literature import InvalidSurvey, Pool, load, read_pool, read_taxonomy
from survey.literature.pool import format_tags, parse_tags
from tests.conftest import ROOT
from tests.literature.conftest import ENTRY, TAXONOMY


def values(axis: str, *names: str) -> str:
    meaning = 'definition = "d"\nrule = "r"\npositive = "p"\nnegative = "n"\n'
    return "".join(f'[axis.{axis}.value.{name}]\nlabel = "{name}"\n{meaning}' for name in names)


DERIVED = f"""{TAXONOMY}
[axis.payee]
label = "Who is paid"
definition = "Whose number it is."
shape = "set"
part-of = "family"
required = true
absence = ["na", "unknown"]
{values("payee", "team", "agent")}
[axis.time]
label = "When"
definition = "When it is paid."
part-of = "family"
absence = ["unknown"]
{values("time", "end", "way")}
[axis.family]
label = "Family"
definition = "Follows."
shape = "ranked"
absence = ["na", "unknown"]
step = [
  {{ gives = "mixed", when = [{{ payee = "team" }}, {{ payee = "agent" }}] }},
  {{ gives = "own", when = {{ payee = "agent" }} }},
  {{ gives = "late", when = {{ payee = "team", time = ["end"] }} }},
  {{ gives = "unknown", when = {{ payee = "unknown" }} }},
  {{ gives = "na", when = {{ payee = "na" }} }},
]
{values("family", "mixed", "own", "late")}
[axis.strict]
label = "Strict"
definition = "Follows too."
part-of = "family"
absence = ["na"]
step = [{{ gives = "yes", when = {{ payee = "agent" }} }}, {{ gives = "no", when = {{ payee = ["team", "unknown", "na"] }} }}]
{values("strict", "yes", "no")}
"""


def entry(payee: str, time: str = "end", why: str = "why-family = {It says so.},") -> str:
    return ENTRY.replace(
        "tag-reward", f"tag-payee  = {{{payee}}},\n  tag-time   = {{{time}}},\n  {why}\n  tag-reward", 1
    )


@pytest.mark.parametrize(
    ("payee", "time", "family", "strict"),
    [
        ("team", "end", "late", "no"),
        ("agent", "way", "own", "yes"),
        ("team; agent", "end", "mixed; own; late", "yes"),
        ("agent; unknown", "way", "own; unknown", "yes"),
        ("unknown", "end", "unknown", "no"),
        ("na", "end", "na", "no"),
    ],
)
def test_tags_follow_by_the_first_step_that_holds(
    folder: Callable[..., Path], payee: str, time: str, family: str, strict: str
) -> None:
    (work,) = load(folder(entry(payee, time), taxonomy_toml=DERIVED))
    assert format_tags(work.tags["family"]) == family
    assert format_tags(work.tags["strict"]) == strict


def problems(bib: Path) -> list[str]:
    return [p.message for p in read_pool(bib)[1]]


def test_where_nothing_follows_the_parts_are_named(folder: Callable[..., Path]) -> None:
    found = problems(folder(entry("team", "way"), taxonomy_toml=DERIVED))
    assert found == ['no family follows from payee = "team" and time = "way" (change one of them)']


def test_a_derived_tag_is_not_written(folder: Callable[..., Path]) -> None:
    found = problems(folder(entry("team").replace("tag-time", "tag-family = {late},\n  tag-time", 1), taxonomy_toml=DERIVED))  # fmt: skip
    assert found == ["follows from tag-payee, tag-time (delete it)"]


def test_the_evidence_is_asked_for_once_and_not_where_nothing_applies(folder: Callable[..., Path]) -> None:
    (found,) = problems(folder(entry("team", why=""), taxonomy_toml=DERIVED))
    assert found.startswith('is missing (say in your own words what supports tag-family = "late"')
    assert not problems(folder(entry("na", why=""), taxonomy_toml=DERIVED))


def test_a_reader_who_judges_the_parts_has_judged_what_follows(folder: Callable[..., Path]) -> None:
    bib = folder(entry("team"), taxonomy_toml=DERIVED)
    (bib / "codings").mkdir()
    (bib / "codings" / "ada.csv").write_text("key,axis,value\nkey2026,payee,agent\nkey2026,time,way\n")
    (bib / "codings" / "bob.csv").write_text("key,axis,value\nkey2026,payee,agent\n")  # no time: no family
    about = 'reader = "R"\nmade = 2026-05-04\nstatement = "S."\n'
    (bib / "codings" / "readers.toml").write_text(f"[ada]\n{about}[bob]\n{about}")
    pool = load(bib)
    said = {id: {j.axis: format_tags(j.tags) for j in coding.judgements} for id, coding in pool.codings.items()}
    assert said["ada"] == {"payee": "agent", "time": "way", "family": "own", "strict": "yes"}
    assert said["bob"] == {"payee": "agent", "strict": "yes"}
    assert format_tags(pool.recoded("ada")["key2026"].tags["family"]) == "own"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('gives = "late"', 'gives = "lat"', '"lat" is not known here (did you mean "late"?)'),
        ('time = ["end"]', 'times = ["end"]', '"times" is not known here (did you mean "time"?)'),
        ('time = ["end"]', 'time = ["ends"]', '"ends" is not known here (did you mean "end"?)'),
        ('payee = "team", time', 'reward = "shared", time', 'reward is no part of family (expected part-of = "family" there)'),
        ('part-of = "family"\nrequired', 'part-of = "famly"\nrequired', '"famly" is no axis with steps (did you mean "family"?)'),
        ('when = { payee = "na" }', "when = {}", "is missing (expected { AXIS = [VALUES] }, or a list of such tables)"),
    ],
    ids=["an unknown value", "an unknown axis", "an unknown word", "another axis", "part of nothing", "no condition"],
)  # fmt: skip
def test_a_broken_step_says_what_was_expected(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in DERIVED
    path = tmp_path / "taxonomy.toml"
    path.write_text(DERIVED.replace(old, new, 1))
    with pytest.raises(InvalidSurvey) as error:
        read_taxonomy(path, "taxonomy.toml")
    assert any(problem in str(p) for p in error.value.problems)


def test_what_may_stand_is_said_by_kind_of_work(folder: Callable[..., Path]) -> None:
    table = '[[applies]]\naxes = ["payee"]\nby = "reward"\nwords = { shared = ["value"], process = ["na"] }\n'
    assert not problems(folder(entry("team"), taxonomy_toml=DERIVED + table))
    (found,) = problems(folder(entry("unknown"), taxonomy_toml=DERIVED + table))
    assert found.startswith('"unknown" cannot be: for reward = "shared" the table of what applies has value')


def test_more_that_is_not_said_may_follow_values_and_nothing_else_may(pool: Pool) -> None:
    algorithm, rl = pool.taxonomy["algorithm"], pool.taxonomy["rl"]
    assert format_tags(parse_tags("sft; unknown", algorithm)[0]) == "sft; unknown"
    assert not parse_tags("sft; unknown", algorithm)[1]
    for text, axis in (("unknown; sft", algorithm), ("sft; none", algorithm), ("yes; unknown", rl)):
        assert parse_tags(text, axis)[1]


def test_every_combination_of_parts_of_the_real_taxonomy_gives_something(pool: Pool) -> None:
    """Any first word on each part of a derived axis, if the words for absence stand on all parts or on none."""
    for axis in pool.taxonomy:
        for given in _combinations(pool, axis.parts):
            assert axis.derived(given), (axis.id, given)


def _combinations(pool: Pool, parts: tuple[str, ...]) -> list[dict[str, list[str]]]:
    found: list[dict[str, list[str]]] = [{}] if parts else []
    for part in parts:
        found = [{**before, part: [word]} for before in found for word in pool.taxonomy[part].words]
    return [one for one in found if len({word in ("na", "none") and word for (word,) in one.values()}) == 1]


def written(axis: str) -> dict[str, list[str]]:
    """The tags that stand in the text of the pool, by key: read by a pattern, and by nothing of ours."""
    blocks = re.split(r"(?m)^(?=@)", (ROOT / "bib" / "pool.bib").read_text(encoding="utf-8"))[1:]
    found = {re.findall(r"@\w+\{([^,]+),", b)[0]: re.findall(rf"tag-{axis} *= \{{(.*)\}}", b)[0] for b in blocks}
    return {key: text.split("; ") for key, text in found.items()}


def test_the_families_of_rewards_are_those_found_by_hand(pool: Pool) -> None:
    payees, purposes, judges = (written(f"reward-{part}") for part in ("payee", "for", "judge"))
    for key, payee in payees.items():
        of = purposes[key]
        families = ["hybrid"] * ("team" in payee and len({*payee} - {"team", "unknown"}) > 0)
        families += [name for name in ("orchestration", "debate") if name in of]
        families += [name for part, name in (("role", "role"), ("agent", "individual")) if part in payee]
        families += [name for name in ("tool", "process") if name in of]
        families += ["shared"] * ("team" in payee and "outcome" in of)
        families += ["verifier"] * ("model" in judges[key])
        silent = "unknown" in payee or "unknown" in of
        if families:
            assert list(pool[key].words("reward")) == families + ["unknown"] * silent, key
        else:
            assert pool[key].primary("reward") in ("unknown", "none", "na"), key
            assert (pool[key].primary("reward") == "unknown") == silent, key


def test_explicit_and_counterfactual_credit_are_those_found_by_hand(pool: Pool) -> None:
    for key, (method,) in written("credit-method").items():
        answers = pool[key].primary("credit-explicit"), pool[key].primary("credit-counterfactual")
        if method in ("na", "none", "unknown"):
            assert set(answers) == {"unknown" if method == "unknown" else "na"}, key
        else:
            assert answers == (
                "no" if method == "broadcast" else "yes",
                "yes" if method == "counterfactual" else "no",
            ), key
