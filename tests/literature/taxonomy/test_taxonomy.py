"""The taxonomy: complete, in order, and with every problem reported."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from survey.literature import InvalidSurvey, Pool, Shape, read_taxonomy
from survey.literature.taxonomy import Absence
from tests.conftest import ROOT
from tests.literature.conftest import TAXONOMY

# id, what to replace in the small taxonomy, by what, the problem
BROKEN = [
    ("not TOML", "[survey]", "[survey", "not TOML: Expected ']' at the end of a table declaration (at line 2, column 8)"),
    ("unknown shape", '"ranked"', '"rankd"', 'axis.reward: shape: "rankd" is not known here (did you mean "ranked"?)'),
    ("unknown key", "required = true", "require = true", 'axis.reward: "require" is not known here (did you mean "required"?)'),
    ("no definition", 'definition = "What is paid."\n', "", "axis.reward: definition: is missing"),
    ("no rule", 'definition = "One for all."\nrule = "r"', 'definition = "One for all."', "axis.reward.value.shared: rule: is missing"),
    ("no label", 'label = "shared"\n', "", 'axis.reward.value.shared: label: there is no label in "en"'),
    ("a value named like an absence", "value.shared", "value.na", 'axis.reward.value.na: "na" is a word for absence and cannot be a value'),
    ("an id in capitals", "value.shared", "value.Shared", 'axis.reward.value.Shared: "Shared" cannot be an id (lower case, digits, single hyphens; not index or readme)'),
    ("a rule on no axis", 'when = { reward = ["na"] }', 'when = { rewards = ["na"] }', 'rule: when: "rewards" is not known here (did you mean "reward"?)'),
    ("a rule on no value", 'when = { reward = ["na"] }', 'when = { reward = ["nah"] }', 'rule: when.reward: "nah" is not known here (did you mean "na"?)'),
    ("a label that is a number", 'label = "Reward"', "label = 1", 'axis.reward: label: found "1", expected a table'),
    ("a flag in quotes", "required = true", 'required = "false"', 'axis.reward: required: found "false", expected true or false'),
    ("absences that are no list", 'absence = ["na", "unknown"]', 'absence = "na"', "axis.reward: absence: found \"na\", expected a list of texts, as in [\"na\"]"),
    ("a field that means something else", "required = true", 'field = "title"', 'axis.reward: field: "title" has a meaning of its own in BibTeX or here'),
    ("an axis like a column", "[axis.decision]", "[axis.year]", 'axis.year: "year" is a column of the exported tables and cannot be an axis'),
    ("a day that is none", 'label = "shared"', 'label = "shared"\nsince = "yesterday"', 'axis.reward.value.shared: since: found "yesterday", expected a date, as in 2026-11-23'),
    ("a rule without when", 'when = { reward = ["na"] }\n', "", "rule: when: is missing (expected { axis = [values] })"),
    ("a number that nobody could print", 'label = "Reward"', "label = 0x" + "f" * 5000, "not TOML: a whole number of more than 64 bits (expected one below 9223372036854775808)"),
    ("lists in lists", 'absence = ["na", "unknown"]', "absence = " + "[" * 60 + "]" * 60, "not TOML: nested too deeply"),
    ("names in names", "[absence.na]", "[" + "a." * 2000 + "a]", "not TOML: nested too deeply"),
    ("a field that cannot be required", 'required = ["summary", "added", "url"]', 'required = ["sumary"]', 'survey: required: "sumary" is not known here (did you mean "summary"?)'),
    ("a part of the site that is none", 'required = ["summary", "added", "url"]', 'wings = ["trace"]', 'survey: wings: "trace" is not known here (did you mean "traces"?)'),
    ("an absence without a definition", '[absence.unknown]\nlabel = "does not say"\ndefinition = "Not said."\n', "", "axis.reward: there is no table [absence.unknown] to define it"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "problem"), [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN])
def test_a_broken_taxonomy_says_where_and_what(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in TAXONOMY
    path = tmp_path / "taxonomy.toml"
    path.write_text(TAXONOMY.replace(old, new, 1))
    with pytest.raises(InvalidSurvey) as error:
        read_taxonomy(path, "taxonomy.toml")
    found = [str(p).split(": ", 1) for p in error.value.problems]
    assert problem in [message.removeprefix("entry ") for _, message in found]
    assert all(int(place.rpartition(":")[2]) > 0 for place, _ in found)


def test_a_problem_names_the_line_of_its_table(tmp_path: Path) -> None:
    path = tmp_path / "taxonomy.toml"
    path.write_text(TAXONOMY.replace('definition = "One for all."\n', ""))
    with pytest.raises(InvalidSurvey) as error:
        read_taxonomy(path, "t.toml")
    line = TAXONOMY.split("\n").index("[axis.reward.value.shared]") + 1
    assert str(error.value) == f"t.toml:{line}: entry axis.reward.value.shared: definition: is missing"


# the real one, against what the survey says of itself


def test_the_eight_families_of_reward_are_there_and_two_values_share_r6(pool: Pool) -> None:
    reward = pool.taxonomy["reward"]
    assert list(reward.families) == [f"R{n}" for n in range(1, 9)]
    assert reward.resolve("R6") == ("debate", "verifier")
    assert all(value.family in reward.families for value in reward.values.values())


def test_the_eight_units_of_credit_run_from_team_to_token(pool: Pool) -> None:
    units = list(pool.taxonomy["credit"].values)
    assert units == ["team", "orchestrator", "role", "agent", "turn", "message", "tool-call", "token"]


def test_the_five_sub_decisions_have_their_codes_and_two_ways(pool: Pool) -> None:
    decision = pool.taxonomy["decision"]
    assert [(v.code, v.id) for v in decision.values.values()] == [
        ("O1", "spawn"), ("O2", "delegate"), ("O3", "communicate"), ("O4", "aggregate"), ("O5", "stop"),
    ]  # fmt: skip
    assert list(decision.qualifiers) == ["learned", "designed"]


def test_the_six_published_topologies_come_first_and_three_are_ours(pool: Pool) -> None:
    with (ROOT / "bib" / "codings" / "published-2026-05-04.csv").open(encoding="utf-8") as stream:
        published = {row["value"].split(";")[0] for row in csv.DictReader(stream) if row["axis"] == "topology"}
    values = [*pool.taxonomy["topology"].values]
    assert set(values[:6]) == published - {"na"}
    assert values[6:] == ["pipeline", "peer", "generated"]
    assert [value.id for value in pool.taxonomy["topology"].values.values() if value.since] == values[6:]


def test_a_value_that_a_coding_names_is_no_younger_than_its_codebook(pool: Pool) -> None:
    """What has a ``since`` is named by no coding that was made by an earlier codebook."""
    for coding in pool.codings.values():
        for judgement in coding.judgements:
            values = pool.taxonomy[judgement.axis].values
            young = [
                tag.word
                for tag in judgement.tags
                if tag.word in values and values[tag.word].since > str(coding.codebook or coding.made)
            ]
            assert not young, (coding.id, judgement.key, young)


def test_every_axis_of_the_design_is_there(pool: Pool) -> None:
    axes = "category rl reward credit credit-explicit credit-counterfactual decision topology scenario standing"
    assert {*axes.split(), "algorithm", "measures", "scale", "verified"} <= set(pool.taxonomy.axes)


def test_every_label_is_there_in_english_chinese_and_japanese(pool: Pool) -> None:
    for axis in pool.taxonomy:
        for term in (axis, *axis.values.values(), *axis.families.values(), *axis.qualifiers.values()):
            assert set(term.labels) == {"en", "zh", "ja"}
            assert all(term.labels.values())


def test_every_value_has_a_definition_a_rule_and_examples(pool: Pool) -> None:
    for axis in pool.taxonomy.on("entry"):
        for value in axis.values.values():
            assert value.definition
            if axis.evidence:
                assert value.rule and value.positive and value.negative, (axis.id, value.id)


def test_absence_has_three_words_that_are_never_values(pool: Pool) -> None:
    assert set(pool.taxonomy.absences) == set(Absence)
    assert not any(word in axis.values for axis in pool.taxonomy for word in Absence)


def test_quantities_say_their_unit(pool: Pool) -> None:
    for axis in pool.taxonomy:
        if axis.shape is Shape.QUANTITY:
            assert all(value.unit for value in axis.values.values())
