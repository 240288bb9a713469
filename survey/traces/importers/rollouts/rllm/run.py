"""One episode as a trace: what each of its agents read, wrote and called."""

from __future__ import annotations

from collections.abc import Mapping

from survey.traces.importers.json_values import Fields, instance, mapping, number, text
from survey.traces.importers.rollouts.rllm.steps import (
    ENVIRONMENT,
    Timing,
    Trajectory,
    answer,
    calls,
    news,
    objects,
    per_token,
    prompt,
    timing,
    trajectories,
    usage,
    words,
)
from survey.traces.model import NO_TOKENS, OUTSIDE, Builder, Content, Trace

STATUSES: Mapping[object, str] = {"env_done": "ok", "timeout": "timeout", "error": "error"}
QUOTED = 16
"""Characters of a text that is taken for a message if the prompt of a later agent quotes it: shorter ones recur."""
MOST = 64
"""Agents of an episode among which quotes are looked for."""


class Run:
    """A builder of an episode."""

    def __init__(self, episode: Fields, name: str, content: Content) -> None:
        self._episode = episode
        self._found = trajectories(episode)
        steps = [step for trajectory in self._found for step in trajectory.steps]
        stamped = [step for step in steps if timing(step)]
        self._timed = len(self._found) == 1 and len(stamped) == len(steps)
        id = text(episode.get("id")) or text(episode.get("episode_id")) or name
        task, _, rollout = id.partition(":")
        task = task if rollout else text(episode.get("task_hash")) or id
        self.builder = Builder(
            id,
            task or id,
            importer="rllm",
            system="rllm",
            time="seconds" if self._timed else "ordinal",
            content=content,
        )
        self.builder.lost("times of steps, which several agents share", 0 if self._timed else len(stamped))
        self._head(task, rollout.partition(":")[0])
        self._rewards: dict[str, float] = {}
        self._said: dict[str, set[str]] = {}
        self._clock: float | None = None
        self._observed: str | None = None
        """The answer of the environment whose text the next step tells."""

    @property
    def agents(self) -> list[str]:
        """The agent of each trajectory that has steps; each of its steps becomes a model call of that agent."""
        return [agent for agent, _ in self._named()]

    def trace(self) -> Trace:
        """Return the trace of the episode."""
        for agent, trajectory in self._named():
            self.builder.agent(agent, name=trajectory.name)
            self._agent(agent, trajectory)
            self._reward(agent, number(trajectory.fields.get("reward")))
            for name, value in mapping(trajectory.fields.get("signals")).items():
                self._reward(f"{agent}/{name}", number(value))
        correct = self._episode.get("is_correct")
        self._reward("correct", float(correct) if isinstance(correct, bool) else None)
        self.builder.head["rewards"] = self._rewards
        self.builder.lost("outputs of the whole run", len(mapping(self._episode.get("artifacts"))))
        return self.builder.build()

    def _named(self) -> list[tuple[str, Trajectory]]:
        """Name the agent of each trajectory; those of one name are different agents."""
        taken, named = set(OUTSIDE), []
        for trajectory in self._found:
            name = instance(trajectory.name) or "agent"
            agent, place = name, 2
            while agent in taken:
                agent, place = f"{name}#{place}", place + 1
            taken.add(agent)
            named.append((agent, trajectory))
        return named

    def _head(self, task: str, rollout: str) -> None:
        """Write what is known of the whole episode."""
        head, episode = self.builder.head, self._episode
        correct, status = episode.get("is_correct"), STATUSES.get(text(episode.get("termination_reason")))
        outcome = {"success": correct if isinstance(correct, bool) else None, "status": status}
        head["outcome"] = {key: value for key, value in outcome.items() if value is not None} or None
        figures = {**mapping(episode.get("metrics")), **{key: episode.get(key) for key in ("training_step", "epoch")}}
        plain = {key: float(value) if isinstance(value, bool) else number(value) for key, value in figures.items()}
        head["metrics"] = {key: value for key, value in plain.items() if value is not None} or None
        if rollout.isascii() and rollout.isdigit() and len(rollout) < 10:
            step = number(episode.get("training_step"))
            group = task if step is None else f"step-{step:g}/{task}"
            head["group"] = {"id": group or "?", "rollout": int(rollout)}

    def _agent(self, agent: str, trajectory: Trajectory) -> None:
        """Write the steps of an agent. Its tools and its environment answer in the prompt of the next step."""
        turn: str | None = None
        waiting: dict[str, str] = {}
        ended: float | None = None
        for step in trajectory.steps:
            spent = timing(step) if self._timed else None
            start = self._start(spent)
            came = self._came(agent, step, turn, waiting, ended if turn else start, start)
            if turn is None:
                came += self._quotes(agent, step)
            turn = self._turn(agent, step, start, spent)
            for event, type in came:
                self.builder.link(
                    event, turn, type, derived=type == "message" and self.builder[event].agent not in OUTSIDE
                )
            at = None if spent is None else self.builder[turn].end
            waiting = self._called(agent, step, turn, at)
            ended = None if at is None or spent is None else at + spent.environment
            self._observed = None if waiting or ended is None or ended == at else self._acted(agent, turn, at, ended)
            self._clock = ended
        self._said[agent] = self._sayings(trajectory)

    def _start(self, spent: Timing | None) -> float | None:
        if spent is None:
            return None
        if self._clock is not None and spent.start < self._clock - 0.01:
            self.builder.lost("steps dated before what they follow, moved to its time")
        return max(spent.start, self._clock or 0.0)

    def _came(
        self,
        agent: str,
        step: Fields,
        turn: str | None,
        waiting: dict[str, str],
        ended: float | None,
        start: float | None,
    ) -> list[tuple[str, str]]:
        """Write what a step reads for the first time: the task, then what tools and environment answer."""
        t = None if ended is None or start is None else min(ended, start)
        came = []
        messages = [message for message in news(step) if message.get("role") in ("user", "tool")]
        if turn is None:
            said = [words(message.get("content")) for message in messages if message.get("role") == "user"]
            task = said[-1] if said else text(step.get("observation"))
            came.append((self.builder.event("message", "user", t, to=agent, text=task), "message"))
            return came
        for message in messages:
            said_ = words(message.get("content"))
            if self._observed:
                self.builder.amend(self._observed, **self.builder.content.fields(said_))
                came.append((self._observed, "tool_dependency"))
                self._observed = None
                continue
            if message.get("role") == "user":
                came.append((self.builder.event("message", "environment", t, to=agent, text=said_), "message"))
                continue
            named = text(message.get("tool_call_id"))
            call = waiting.pop(named, None) if named else None
            if call is None and waiting and (named is None or all(name.startswith(" ") for name in waiting)):
                call = waiting.pop(next(iter(waiting)))  # neither names the other: in order
            if call is None:
                self.builder.lost("results without a tool call")
                continue
            result = self.builder.event("tool_result", agent, t, parent=call, text=said_)
            self.builder.link(call, result, "tool_dependency", derived=named is None)
            came.append((result, "tool_dependency"))
        return came

    def _turn(self, agent: str, step: Fields, start: float | None, spent: Timing | None) -> str:
        account = usage(step)
        self.builder.lost(NO_TOKENS, int(account is None))
        self.builder.lost("steps with numbers of single tokens", int(per_token(step)))
        self.builder.lost("thoughts of steps", int(bool(text(step.get("thought")))))
        self.builder.lost(
            "advantages of steps", int(bool(number(step.get("advantage")) or number(step.get("mc_return"))))
        )
        return self.builder.event(
            "model_call",
            agent,
            start,
            t_end=None if start is None or spent is None else start + spent.model,
            text=answer(step),
            tokens=account,
            reward=number(step.get("reward")),
        )

    def _called(self, agent: str, step: Fields, turn: str, at: float | None) -> dict[str, str]:
        """Write the tool calls of a step, and return them by their ids."""
        waiting: dict[str, str] = {}
        for call in calls(step):
            event = self.builder.event("tool_call", agent, at, tool=call.tool, parent=turn)
            self.builder.link(turn, event, "causal")
            waiting.setdefault(call.id or f" {event}", event)
        return waiting

    def _acted(self, agent: str, turn: str, at: float | None, ended: float) -> str:
        """Write a step of the environment, and return its answer."""
        call = self.builder.event("tool_call", agent, at, tool=ENVIRONMENT, parent=turn)
        result = self.builder.event("tool_result", agent, ended, parent=call)
        self.builder.link(turn, call, "causal")
        self.builder.link(call, result, "tool_dependency")
        return result

    def _sayings(self, trajectory: Trajectory) -> set[str]:
        """Return what an agent came to at last, if it is long enough and not taken from its own prompt."""
        last, read = trajectory.steps[-1], _read(trajectory.steps[-1])
        found = [(saying or "").strip() for saying in (answer(last), text(last.get("action")))]
        return {saying for saying in found if len(saying) >= QUOTED and saying not in read}

    def _quotes(self, agent: str, step: Fields) -> list[tuple[str, str]]:
        """Write a message from each earlier agent whose last words are in the first prompt of this one."""
        if len(self._found) > MOST:
            self.builder.lost("messages between more agents than were compared")
            return []
        read = _read(step)
        came = []
        for sender, sayings in self._said.items():
            if quoted := sorted(saying for saying in sayings if saying in read):
                came.append((self.builder.event("message", sender, to=agent, text=quoted[-1]), "message"))
        return came

    def _reward(self, name: str, value: float | None) -> None:
        if value is not None:
            self.builder.lost("rewards replaced by a later one of the same name", int(name in self._rewards))
            self._rewards[name] = value


def _read(step: Fields) -> str:
    """Return the whole prompt of a step."""
    return "\n".join(said for message in objects(prompt(step)) if (said := words(message.get("content"))))
