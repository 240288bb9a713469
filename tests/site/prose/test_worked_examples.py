"""Worked examples of the chapters: what they state is derived anew, and the text states the numbers derived."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import chain, combinations, pairwise, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces import Trace
from survey.traces.metrics import measure
from tests.conftest import ROOT

shares = st.fractions(0, 1, max_denominator=50)
weights = st.fractions(min_value=Fraction(1, 1000), max_value=2, max_denominator=1000)


def chapter(name: str) -> str:
    return (ROOT / "docs" / "read" / f"{name}.md").read_text()


def says(name: str, *texts: str) -> bool:
    missing = [text for text in texts if text not in chapter(name)]
    assert missing == []
    return True


# ------------------------------------------------------------------ advantages of a group


def test_a_group_with_one_right_run_of_four() -> None:
    rewards = [1, 0, 0, 0]
    mean, deviation = statistics.fmean(rewards), statistics.pstdev(rewards)
    right, *wrong = [f"{(reward - mean) / deviation:+.2f}" for reward in rewards]
    assert says("credit", "1, 0, 0 and 0", rf"$\mu = {mean}$ and $\sigma = {deviation:.2f}$")
    assert says("credit", f"the right run gets ${right}$, the others ${wrong[0]}$ each")


# ------------------------------------------------------------------ bonuses for starting agents

ALONE = Fraction(40, 100)
"""The chance of success of an orchestrator that answers alone."""


def paid(starts: bool, answers: bool, first: Fraction, second: Fraction) -> Fraction:
    """The expected reward of a run: the idle searchers all finish, and only the orchestrator can be right."""
    return (first + second) * starts + ALONE * answers


@pytest.mark.parametrize(
    ("first", "second", "silent", "answering"), [("0.3", "0.2", "0.5", "0.9"), ("0.05", "0.05", "0.1", "0.5")]
)
def test_what_idle_searchers_earn(first: str, second: str, silent: str, answering: str) -> None:
    one, two = Fraction(first), Fraction(second)
    assert paid(True, False, one, two) == Fraction(silent)
    assert paid(True, True, one, two) == Fraction(answering)
    assert says("open-problems", "$0.3 + 0.2 + 0 = 0.5$", "it earns $0.1$ and loses", "$0.1 + 0.4 = 0.5$")


@given(weights, weights)
def test_idle_searchers_beside_an_honest_answer_pay_at_every_positive_weight(first: Fraction, second: Fraction) -> None:
    assert paid(True, True, first, second) > paid(False, True, first, second)
    assert says("open-problems", "at every positive weight")


@given(st.lists(shares, min_size=4, max_size=4), shares, weights)
def test_payments_by_a_potential_leave_the_order_of_all_runs(
    potentials: list[Fraction], discount: Fraction, weight: Fraction
) -> None:
    """States: 0 nothing done, 1 searchers started, 2 answered alone, 3 answered beside searchers; then the end."""
    runs = [(0,), (0, 1), (0, 2), (0, 1, 3)]
    value = [*potentials, Fraction(0)]

    def shaped(run: tuple[int, ...]) -> Fraction:
        path = [*run, 4]
        return sum(
            (discount**k * (discount * value[after] - value[here]) for k, (here, after) in enumerate(pairwise(path))),
            Fraction(0),
        )  # fmt: skip

    assert {shaped(run) for run in runs} == {-value[0]}
    bonus = {run: weight * (1 in run) for run in runs}
    assert len(set(bonus.values())) == 2, "a bonus that is never taken back tells the runs apart"
    assert says("open-problems", r"add up to $-\Phi(s_0)$")


# ------------------------------------------------------------------ a baseline of another's rewards


@given(shares, shares, shares, st.fractions(-3, 3, max_denominator=20))
def test_a_baseline_that_does_not_depend_on_the_action_leaves_the_expected_gradient(
    chance: Fraction, right: Fraction, other: Fraction, baseline: Fraction
) -> None:
    """Two actions of one logit: the derivative of the log-probability is 1 - p for the first and -p for the second."""

    def gradient(b: Fraction) -> Fraction:
        return sum(
            (p * q * (reward - b) * score
             for p, score, success in ((chance, 1 - chance, right), (1 - chance, -chance, other))
             for reward, q in ((1, success), (0, 1 - success))), Fraction(0),
        )  # fmt: skip

    assert gradient(baseline) == gradient(Fraction(0)) == chance * (1 - chance) * (right - other)


def test_the_common_baseline_adds_noise_and_no_punishment() -> None:
    success = Fraction(1, 5)

    def mean(power: int, centre: Fraction, scale: Fraction) -> Fraction:
        return success * ((1 - centre) / scale) ** power + (1 - success) * (-centre / scale) ** power

    common, own = Fraction(1, 2), success
    assert mean(1, common, Fraction(1, 2)) == Fraction("-0.6")
    assert mean(1, own, Fraction(2, 5)) == 0
    assert (mean(2, common, Fraction(1)), mean(2, own, Fraction(1))) == (Fraction("0.25"), Fraction("0.16"))
    assert says("credit", "= -0.6$", "is $0.25$ around the common mean and $0.16$ around the agent's own")


# ------------------------------------------------------------------ two searchers who find the same fact

COST = Fraction(1, 10)
Team = frozenset[str]


def teams(members: Iterable[str] = "ABC") -> list[Team]:
    names = list(members)
    return [frozenset(some) for size in range(len(names) + 1) for some in combinations(names, size)]


def worth(team: Team) -> Fraction:
    """A and B find the first fact, C the second."""
    first, second = bool(team & {"A", "B"}), "C" in team
    return Fraction(4, 10) * first + Fraction(3, 10) * second + Fraction(3, 10) * (first and second)


def net(team: Team) -> Fraction:
    return worth(team) - COST * len(team)


def difference(team: Team, member: str) -> Fraction:
    return worth(team | {member}) - worth(team - {member})


def shapley(team: Team, member: str) -> Fraction:
    orders = list(permutations(sorted(team)))
    added = (worth(frozenset(order[: order.index(member) + 1])) - worth(frozenset(order[: order.index(member)])) for order in orders)  # fmt: skip
    return sum(added, Fraction(0)) / len(orders)


def test_what_a_difference_reward_pays_a_member_is_what_it_adds_to_the_team() -> None:
    for team, member in product(teams(), "ABC"):
        assert difference(team, member) - COST == net(team | {member}) - net(team - {member})


def test_leaving_one_at_a_time_finds_the_best_team_and_leaving_at_once_does_not() -> None:
    whole = frozenset("ABC")
    best = max(map(net, teams()))
    assert (net(whole), best) == (Fraction("0.7"), Fraction("0.8"))
    assert [difference(whole, one) - COST for one in "ABC"] == [Fraction("-0.1"), Fraction("-0.1"), Fraction("0.5")]
    assert net(whole - {"A", "B"}) == Fraction("0.2")
    after = whole - {"A"}
    assert difference(after, "B") - COST == Fraction("0.6")
    assert all(difference(after, one) > COST for one in after) and difference(after, "A") < COST, "nobody moves again"
    assert net(after) == best
    assert says("credit", "the team falls to $0.3 - 0.1 = 0.2$", "$1 - 0.3 - 0.1 = 0.6$", "net $1 - 0.2 = 0.8$, the most that any team nets here")  # fmt: skip


def test_shapley_keeps_a_member_who_costs_the_team_more_than_it_adds() -> None:
    whole = frozenset("ABC")
    assert [shapley(whole, one) - COST for one in "ABC"] == [Fraction("0.15"), Fraction("0.15"), Fraction("0.4")]
    assert {net(whole - {one}) - net(whole) for one in "AB"} == {Fraction("0.1")}
    assert says("credit", "Shapley turns to 0.15, 0.15 and 0.4", "lowers the net value by 0.1")


def test_a_team_that_no_single_change_improves_need_not_be_the_best() -> None:
    """Two who achieve something only together: of nobody, neither joins alone."""
    value: Mapping[int, Fraction] = {0: Fraction(0), 1: Fraction(0), 2: Fraction(1)}
    assert value[1] - COST < value[0] < value[2] - 2 * COST


# ------------------------------------------------------------------ reach, and trust that a check restores


Links = list[tuple[str, str]]


def links(text: str) -> Links:
    """Edges written as "ab bc"."""
    return [(pair[0], pair[1]) for pair in text.split()]


def trace(events: Iterable[tuple[str, str, str]], edges: Links, marked: str) -> Trace:
    """Events as (id, agent, type) in order of time, one of them marked as unsafe."""
    made = [
        {"id": id, "t": number, "type": type, "agent": agent} for number, (id, agent, type) in enumerate(events)
    ]  # fmt: skip
    joined = [{"src": a, "dst": b, "type": "causal"} for a, b in edges]
    return Trace.of({
        "trace_id": "r", "task_id": "t", "rewards": {}, "costs": {"tokens": 0, "wall_clock_s": len(made)},
        "events": made, "edges": joined, "labels": [{"event": marked, "label": "unsafe_content"}],
    })  # fmt: skip


def below(edges: Links, start: str) -> set[str]:
    found, new = {start}, {start}
    while new:
        new = {b for a, b in edges if a in new} - found
        found |= new
    return found


FORUM = [
    ("a", "S1", "tool_result"), ("b", "S2", "tool_result"), ("c", "S3", "tool_result"), ("d", "S1", "return"),
    ("e", "S2", "return"), ("f", "S3", "return"), ("g", "O", "aggregate"), ("h", "O", "message"),
    ("i", "S3", "tool_call"),
]  # fmt: skip
RESTS = links("ad be cf dg eg fg gh hi")
LATER = links("ad be cf fi gh")
"""Successive acts of one agent."""

DATE = [("s", "O", "orchestrator_decision"), ("x", "B", "tool_result"), ("c", "C", "return"), ("m", "B", "message"),
        ("a", "A", "return"), ("r", "B", "return"), ("o", "O", "aggregate")]  # fmt: skip
MISREAD = links("sx xm ma xr ao ro co")


@pytest.mark.parametrize(
    ("events", "edges", "marked", "page", "text"),
    [
        (DATE, MISREAD, "x", "evaluation", "$R = 3/4$"),
        (FORUM, RESTS, "b", "safety", "$R(b) = 3/4$"),
        (FORUM, RESTS, "a", "safety", "$R(a) = 3/4$"),
        (FORUM, RESTS + LATER, "b", "safety", "$R(b) = 3/4$"),
    ],
    ids=["a misread date", "a forum page", "a shop's page", "with temporal edges"],
)
def test_both_chapters_have_one_reach_which_is_that_of_the_toolkit(
    events: list[tuple[str, str, str]], edges: Links, marked: str, page: str, text: str
) -> None:
    agents = {agent for _, agent, _ in events}
    reached = {agent for id, agent, _ in events if id in below(edges, marked)}
    assert (len(reached), len(agents)) == (3, 4)
    found = measure(trace(events, edges, marked), ["unsafe_reach"])["unsafe_reach"]
    assert found.value == 3 / 4
    assert says(page, text)


def trusted(checked: set[str]) -> set[str]:
    """The rule of the chapter on safety, event by event, with the three pages from outside."""
    found: set[str] = set()
    for id, _, _ in FORUM:
        if id in checked or (id not in "abc" and all(a in found for a, b in RESTS if b == id)):
            found.add(id)
    return found


def test_a_check_restores_trust_where_all_that_an_event_rests_on_has_passed_it() -> None:
    assert trusted(set()) == set()
    assert trusted({"g"}) == {"g", "h", "i"}
    assert trusted({"e"}) == {"e"}
    assert trusted({"d", "e", "f"}) == {"d", "e", "f", "g", "h", "i"}
    assert says(
        "safety", "A check at the aggregate g restores trust in h and i; a check of the return e alone does not"
    )


# ------------------------------------------------------------------ an amplification that cannot be one


def test_a_ratio_of_failure_rates_has_a_limit_that_the_printed_factors_exceed() -> None:
    """Success by table 5 of version 2 of arXiv:2512.08296: one agent, independent agents, a centralized team."""
    alone, independent, centralized = 0.466, 0.370, 0.463
    assert f"{(1 - independent) / (1 - alone):.2f}" == "1.18"
    assert f"{(1 - centralized) / (1 - alone):.2f}" == "1.01"
    assert f"{1 / (1 - alone):.2f}" == "1.87"
    assert says("evaluation", "$0.630 / 0.534 = 1.18$", "$1 / 0.534 = 1.87$", "gives 1.01")


# ------------------------------------------------------------------ one search in six shapes

SLICES = {"S1": 18, "S2": 14, "S3": 44}
SPLIT, MERGE = 2, 8
Steps = Mapping[str, tuple[str, int, tuple[str, ...]]]
"""Activities by name: who, seconds, and what they wait for."""


def star(slices: Mapping[str, int]) -> Steps:
    searches = {f"search {one}": (one, seconds, ("split",)) for one, seconds in slices.items()}
    return {"split": ("O", SPLIT, ()), **searches, "merge": ("O", MERGE, tuple(searches))}


def loop() -> Steps:
    whole = sum(SLICES.values())
    return {"split": ("O", SPLIT, ()), "work": ("executor", whole, ("split",)), "check": ("critic", 5, ("work",)),
            "merge": ("O", MERGE, ("check",))}  # fmt: skip


def debate() -> Steps:
    whole, names = sum(SLICES.values()), list(SLICES)
    searches = {f"search {one}": (one, whole, ("split",)) for one in names}
    readings = {f"read {one}": (one, 10, tuple(searches)) for one in names}
    return {"split": ("O", SPLIT, ()), **searches, **readings, "merge": ("O", MERGE, tuple(readings))}


def tree() -> Steps:
    """The lead's ten seconds, half before its searchers and half after them."""
    return {
        "split": ("O", SPLIT, ()), "lead": ("lead", 5, ("split",)), "search S3": ("S3", SLICES["S3"], ("split",)),
        "search S1": ("S1", SLICES["S1"], ("lead",)), "search S2": ("S2", SLICES["S2"], ("lead",)),
        "join": ("lead", 5, ("search S1", "search S2")), "merge": ("O", MERGE, ("join", "search S3")),
    }  # fmt: skip


