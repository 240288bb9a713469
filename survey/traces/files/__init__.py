"""Trace files: streaming reader, decoding, compression, writing and anonymisation."""

from survey.traces.files.anonymising import KEEPABLE, anonymised
from survey.traces.files.compression import (
    GZIP,
    LARGE,
    RATIO,
    ZSTD,
    Budget,
    DecompressionError,
    SizeLimited,
    Use,
    decompressed,
)
from survey.traces.files.reading import Reading, read, readings, readings_of
from survey.traces.files.writing import to_json_line, write, write_compressed

__all__ = [
    "GZIP", "KEEPABLE", "LARGE", "RATIO", "ZSTD", "Budget", "DecompressionError", "Reading", "SizeLimited", "Use",
    "anonymised", "decompressed", "read", "readings", "readings_of", "to_json_line", "write", "write_compressed",
]  # fmt: skip
