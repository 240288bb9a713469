"""Logs of simulated stopping tasks: a writer and a reviewer work on a task of ``stopping`` in rounds.

The logs are simulated, but they are read as any other: rounds, costs and scores have to be found in the trace.

>>> from survey.traces.simulate.stopping import Stopping
>>> from survey.traces.stopping import episode
>>> found = episode(review_loop(Stopping().episode(7), rounds=4))
>>> len(found.rounds), found.rounds[0].cost.tokens, found.rewards == list(Stopping().episode(7).qualities[1:5])
(4, 1200.0, True)
"""

from __future__ import annotations

from survey.traces.model import Trace
from survey.traces.simulate.record import Record
from survey.traces.simulate.stopping import Episode

WRITING, REVIEWING = (30.0, 900), (10.0, 300)
"""Seconds and tokens of a draft and of a review: made up."""


def review_loop(task: Episode, rounds: int) -> Trace:
    """Return the log of a task that is drafted and reviewed for a number of rounds.

    The draft of a round has the same ``content_ref`` as the one before if no answer changed. Each review carries the
    quality of the draft as its reward, which the rules do not see. Raises ``ValueError`` unless the task has so many
    rounds.
    """
    if not 1 <= rounds <= task.rounds:
        raise ValueError(f"rounds: found {rounds}, expected 1 to {task.rounds}")
    log = Record()
    log.agents = [{"id": "writer", "role": "writer"}, {"id": "reviewer", "role": "reviewer"}]
    now, heard = 0.0, list[tuple[int, str]]()
    for played in range(1, rounds + 1):
        draft = f"draft:{task.observations[played][1]:.4f}:{task.qualities[played]:.4f}"
        for agent, other, (seconds, tokens) in (("writer", "reviewer", WRITING), ("reviewer", "writer", REVIEWING)):
            wrote = log.event("model_call", now, agent, heard, t_end=now + seconds, tokens=tokens)
            now += seconds
            graded = {"quality": task.qualities[played]} if agent == "reviewer" else None
            said = log.event(
                "message", now, agent, [(wrote, "causal")], to=other, content_ref=draft, reward=graded, parent=wrote
            )
            heard = [(said, "message")]
    log.event("stop", now, "writer", heard)
    head = {
        "schema_version": 1, "trace_id": f"task-{task.seed}", "task_id": f"task-{task.seed}", "system": "simulated",
        "time": "seconds", "rewards": {"quality": task.qualities[rounds]},
    }  # fmt: skip
    return log.trace(head)[0]
