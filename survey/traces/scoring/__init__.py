"""A corpus of traces, scored: one row for each document, by many workers, once and only once.

``sources`` finds the files of a pattern, ``pieces`` cuts them into what one worker takes at a time,
an engine (``processes`` or ``dask``) has them scored, and ``score`` keeps what came back in a ``Journal``
and gives the rows in the order of the documents. A worker that dies costs the work it had in hand;
a run that dies goes on from its journal.

    >>> from importlib.resources import files
    >>> from survey.traces.files.reading import readings_of
    >>> [reading] = readings_of(str(files("survey.traces.model").joinpath("example.json")))
    >>> row = row_of(reading, Asked(measures=("steps", "cost_usd"), families=("R1", "R2")))
    >>> row["trace_id"], row["measures"], row["rewards"]["R1"][0]["reward"]
    ('example', {'steps': 9}, 1.0)
    >>> row["why_not"]["cost_usd"]
    'no event says what it cost'

Nothing here loads dask or fsspec until a cluster or an address is asked for.
"""

from survey.traces.scoring.corpus import NoCorpus, Source, sources
from survey.traces.scoring.forms import FORMS
from survey.traces.scoring.journal import Journal, OtherJournal
from survey.traces.scoring.pieces import Piece, pieces, readings_in
from survey.traces.scoring.processes import Deaths, processes
from survey.traces.scoring.rows import Asked, row_of
from survey.traces.scoring.run import Engine, score
from survey.traces.scoring.work import Done, scored

__all__ = [
    "FORMS",
    "Asked",
    "Deaths",
    "Done",
    "Engine",
    "Journal",
    "NoCorpus",
    "OtherJournal",
    "Piece",
    "Source",
    "pieces",
    "processes",
    "readings_in",
    "row_of",
    "score",
    "scored",
    "sources",
]