def length(steps: Steps) -> int:
    ends: dict[str, int] = {}
    for name, (_, seconds, causes) in steps.items():
        ends[name] = seconds + max((ends[cause] for cause in causes), default=0)
    return max(ends.values())


def figures(steps: Steps) -> tuple[int, int, int]:
    """Work, critical path, and edges from one agent to another."""
    work = sum(seconds for _, seconds, _ in steps.values())
    links = chain.from_iterable(((steps[cause][0], who) for cause in causes) for who, _, causes in steps.values())
    return work, length(steps), sum(a != b for a, b in links)


@pytest.mark.parametrize(
    ("shape", "steps", "expected"),
    [
        ("centralized", star(SLICES), (86, 54, 6)),
        ("planner, executor, critic", loop(), (91, 91, 3)),
        ("debate", debate(), (268, 96, 12)),
        ("swarm", star(SLICES), (86, 54, 6)),
        ("hierarchical", tree(), (96, 54, 8)),
    ],
)
def test_the_same_slices_in_each_shape(shape: str, steps: Steps, expected: tuple[int, int, int]) -> None:
    assert figures(steps) == expected
    row = next(
        line for line in chapter("team-shapes").splitlines() if line.startswith(f"| {shape} |") and "10 +" in line
    )
    _, _, _, work, path, links, _ = (cell.strip() for cell in row.split("|"))
    assert (work.split("= ")[1], path.split("= ")[1], links) == tuple(map(str, (f"{expected[0]} s", f"{expected[1]} s", expected[2])))  # fmt: skip


def test_halving_the_slow_slice_and_not_the_shape_shortens_the_run() -> None:
    halved = {"S1": 18, "S2": 14, "S3": 22, "S4": 22}
    assert length(star(halved)) == 32
    assert length(star(SLICES)) == length(tree()) == 54
    assert says("team-shapes", "star and swarm alike need 10 + 22 = 32 s")
