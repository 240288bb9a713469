"""Scoring of a corpus of traces: exactly one row for each document, computed by many workers.

``sources`` lists the files that match a pattern, and ``pieces`` splits them into units of work. An engine
(``processes`` or ``dask``) scores the pieces; ``score`` stores the results in a ``Journal`` and yields the
rows in document order. When a worker dies, only its current task is repeated; a run that was killed
resumes from its journal.

    >>> from importlib.resources import files
    >>> from survey.traces.files.reading import readings_of
    >>> [reading] = readings_of(str(files("survey.traces.model").joinpath("example.json")))
    >>> row = row_of(reading, Request(measures=("steps", "cost_usd"), families=("R1", "R2")))
    >>> row["trace_id"], row["measures"], row["rewards"]["R1"][0]["reward"]
    ('example', {'steps': 9}, 1.0)
    >>> row["why_not"]["cost_usd"]
    'no event records its cost'

dask and fsspec are imported only when a cluster or an address is used.
"""

from survey.traces.scoring.corpus import CorpusNotFound, Source, sources
from survey.traces.scoring.formats import FORMATS
from survey.traces.scoring.journal import Journal, JournalConflict
from survey.traces.scoring.pieces import Piece, pieces, readings_in
from survey.traces.scoring.processes import FailureCounts, processes
from survey.traces.scoring.rows import Request, row_of
from survey.traces.scoring.run import Engine, score
from survey.traces.scoring.work import PieceResult, score_task

__all__ = [
    "FORMATS", "CorpusNotFound", "Engine", "FailureCounts", "Journal", "JournalConflict", "Piece", "PieceResult",
    "Request", "Source", "pieces", "processes", "readings_in", "row_of", "score", "score_task", "sources",
]  # fmt: skip
