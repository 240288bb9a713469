"""The scout: new works from public services and files, ranked by what was kept, to be decided on one by one.

``sources`` ask and yield ``Candidate``s; ``merged`` joins those that are one work; ``ranked`` orders what is new;
``evaluate`` says how well that order finds works; ``filled_entry`` starts an entry; ``changes`` compares entries with
their metadata of today. Whoever keeps the survey current asks here; nothing that is counted does.
"""

from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate, merged, read_candidates, write_candidates
from survey.literature.scout.evaluating import evaluate
from survey.literature.scout.keeping import filled_entry
from survey.literature.scout.logging import append_run, write_evaluation
from survey.literature.scout.queueing import Queued, ranked, resembling, unknown_to, waiting_row, write_screened
from survey.literature.scout.refreshing import Change, changes, patch

__all__ = [
    "Candidate", "Change", "Client", "OutOfReach", "Queued", "append_run", "changes", "evaluate", "filled_entry",
    "merged", "patch", "ranked", "read_candidates", "resembling", "unknown_to", "waiting_row", "write_candidates",
    "write_evaluation", "write_screened",
]  # fmt: skip
