"""The scout: new works from public services and files, ranked by what was kept, to be decided on one by one.

``sources`` ask and yield ``Candidate``s; ``merged`` joins those that are one work; ``ranked`` orders what is new;
``evaluate`` says how well that order finds works; ``filled_entry`` starts an entry; ``look_up`` gives the facts of the
work that a ``reference`` names; ``changes`` compares entries with their metadata of today. Whoever keeps the survey
current or adds a work asks here; nothing that is counted does.
"""

from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate, merged, read_candidates, write_candidates
from survey.literature.scout.evaluating import evaluate
from survey.literature.scout.keeping import bibliographic_fields, filled_entry, new_key
from survey.literature.scout.logging import append_run, write_evaluation
from survey.literature.scout.looking_up import LookedUp, look_up
from survey.literature.scout.queueing import Queued, ranked, resembling, unknown_to, waiting_row, write_screened
from survey.literature.scout.references import Reference, reference
from survey.literature.scout.refreshing import Change, changes, patch

__all__ = [
    "Candidate", "Change", "Client", "LookedUp", "OutOfReach", "Queued", "Reference", "append_run",
    "bibliographic_fields", "changes", "evaluate", "filled_entry", "look_up", "merged", "new_key", "patch", "ranked",
    "read_candidates", "reference", "resembling", "unknown_to", "waiting_row", "write_candidates", "write_evaluation",
    "write_screened",
]  # fmt: skip
