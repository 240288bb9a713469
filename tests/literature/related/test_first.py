"""Which entries a reader should know first: the order by its rules in words, held against a sort of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd
import pytest

from survey.literature import Pool
from survey.literature.related import first_to_know, reasons, strict_reading

ROLES = ["core", "supporting", "case"]


def table(pool: Pool, axis: str, value: str, discussed: Mapping[str, int]) -> pd.DataFrame:
    """The entries of a value as rows, read from the fields of the file."""
    depths = list(pool.taxonomy["read"].values)[::-1]
    rows = []
    for entry in pool:
        words = [tag.strip().partition(":")[0].strip() for tag in entry.text(pool.taxonomy[axis].field).split(";")]
        if value in words:
            rows.append(
                {
                    "key": entry.key,
                    "further": pool.taxonomy[axis].shape == "ranked" and words[0] != value,
                    "standing": ROLES.index(entry.text("tag-standing")),
                    "discussed": -discussed.get(entry.key, 0),
                    "depth": depths.index(entry.text("read")),
                    "appeared": entry.text("announced") or entry.text("submitted") or entry.appeared,
                }
            )
    return pd.DataFrame(rows)


@pytest.mark.parametrize("axis", ["scenario", "algorithm", "topology", "category"])
def test_the_order_is_that_of_a_table_sorted_by_the_rules(pool: Pool, axis: str) -> None:
    discussed = {entry.key: n % 4 for n, entry in enumerate(pool)}
    for value in pool.taxonomy[axis].values:
        rows = table(pool, axis, value, discussed)
        by = ["further", "standing", "discussed", "depth", "appeared", "key"]
        expected = rows.sort_values(by)["key"].tolist() if len(rows) else []
        entries = pool.where([(axis, value)])
        found = first_to_know(entries, [(axis, value)], discussed, pool.taxonomy)
        assert [entry.key for entry in found] == expected, value


def test_what_only_mentions_a_value_comes_after_what_has_it_first(pool: Pool) -> None:
    found = first_to_know(pool.where([("credit", "message")]), [("credit", "message")], {}, pool.taxonomy)
    first = [entry.primary("credit") == "message" for entry in found]
    assert first == sorted(first, reverse=True)
    assert not all(first)


def test_what_learns_a_decision_comes_before_what_designs_it(pool: Pool) -> None:
    found = first_to_know(pool.where([("decision", "stop")]), [("decision", "stop")], {}, pool.taxonomy)
    hows = [min(tag.qualifier != "learned" for tag in entry.tags["decision"] if tag.word == "stop") for entry in found]
    assert hows == sorted(hows)
    assert {*hows} == {False, True}


def test_the_strict_reading_is_asked_of_its_own_axis_only(pool: Pool) -> None:
    assert strict_reading(pool.taxonomy, [("credit", "turn")]) == [("credit-explicit", "yes")]
    assert strict_reading(pool.taxonomy, [("scenario", "coding")]) == []
    explicit = next(e for e in pool.where([("credit", "turn")]) if e.words("credit-explicit") == ("yes",))
    assert "explicit credit: yes" in reasons(explicit, [("credit", "turn")], pool.taxonomy)
    assert "explicit credit: yes" not in reasons(explicit, [("scenario", "coding")], pool.taxonomy)


def test_of_works_with_the_same_role_the_strict_ones_come_first(pool: Pool) -> None:
    found = first_to_know(pool.where([("credit", "role")]), [("credit", "role")], {}, pool.taxonomy)
    for standing in ("core", "supporting"):
        own = [e for e in found if e.primary("standing") == standing and e.primary("credit") == "role"]
        loose = [e.words("credit-explicit") != ("yes",) for e in own]
        assert loose == sorted(loose)


def test_a_survey_without_roles_or_a_strict_reading_has_an_order_too(pool: Pool) -> None:
    plain = replace(
        pool.taxonomy,
        axes={name: axis for name, axis in pool.taxonomy.axes.items() if name not in ("standing", "read")},
        gaps=replace(pool.taxonomy.gaps, strict=()),
    )
    entries = list(pool.where([("scenario", "coding")]))[:9]
    found = first_to_know(entries, [("scenario", "coding")], {}, plain)
    dates = [(entry.primary("scenario") != "coding", entry.appeared, entry.key) for entry in found]
    assert dates == sorted(dates)
    assert reasons(entries[0], [("scenario", "coding")], plain) in ([], ["Survey"], ["Classical MARL"])
