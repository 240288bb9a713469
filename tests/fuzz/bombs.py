"""Oversized inputs and decompression bombs, processed within limits of time and memory.

``python -m tests.fuzz.bombs`` prints the outcome of each as JSON.
"""

from __future__ import annotations

import gzip
import io
import json
import resource
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random

from survey.traces.files import LARGE
from tests.fuzz.campaign import outcome
from tests.fuzz.memory import bounded_memory
from tests.fuzz.targets import TARGETS, Files

if sys.version_info >= (3, 14):
    import zipfile

    from compression import zstd
else:
    from backports import zstd
    from backports.zstd import zipfile

MEGABYTES = 700
"""The memory that the process may allocate in addition to that at its start."""

BIG = 1 << 30
HEAD = b'{"trace_id": "t", "task_id": "t", "rewards": {}, "costs": {"tokens": 0, "wall_clock_s": 0}, '
EVENT = '{"id": "e%d", "t": %d, "type": "model_call", "agent": "a%d"}'
FIELDS = b"author = {A, B}, title = {T}, year = {2026}, url = {https://example.org/a}"


def _gzip(byte: bytes, start: bytes = b"") -> bytes:
    """Compress a gigabyte of one byte into a megabyte of concatenated members."""
    return gzip.compress(start) + gzip.compress(byte * (BIG >> 6)) * 64


def _zstd(byte: bytes, start: bytes = b"") -> bytes:
    return zstd.compress(start) + zstd.compress(byte * (BIG >> 2)) * 4


