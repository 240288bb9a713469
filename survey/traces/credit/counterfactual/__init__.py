"""Counterfactual credit: comparison with a unit left out, or with another act in its place.

``recorded`` reads runs that were played already; ``reruns`` asks an environment to play on (``Rerun``).
"""

from survey.traces.credit.counterfactual.recorded import (
    alternatives,
    branches,
    coma,
    counterfactual,
    departure,
    leave_one_out,
)
from survey.traces.credit.counterfactual.reruns import (
    Budget,
    Play,
    Policies,
    Rerun,
    against_policy,
    differences,
    shapley_shares,
)

__all__ = [
    "Budget", "Play", "Policies", "Rerun", "against_policy", "alternatives", "branches", "coma", "counterfactual",
    "departure", "differences", "leave_one_out", "shapley_shares",
]  # fmt: skip
