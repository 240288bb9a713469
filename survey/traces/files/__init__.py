"""Trace files: streaming reader, decoding, compression, writing and anonymisation."""

from survey.traces.files.anonymising import KEEPABLE, anonymised
from survey.traces.files.compression import GZIP, ZSTD, DecompressionError, SizeLimited, decompressed
from survey.traces.files.reading import Reading, read, readings, readings_of
from survey.traces.files.writing import to_json_line, write, write_compressed

__all__ = [
    "GZIP", "KEEPABLE", "ZSTD", "DecompressionError", "Reading", "SizeLimited", "anonymised", "decompressed", "read",
    "readings", "readings_of", "to_json_line", "write", "write_compressed",
]  # fmt: skip
