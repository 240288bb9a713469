"""The team, the parts of the task, and their assignment to workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from survey.traces.simulate.chance import TURNS, poisson
from survey.traces.simulate.setting import MOST_STEPS, Setting


@dataclass(frozen=True)
class Part:
    """A part of the task. All successful workers on a part find the same things."""

    number: int
    weight: float
    """Its worth; the weights of all parts add up to 1."""
    calls: tuple[int, ...]
    """Number of tool calls in each turn."""
    copies: int
    """Number of workers initially assigned to it."""


@dataclass(eq=False)
class Agent:
    """A member of the team, with its current state."""

    id: str
    name: str
    role: str
    boss: Agent | None
    place: int = 0
    """Its index in the team of its boss."""
    skill: float = 1.0
    team: list[Agent] = field(default_factory=list)
    """The agents it delegates work to."""
    advisers: list[Agent] = field(default_factory=list)
    """The agents that answer its team's questions, if it does not do so itself."""
    backlog: deque[tuple[Part, int]] = field(default_factory=deque)
    """Parts assigned to it, each with the number of earlier attempts."""
    free: float = 0.0
    """When it is free for its next turn."""
    alive: bool = False
    busy: bool = False
    """Whether it has work whose return its boss has not read."""

    @property
    def bosses(self) -> Iterator[Agent]:
        """The agents that its result passes through, the nearest first."""
        boss = self.boss
        while boss:
            yield boss
            boss = boss.boss

    def everyone(self) -> Iterator[Agent]:
        """Iterate over this agent and all below it."""
        yield self
        for agent in [*self.advisers, *self.team]:
            yield from agent.everyone()


ROLES = {
    "centralized": ("lead", "worker"),
    "planner_executor_critic": ("planner", "executor"),
    "debate": ("judge", "debater"),
    "swarm": ("lead", "worker"),
    "hierarchical": ("lead", "worker"),
    "harness": ("harness", "worker"),
}
"""The names of the first agent and of the workers in each topology."""


def team(setting: Setting) -> Agent:
    """Return the first agent, with all agents below it."""
    first, doer = ROLES[setting.topology]
    root = Agent(first, first, first, None)
    others = setting.agents - 1
    if setting.topology == "planner_executor_critic" and others > 1:
        critics = max(1, others // 4)
        root.advisers = [Agent(f"critic-{n}", "critic", "critic", root) for n in range(1, critics + 1)]
        others -= critics
    bosses = [root]
    if setting.topology == "hierarchical" and others > 1:
        middle = min(round(others**0.5), others // 2)
        bosses = [Agent(f"manager-{n}", "manager", "manager", root) for n in range(1, middle + 1)]
        root.team.extend(bosses)
        others -= middle
    for number in range(others):
        boss = bosses[number % len(bosses)]
        boss.team.append(Agent(f"{doer}-{number + 1}", doer, doer, boss, len(boss.team)))
    return root


def assign_parts(setting: Setting, root: Agent) -> None:
    """Split the task and fill the backlog of every worker, identically for all rollouts of a setting."""
    random = Random(f"{setting.seed}/task")
    workers = [agent for agent in root.everyone() if not agent.team and agent is not root and agent.role != "critic"]
    number = len(workers) if setting.parts is None else setting.parts
    if setting.parts is None and setting.steps is not None:
        number = min(number, setting.steps)
    weights = [1 + setting.variation * (2 * random.random() - 1) for _ in range(number)]
    for worker in workers:
        worker.skill = 1 - 0.5 * setting.variation * random.random()
    room = (setting.steps or MOST_STEPS) - number
    copied = [random.random() < setting.overlap for _ in range(number)]
    pieces = 0
    copies = []
    for place, again in enumerate(copied):
        boss = workers[place % len(workers)].boss
        copies.append(2 if again and room > 0 and boss and len(boss.team) > 1 else 1)
        room -= copies[-1] - 1
        pieces += copies[-1]
    steps = setting.steps or min(MOST_STEPS, TURNS * pieces)
    done, total = 0, sum(weights)
    for place, weight in enumerate(weights):
        # the budget counts pieces of work: a part assigned to two workers uses its turns twice
        budget = steps * (done + copies[place]) // pieces - steps * done // pieces
        turns = max(1, budget // copies[place])
        done += copies[place]
        calls = (*(poisson(random, setting.tools) for _ in range(turns - 1)), 0)
        part = Part(place, weight / total, calls, copies[place])
        worker = workers[place % len(workers)]
        worker.backlog.append((part, 0))
        if copies[place] > 1:
            next_worker(worker).backlog.append((part, 0))


def next_worker(worker: Agent) -> Agent:
    """Return the next worker on the same team, or the same worker if there is no other."""
    assert worker.boss
    team = worker.boss.team
    return team[(worker.place + 1) % len(team)]


def mates(agent: Agent) -> list[Agent]:
    """Return the others on the same team, the next one first."""
    assert agent.boss
    team = agent.boss.team
    place = team.index(agent)
    return [*team[place + 1 :], *team[:place]]
