"""R6, debate and verifier: rewards for moves relative to other agents, and for the verdict of a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import partial
from math import fsum
from statistics import fmean

from survey.traces.metrics import NotMeasurable, Run
from survey.traces.model import OUTSIDE
from survey.traces.rewards.outcome import individual
from survey.traces.rewards.reward import Reward, chosen, count, formatted, formatted_scores, parts, scores


def debate(
    run: Run,
    *,
    judge: float = 1.0,
    agreement: float = 1.0,
    zero_sum: float = 1.0,
    judges: Collection[str] | None = None,
    among: Collection[str] | None = None,
    pairs: Collection[tuple[str, str]] | None = None,
) -> list[Reward]:
    """R6 in three parts, each with its weight.

    - judge: to each message ``mean_j s_j(m)``, the mean of its scores by judges j, which are the named
      rewards on its event; a plain number is the score of an unnamed judge.
    - agreement: to each debater ``#{k != i : a_k = a_i} / (n - 1)``, the share of the others with the same
      final answer. The answer is the content of the last return, or else of the last message. Answers are
      the same if their ``content_ref`` is: paraphrases are not recognised.
    - zero_sum: to each debater ``1/(n - 1) * sum over its opponents k of (s_i - s_k)``, where ``s`` is its
      own reward (R2; the mean of several rewards on events, so that talking more is not winning). For
      two it is ``r_A = s_A - s_B = -r_B``, and over all debaters it always adds up to 0.

    The first three parameters are the weights of the parts; 0 omits a part. The others:

    - ``judges``: the names of rewards given by judges; all by default.
    - ``among``: the agents that answer the same question; by default all, if the trace declares a debate.
    - ``pairs``: the pairs of opponents in zero_sum; all pairs by default.

    Needs rewards on messages for judge, two known answers for agreement, rewards of all debaters for
    zero_sum. Raises ``NotMeasurable`` if data for a part with a weight is missing. A message without a
    score, and a debater without a known answer, has no row. Disagreement of agents that answer different
    questions means nothing: without ``among`` the last two parts are for declared debates only. The forms are ours.
    """
    return parts(
        {
            "judge": (judge, partial(_judged, run, judges)),
            "agreement": (agreement, partial(_agreeing, run, among)),
            "zero_sum": (zero_sum, partial(_against_each_other, run, among, judges, pairs)),
        }
    )


def _judged(run: Run, judges: Collection[str] | None, weight: float) -> list[Reward]:
    found = []
    for place in run.places_of("message"):
        given = scores(run.events[place], judges)
        if given and run.events[place].sender not in OUTSIDE:
            why = f"judged {formatted_scores(given)}" + (
                f": on average {formatted(fmean(given.values()))}" if len(given) > 1 else ""
            )
            value = weight * fmean(given.values())
            found.append(Reward("message", run.events[place].id, value, "R6", why + weight_note(weight), "judge"))
    if not found:
        wanted = f" named {' or '.join(sorted(judges))}" if judges else ""
        raise NotMeasurable(f"needs a reward{wanted} on a message")
    return found


def _debaters(run: Run, among: Collection[str] | None) -> list[str]:
    topology = run.replayed.trace.topology
    if among is None and topology != "debate":
        raise NotMeasurable(
            "needs agents that answer the same question: "
            f"the declared topology is {topology}, not debate (or name them: among)"
        )
    found = chosen(run, among)
    if len(found) < 2:
        raise NotMeasurable(f"needs two debaters: there is {len(found)}")
    return found


def _agreeing(run: Run, among: Collection[str] | None, weight: float) -> list[Reward]:
    debaters = _debaters(run, among)
    answers = _answers(run, debaters)
    if len(answers) < 2:
        raise NotMeasurable(f"needs a content_ref on two final answers: {count(len(answers), 'debater')} has one")
    alike, others = Counter(answers.values()), len(answers) - 1
    found = []
    for agent, answer in answers.items():
        same = alike[answer] - 1
        why = f"its final answer equals that of {same} of {count(others, 'other')} with a known answer"
        found.append(Reward("agent", agent, weight * same / others, "R6", why + weight_note(weight), "agreement"))
    return found


def _answers(run: Run, debaters: Collection[str]) -> dict[str, str]:
    """Return the content of each debater's last return, or else last message, in the order of debaters."""
    last: dict[str, dict[str, str]] = {"message": {}, "return": {}}
    for place in run.places_of("message", "return"):
        event = run.events[place]
        if event.content_ref:
            last[event.type][event.sender] = event.content_ref
    known = {**last["message"], **last["return"]}
    return {agent: known[agent] for agent in debaters if agent in known}


def _against_each_other(
    run: Run,
    among: Collection[str] | None,
    judges: Collection[str] | None,
    pairs: Collection[tuple[str, str]] | None,
    weight: float,
) -> list[Reward]:
    debaters = _debaters(run, among)
    own = {one.unit: one.reward for one in individual(run, names=judges, how="mean")}
    missing = [agent for agent in debaters if agent not in own]
    if missing:
        raise NotMeasurable(
            f"needs a reward of every debater: {', '.join(missing[:5])} has none (or name the others: among)"
        )
    opponents: dict[str, set[str]] = {agent: set() for agent in debaters}
    for a, b in pairs if pairs is not None else ((a, b) for a in debaters for b in debaters if a != b):
        if a not in opponents or b not in opponents or a == b:
            raise ValueError(f"({a}, {b}) is not a pair of debaters (expected two of {', '.join(debaters)})")
        opponents[a].add(b)
        opponents[b].add(a)
    found = []
    for agent, against in opponents.items():
        if against:
            value = fsum(own[agent] - own[other] for other in against) / (len(debaters) - 1)
            shown = formatted_scores({other: own[other] for other in sorted(against)[:3]})
            why = f"its {formatted(own[agent])} against {shown}"
            why += ", ..." if len(against) > 3 else ""
            found.append(Reward("agent", agent, weight * value, "R6", why + weight_note(weight), "zero_sum"))
    return found


def weight_note(weight: float) -> str:
    """Return the suffix of an explanation that mentions a weight other than 1.

    >>> weight_note(1), weight_note(0.5)
    ('', '; weight 0.5')
    """
    return "" if weight == 1 else f"; weight {formatted(weight)}"
