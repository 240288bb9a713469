"""Numbers of ids: in any input order, each id has the index of its first occurrence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from survey.traces.files.numbering import Numbering

IDS = st.lists(st.integers(0, 30).map(str), max_size=12)


@given(st.lists(st.one_of(st.tuples(st.just("add"), IDS), st.tuples(st.just("ends"), IDS))))
def test_every_id_has_the_place_at_which_it_came_first(calls: list[tuple[str, list[str]]]) -> None:
    numbers, places = Numbering(), dict[str, int]()
    for call, ids in calls:
        expected = [places.setdefault(id, len(places)) for id in ids]
        if call == "add":
            numbers.add(ids)
        else:
            half = len(ids) // 2
            assert numbers.ends(ids[:half], ids[half:]) == (expected[:half], expected[half:])
    assert numbers.ids() == list(places)


def test_edges_may_jump_anywhere_in_a_long_trace() -> None:
    ids = [f"event {place}" for place in range(10_000)]
    numbers = Numbering()
    numbers.add(ids)
    for near, far in ((5, 9_000), (9_990, 0), (9_000, 9_001), (20, 20)):
        targets = [min(place, 9_999) for place in range(near, near + 40)]
        found = numbers.ends([ids[place] for place in targets], [ids[far]] * 40)
        assert found == (targets, [far] * 40)
