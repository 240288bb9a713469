"""Traces in files: read in pieces, decoded, packed, written, anonymised."""

from survey.traces.files.anonymising import anonymised
from survey.traces.files.packing import GZIP, ZSTD, BadPacking, Measured, unpacked
from survey.traces.files.reading import Reading, read, readings, readings_of
from survey.traces.files.writing import dumped, packed_whole, write

__all__ = [
    "GZIP",
    "ZSTD",
    "BadPacking",
    "Measured",
    "Reading",
    "anonymised",
    "dumped",
    "packed_whole",
    "read",
    "readings",
    "readings_of",
    "unpacked",
    "write",
]
