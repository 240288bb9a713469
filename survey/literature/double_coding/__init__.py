"""Second readings: what to read next, sheets without the pool's tags, and the decision where readings differ.

``queue`` orders the tags that were read once by what a second reading could change; ``flip`` says how few second
readings turn a claim. ``work`` and ``codebook`` are what a blind reader is shown; ``begin``, ``append_judgements`` and
``adjudicate`` write what was read and decided.
"""

from survey.literature.double_coding.adjudicating import Open, adjudicate, open_disagreements
from survey.literature.double_coding.flips import Flip, every_pair, flip, smallest_change
from survey.literature.double_coding.queue import Queue, Stake, Waiting, asked_axes, queue
from survey.literature.double_coding.readings import coded_axes, readings, reliabilities
from survey.literature.double_coding.recording import (
    append_judgements,
    begin,
    complete,
    reader_problem,
    text_problem,
    with_rows,
)
from survey.literature.double_coding.retagging import retagged
from survey.literature.double_coding.sheets import CONTEXT, blank_sheet, codebook, work

__all__ = [
    "CONTEXT", "Flip", "Open", "Queue", "Stake", "Waiting", "adjudicate", "append_judgements", "asked_axes", "begin",
    "blank_sheet", "codebook", "coded_axes", "complete", "every_pair", "flip", "open_disagreements", "queue",
    "reader_problem", "readings", "reliabilities", "retagged", "smallest_change", "text_problem", "with_rows", "work",
]  # fmt: skip