def _archive(packing: int, members: Mapping[str, bytes]) -> bytes:
    """Return an archive of an evaluation with these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packing) as archive:
        archive.writestr("header.json", '{"eval": {"task": "t", "run_id": "r"}}')
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def _sample(event: bytes, size: int) -> bytes:
    return b'{"id": "a", "events": [' + b",".join([event] * (size // (len(event) + 1))) + b"]}"


def _samples(packing: int, event: bytes, size: int, number: int, noise: int = 0) -> bytes:
    """Return an archive of samples of ``size`` bytes of one event, and of bytes that do not shrink."""
    sample = _sample(event, size)
    members = {f"samples/{place}_epoch_1.json": sample for place in range(number)}
    return _archive(packing, members | ({"noise": Random(1).randbytes(noise)} if noise else {}))


def _pieces(packing: int, number: int) -> bytes:
    """Return an archive of one sample in pieces, each of a size that is allowed."""
    piece = b"[" + b"{}," * 5_000_000 + b"{}]"
    pieces = {f"samples/a_epoch_1/events/{place}.json": piece for place in range(number)}
    return _archive(packing, {"samples/a_epoch_1/sample.json": b'{"id": "a"}', **pieces})


def _overlapping(number: int) -> bytes:
    """Return an archive of many entries that all point at the same bytes."""
    whole = _archive(zipfile.ZIP_DEFLATED, {"samples/0000_epoch_1.json": _sample(b"{}", LARGE - 100)})
    start, end = whole.rindex(b"PK\x01\x02"), whole.index(b"PK\x05\x06")
    entries = b"".join(whole[start:end].replace(b"/0000_", b"/%04d_" % place) for place in range(number))
    count, size = number.to_bytes(2, "little"), len(entries).to_bytes(4, "little")
    place = start.to_bytes(4, "little")
    return whole[:start] + entries + whole[end : end + 8] + count * 2 + size + place + b"\0\0"


def _frame(window: int) -> bytes:
    """Return a frame of Zstandard with a window of 2 to this power, of a gigabyte in blocks of one repeated byte."""
    block = (1 << 1 | 1 << 17 << 3).to_bytes(3, "little") + b" "
    return b"\x28\xb5\x2f\xfd\0" + bytes([window - 10 << 3]) + block * (BIG >> 17)


def _zip(packing: int, size: int) -> bytes:
    """Return an archive with a sample of ``size`` bytes of brackets, packed as fast as may be."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packing, compresslevel=1) as archive:
        archive.writestr("header.json", '{"eval": {"task": "t", "run_id": "r"}}')
        archive.writestr("samples/a_epoch_1.json", b'{"id": "a", "events": []}')
        with archive.open("samples/b_epoch_1.json", "w", force_zip64=True) as sample:
            for _ in range(size // (3 << 20)):
                sample.write(b"[]," * (1 << 20))
    return buffer.getvalue()


def _trace(events: list[str], edges: list[str]) -> bytes:
    return HEAD + f'"events": [{",".join(events)}], "edges": [{",".join(edges)}]}}'.encode()


def _chain(number: int) -> bytes:
    """Return a trace in which each event leads to the next, with the edges in reverse order."""
    edges = [f'{{"src": "e{n}", "dst": "e{n + 1}", "type": "causal"}}' for n in reversed(range(number - 1))]
    return _trace([EVENT % (n, n, n % 7) for n in range(number)], edges)


def _nested(number: int) -> bytes:
    """Return a trace in which each agent spawns the next."""
    spawns = [f'{{"id": "e{n}", "t": {n}, "type": "spawn", "agent": "a{n}", "to": "a{n + 1}"}}' for n in range(number)]
    return _trace(spawns, [])


def _text_of(size: int) -> bytes:
    return _trace([EVENT[:-1] % (1, 1, 1) + f', "content": "{"x" * size}"}}'], [])


def _laughs(inner: bytes, end: bytes) -> bytes:
    """Return settings with lists of aliases of lists of aliases."""
    lists = [
        b"  - &a0 " + (inner or b"[x]"),
        *(b"  - &a%d [" % n + b"*a%d, " % (n - 1) * 8 + b"]" for n in range(1, 40)),
    ]
    return b"site_name: T\nextra:\n" + b"\n".join(lists) + b"\n" + end


DEEP = b"[" * 10**6
DIGITS = b"9" * 10**6

TRACES: Mapping[str, Callable[[], bytes]] = {
    "a gigabyte of blanks in gzip": lambda: _gzip(b" "),
    "a gigabyte of brackets in gzip": lambda: _gzip(b"["),
    "a gigabyte of one text in gzip": lambda: _gzip(b"x", HEAD + b'"system": "'),
    "a gigabyte of line ends in Zstandard": lambda: _zstd(b"\n"),
    "a gigabyte of one text in Zstandard": lambda: _zstd(b"x", HEAD + b'"system": "'),
    "a million brackets": lambda: DEEP,
    "a million brackets in a list of events": lambda: HEAD + b'"events": [' + DEEP,
    "objects in objects": lambda: b'{"a":' * 10**5 + b"1" + b"}" * 10**5,
    "a number of a million digits": lambda: HEAD + b'"system": ' + DIGITS + b', "events": [], "edges": []}',
    "a time of a million digits": lambda: _trace([f'{{"id": "e", "t": {"9" * 10**6}}}'], []),
    "a text of ten megabytes": lambda: _text_of(10**7),
    "a million empty lines": lambda: b"\n" * 10**6,
    "three thousand lines that are cut off": lambda: b'{"trace_id": "x\n' * 3_000,
    "two thousand lists that are not closed": lambda: b'{"events": [{"id": "a"}, {"id": "b\n' * 2_000,
    "a broken line before two hundred whole ones": lambda: b'{"events": [{"id" 1}\n' + (_chain(20) + b"\n") * 200,
    "a chain of ten thousand edges": lambda: _chain(10_000),
    "five thousand agents that make each other": lambda: _nested(5_000),
    "ten thousand events of one name": lambda: _trace([EVENT % (1, 1, 1)] * 10_000, []),
}

LOGS: Mapping[str, Callable[[], bytes]] = {
    name: TRACES[name]
    for name in (
        "a gigabyte of one text in gzip",
        "a gigabyte of line ends in Zstandard",
        "a million brackets",
        "objects in objects",
        "a number of a million digits",
        "a million empty lines",
    )
} | {
    "fifty thousand empty objects": lambda: b"{}\n" * 50_000,
    "records that all follow each other": lambda: b"".join(
        b'{"type": "user", "sessionId": "s", "uuid": "%d", "parentUuid": "%d", "isSidechain": true, '
        b'"timestamp": "2026-03-08T09:30:00Z", "message": {"role": "user", "content": "x"}}\n' % (n, n - 1)
        for n in range(3_000)
    ),
}

POOLS: Mapping[str, Callable[[], bytes]] = {
    "a hundred thousand open braces": lambda: b"@misc{a, title = " + b"{" * 10**5,
    "fifty thousand closed pairs of braces in one another": lambda: b"@misc{a, title = " + b"{" * 50_000 + b"}" * 50_000 + b"}",
    "three thousand entries that are not closed": lambda: b"@misc{a, title = {x\n" * 3_000,
    "three hundred entries of one key": lambda: b"@misc{a, " + FIELDS + b"}\n" + (b"@misc{a, " + FIELDS + b"}\n") * 300,
    "ten thousand signs of an entry": lambda: b"@" * 10_000,
    "five thousand strings": lambda: b'@string{a = "b"}\n' * 5_000,
    "half a megabyte of one title": lambda: b"@misc{a, title = {" + b"x" * 500_000 + b"}}",
    "twenty thousand authors": lambda: b"@misc{a, author = {" + b"A, B and " * 20_000 + b"C, D}}",
    "ten thousand accents on one letter": lambda: b"@misc{a, title = {" + b"\\'" * 10_000 + b"e}}",
    "a thousand commands in one another": lambda: b"@misc{a, title = {" + b"\\emph{" * 1_000 + b"x" + b"}" * 1_001 + b"}",
    "a hundred thousand blank lines": lambda: b"\n" * 10**5 + b"@misc{a, " + FIELDS + b"}",
    "a file above its limit": lambda: b"%\n" * 10**6,
}  # fmt: skip

TABLES: Mapping[str, Callable[[], bytes]] = {
    "a hundred thousand lists in one another": lambda: b"x = " + b"[" * 10**5 + b"]" * 10**5,
    "two thousand tables in one another": lambda: b"[" + b"a." * 2_000 + b"a]\n",
    "a name of two thousand parts": lambda: b"a." * 2_000 + b"a = 1\n",
    "a number of a million hexadecimal digits": lambda: b"[survey]\ntitle = 0x" + b"f" * 10**6,
    "a number of a million digits": lambda: b"[survey]\ntitle = " + DIGITS,
    "a million bytes of one text": lambda: b'[survey]\ntitle = "' + b"x" * 10**6 + b'"',
    "five thousand tables that nobody knows": lambda: b"".join(b"[x%d]\n" % n for n in range(5_000)),
    "a file above its limit": lambda: b"#\n" * 10**6 + b"x = 1\n",
}

CODINGS: Mapping[str, Callable[[], bytes]] = {
    "a cell of ten megabytes": lambda: b'key,axis,value\n"' + b"x" * 10**7 + b'",reward,shared\n',
    "a quote that is not closed": lambda: b'key,axis,value\n"' + b"a,b,c\n" * 10**5,
    "two thousand rows of entries that nobody knows": lambda: b"key,axis,value\n" + b"nobody,reward,shared\n" * 2_000,
}

NOTEBOOKS: Mapping[str, Callable[[], bytes]] = {
    "a million brackets": lambda: DEEP,
    "a cell of two megabytes": lambda: json.dumps(
        {"cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": "x" * 2_000_000}], "metadata": {},
         "nbformat": 4, "nbformat_minor": 5}
    ).encode(),
}  # fmt: skip

