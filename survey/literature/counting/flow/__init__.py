"""The flow of records into each edition, and how complete the editions are estimated to be.

``flows`` gives what PRISMA 2020 and its extension for living reviews ask for, each number from the data, and ``steps``
the same as rows;
``recalls`` the share of the works known today that an edition had; ``captures`` estimates of what no route found.
"""

from survey.literature.counting.flow.completeness import Capture, Recall, captures, recalls
from survey.literature.counting.flow.editions import Excluded, Flow, Identified, flows
from survey.literature.counting.flow.estimates import FEWEST, Estimate, chao, two_lists
from survey.literature.counting.flow.steps import Step, steps

__all__ = [
    "FEWEST", "Capture", "Estimate", "Excluded", "Flow", "Identified", "Recall", "Step", "captures", "chao", "flows",
    "recalls", "steps", "two_lists",
]  # fmt: skip
