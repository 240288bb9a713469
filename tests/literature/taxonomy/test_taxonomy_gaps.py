"""Gap settings of the taxonomy: impossible cells, triples, foundations, the strict reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from survey.literature import InvalidSurvey, Pool, read_taxonomy
from survey.literature.taxonomy import Taxonomy
from tests.literature.conftest import TAXONOMY

FULL = (
    TAXONOMY.replace('shape = "ranked"', 'shape = "ranked"\nmain = true\nordered = true').replace(
        'shape = "set"', 'shape = "set"\nmain = true'
    )
    + """
[[impossible]]
cells = { reward = "shared", decision = "stop: learned" }
why = "first"

[[impossible]]
cells = { reward = ["process"], decision = "stop" }
why = "second"

[gaps]
foundations = { reward = "shared" }
strict = { decision = "stop" }
"""
)


def read(tmp_path: Path, text: str) -> Taxonomy:
    path = tmp_path / "taxonomy.toml"
    path.write_text(text)
    return read_taxonomy(path, "t.toml")


def test_impossible_cells_are_read_and_a_value_stands_for_all_qualifiers(tmp_path: Path) -> None:
    taxonomy = read(tmp_path, FULL)
    first, second = taxonomy.impossible
    assert dict(first.cells) == {"reward": ("shared",), "decision": ("stop: learned",)}
    assert dict(second.cells) == {"reward": ("process",), "decision": ("stop: learned", "stop: designed")}
    assert taxonomy["reward"].ordered and not taxonomy["decision"].ordered
    assert taxonomy["decision"].value_cells == ("stop: learned", "stop: designed")


def test_settings_are_filters_that_a_pool_takes(tmp_path: Path) -> None:
    settings = read(tmp_path, FULL).gaps
    assert settings.foundations == (("reward", "shared"),)
    assert settings.strict == (("decision", "stop"),)
    assert read(tmp_path, TAXONOMY).gaps.triples == ()


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ({"reward": "shared", "decision": "stop: learned"}, "first"),
        ({"reward": "shared", "decision": "stop: designed"}, ""),
        ({"reward": "process", "decision": "stop: designed"}, "second"),
        ({"reward": "na", "decision": "stop: learned"}, "who pays nothing decides nothing"),
        ({"reward": "na", "decision": "na"}, ""),
        ({"decision": "stop: learned"}, ""),
        ({"reward": "na"}, ""),
    ],
    ids=lambda v: "-".join(v.values()) if isinstance(v, dict) else "",
)
def test_what_excludes_a_cell_is_an_impossible_cell_or_a_rule(tmp_path: Path, cells: dict[str, str], why: str) -> None:
    assert read(tmp_path, FULL).excluded(cells) == why


# what is replaced, by what, the problem
WRONG = [
    ("a value", 'decision = "stop: learned"', 'decision = "stop: learnt"', 'impossible: cells.decision: "stop: learnt" is not known here (did you mean "stop: learned"?)'),
    ("an axis", "cells = { reward", "cells = { rewards", 'impossible: cells: "rewards" is not known here (did you mean "reward"?)'),
    ("one axis", ', decision = "stop: learned" }', " }", 'impossible: cells: names 1 axis, expected 2 or more: { AXIS = "VALUE", AXIS = ["VALUE"] }'),
    ("a word of absence", 'reward = "shared", d', 'reward = "na", d', 'impossible: cells.reward: "na" is not known here (expected one of: shared, process)'),
    ("no value", 'reward = ["process"]', "reward = []", "impossible: cells.reward: names no value"),
    ("a number", 'reward = ["process"]', "reward = 3", 'impossible: cells.reward: found "3", expected a list of texts, as in ["na"]'),
    ("no reason", 'why = "first"', "", "impossible: why: is missing"),
    ("a key", 'why = "first"', 'wy = "first"', 'impossible: "wy" is not known here (did you mean "why"?)'),
    ("an unknown filter", 'foundations = { reward = "shared" }', 'foundations = { reward = "sharde" }', 'gaps: foundations.reward: "sharde" is not known here (did you mean "shared"?)'),
    ("a filter of records that names an axis of entries", "[gaps]", '[gaps]\nselective = { reward = "shared" }', 'gaps: selective: there is no axis of records (expected an axis with on = "record", or no filter)'),
    ("a setting", "strict =", "stict =", 'gaps: "stict" is not known here (did you mean "strict"?)'),
    ("a pair", "[gaps]", '[gaps]\ntriples = [["reward", "decision"]]', "gaps: triples: found \"['reward', 'decision']\", expected three different axes"),
    ("an axis twice", "[gaps]", '[gaps]\ntriples = [["reward", "decision", "reward"]]', "gaps: triples: found \"['reward', 'decision', 'reward']\", expected three different axes"),
    ("an axis that is not main", "[gaps]", '[gaps]\ntriples = [["reward", "decision", "credit"]]', 'gaps: triples: "credit" is not known here (expected one of: reward, decision)'),
    ("no list", "[gaps]", "[gaps]\ntriples = 3", 'gaps: triples: found "3", expected a list of triples of axes'),
    ("an order in quotes", "ordered = true", 'ordered = "yes"', 'axis.reward: ordered: found "yes", expected true or false'),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "problem"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_problems_are_reported_with_their_place(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in FULL
    with pytest.raises(InvalidSurvey) as error:
        read(tmp_path, FULL.replace(old, new, 1))
    assert f"entry {problem}" in [str(p).split(": ", 1)[1] for p in error.value.problems]


@pytest.mark.parametrize(
    ("header", "broken"), [("[[impossible]]", 'why = "second"'), ("[[rule]]", 'because = "again"')]
)
def test_a_problem_names_the_line_of_its_own_table_and_not_of_the_first(
    tmp_path: Path, header: str, broken: str
) -> None:
    again = '[[rule]]\nwhen = { reward = ["na"] }\nonly = { decision = ["na"] }\nbecause = "again"\n'
    text = FULL.replace("[gaps]", f"{again}\n[gaps]").replace(broken, "")
    with pytest.raises(InvalidSurvey) as error:
        read(tmp_path, text)
    line = len(text.split("\n")) - text.split("\n")[::-1].index(header)
    assert [p.line for p in error.value.problems] == [line]


def test_the_real_taxonomy_excludes_only_what_its_words_exclude(pool: Pool) -> None:
    taxonomy = pool.taxonomy
    assert all(len(one.why) > 20 for one in taxonomy.impossible)
    assert {axis for triple in taxonomy.gaps.triples for axis in triple} <= {a.id for a in taxonomy if a.main}
    assert pool.where(taxonomy.gaps.foundations).entries
    assert pool.where(taxonomy.gaps.strict).entries