ARCHIVES: Mapping[str, Callable[[], bytes]] = {
    "a sample of a hundred megabytes, deflated": partial(_zip, zipfile.ZIP_DEFLATED, 10**8),
    "a sample of a gigabyte, in Zstandard": partial(_zip, zipfile.ZIP_ZSTANDARD, BIG),
    "a sample of thirty megabytes, in bzip2": partial(_zip, zipfile.ZIP_BZIP2, 3 * 10**7),
    "two pieces of five million events": partial(_pieces, zipfile.ZIP_DEFLATED, 2),
    "forty pieces of five million events, in Zstandard": partial(_pieces, zipfile.ZIP_ZSTANDARD, 40),
    "forty samples of five million events": partial(_samples, zipfile.ZIP_DEFLATED, b"{}", LARGE - 100, 40),
    "a million calls of a model": partial(_samples, zipfile.ZIP_DEFLATED, b'{"event":"model"}', LARGE - 100, 1),
    "as many calls of a model as are allowed": partial(_samples, zipfile.ZIP_DEFLATED, b'{"event":"model"}', 1_799_900, 1),
    "as many values as are allowed in a megabyte": partial(
        _samples, zipfile.ZIP_ZSTANDARD, b'{"":{"":{"":0}}}', 10_000_000, 1, 900_000),
    "a thousand entries that share their bytes": partial(_overlapping, 1_000),
}  # fmt: skip

