"""Small teams that learn: one task for each topology, and a policy gradient under each kind of credit.

Policies are tables, runs are arrays, and ten seeds train side by side. Every turn counts, those of
reruns included, so that finer credit has to earn its cost:

    >>> curve = train("harness", "difference", turns=200, updates=20, seeds=4)
    >>> bool(curve[:, 0].mean() < 0.4 and curve[:, -1].mean() > 0.9)
    True

Nothing here runs a language model: it shows what the gradient sees, and nothing about any real team.
"""

from survey.traces.training.credit import CREDITS, advantages
from survey.traces.training.learning import alignment, gradient, train
from survey.traces.training.tasks import TASKS, Act, Task, harness
from survey.traces.training.team import Runs, Team

__all__ = ["CREDITS", "TASKS", "Act", "Runs", "Task", "Team", "advantages", "alignment", "gradient", "harness", "train"]