PACKED_VALUES: Mapping[str, Callable[[], bytes]] = {
    "five million empty objects in gzip": lambda: gzip.compress(b"[" + b"{}," * 5_000_000 + b"{}]"),
    "five million empty lists in Zstandard": lambda: zstd.compress(b"[" + b"[]," * 5_000_000 + b"[]]"),
    "gzip in gzip": lambda: gzip.compress(_gzip(b" ")),
    "a window of 128 megabytes in Zstandard": partial(_frame, 27),
    "a window of two gigabytes in Zstandard": partial(_frame, 31),
}

PACKED_LINES: Mapping[str, Callable[[], bytes]] = {
    **PACKED_VALUES,
    "a million short lines in gzip": lambda: gzip.compress(b'{"type":"user"}\n' * 1_000_000),
}

ALIASES: Mapping[str, Callable[[], bytes]] = {
    name: partial(_laughs, start, end)
    for name, (start, end) in {
        "aliases of aliases in the navigation": (b"", b"nav: *a39\n"),
        "aliases of aliases as a theme": (b"", b"theme: *a39\n"),
        "aliases of aliases merged": (b"{x: 1}", b"<<: *a39\n"),
        "a list in itself": (b"", b"nav: &a [*a]\n"),
    }.items()
}

BOMBS: Mapping[str, tuple[Mapping[str, Callable[[], bytes]], str]] = {
    "traces in lines": ({**TRACES, **PACKED_VALUES}, "runs.jsonl"),
    "claude-code": ({**LOGS, **PACKED_LINES}, "log.jsonl"),
    "any log": ({**LOGS, **PACKED_LINES}, "log.jsonl"),
    "codex": (PACKED_LINES, "log.jsonl"),
    "inspect": (PACKED_LINES, "log.json"),
    "inspect archive": (ARCHIVES, "log.eval"),
    "pages of a site": (ALIASES, "mkdocs.yml"),
    "pool.bib": (POOLS, "pool.bib"),
    "taxonomy.toml": (TABLES, "taxonomy.toml"),
    "claims.toml": (TABLES, "claims.toml"),
    "first.csv": (CODINGS, "codings/first.csv"),
    "keys.txt": ({"twenty thousand keys that are gone": lambda: b"gone\n" * 20_000}, "editions/keys.txt"),
    "notebook": (NOTEBOOKS, "one.ipynb"),
    "page of a notebook": ({"ten thousand elements in one another": lambda: b"<div>" * 10_000}, "page.html"),
    "command line": (
        {
            "an argument of a hundred thousand signs": lambda: json.dumps(["list", "--where", "reward=" + "x" * 10**5]).encode(),
            "five hundred filters": lambda: json.dumps(["list"] + ["--where", "reward=nobody"] * 500).encode(),
        },
        "arguments",
    ),
}  # fmt: skip
"""For each target, its inputs and the name of the file."""


def main() -> None:
    """Run every input on its target."""
    bounded_memory(MEGABYTES)
    for target, (bombs, file) in BOMBS.items():
        with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
            TARGETS[target].prepare(Path(place))
            for name, made in bombs.items():
                seed = TARGETS[target].seeds()[0]
                files: Files = {**(seed if len(seed) > 1 and file in seed else {}), file: made()}
                kind, words = outcome(TARGETS[target], files, Path(place))
                print(json.dumps([target, name, kind, words]), flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"peak memory: {peak} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
