"""The ACL Anthology: its whole bibliography with abstracts, in one compressed file of BibTeX.

An entry has title, authors, abstract, booktitle or journal, year, mostly a month, and the work's address and DOI.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from io import BytesIO

from survey.literature.bibtex import parse_bibtex
from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate
from survey.literature.scout.sources.asked import Asked
from survey.literature.scout.sources.files import record, work
from survey.plurals import plural

START = re.compile(rb"@(?!string|comment|preamble)([a-z]+)\s*\{", re.IGNORECASE)
"""The start of an entry. It begins a line; an @ within a value does not."""

YEAR = re.compile(rb"^[ \t]*+year[ \t]*+=[ \t]*+[\"{]?([0-9]{4})\b", re.MULTILINE | re.IGNORECASE)
COLLECTIONS = (b"proceedings",)
"""Types of entries that are no works."""

LONGEST = 1_000_000
"""Bytes of an entry, beyond which the file is not what we take it for."""

GZIP = b"\x1f\x8b"


class AclAnthology:
    """The Anthology's bibliography, of which the entries are read one by one while it is decompressed."""

    name = "acl"

    def __init__(
        self,
        address: str = "https://aclanthology.org/anthology+abstracts.bib.gz",
        one: str = "https://aclanthology.org",
    ) -> None:
        self.address, self.one = address, one

    def facts(self, client: Client, ids: Sequence[str]) -> Iterator[Candidate]:
        """Yield the works with these ids, such as 2026.acl-long.1; nothing for one that the Anthology does not have."""
        for id in ids:
            yield from record(client, self.name, f"{self.one}/{id}.bib")

    def find(self, client: Client, asked: Asked) -> Iterator[Candidate]:
        """Yield the works of the years that are asked for. Entries have no day.

        Raises:
            OutOfReach: if the file cannot be read; and after all other works, if some entries of these years cannot.

        """
        body = client.get(self.name, self.address)
        entries, broken = 0, list[str]()
        try:
            for line, entry in _entries(body):
                entries += 1
                kind, year = START.match(entry), YEAR.search(entry)
                if kind and kind[1].lower() in COLLECTIONS:
                    continue
                if year and not asked.since.year <= int(year[1]) <= asked.until.year:
                    continue
                blocks = parse_bibtex(entry.decode("utf-8", "replace")).blocks
                if year and len(blocks) == 1 and blocks[0].text("title"):
                    yield work(blocks[0], self.name)
                else:
                    broken.append(f"line {line}")
        except (EOFError, OSError, ValueError, zlib.error) as error:
            client.forget(self.name, self.address)
            raise OutOfReach(self.name, f"gave a file that cannot be read ({error})") from None
        if not entries:
            client.forget(self.name, self.address)
            raise OutOfReach(self.name, "gave a file without an entry in BibTeX")
        if broken:
            named = ", ".join(broken[:5]) + (", ..." if len(broken) > 5 else "")
            raise OutOfReach(
                self.name, f"has {plural(len(broken), 'entry')} that cannot be read ({named}); all others were"
            )


def _entries(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each entry as written, with its line. A broken one ends where the next begins.

    Raises:
        OSError, EOFError, zlib.error: if the file is damaged.
        ValueError: at an entry that is too long.

    """
    stream = BytesIO(body)
    # a server may say that the file is a compressed text, and then it comes here as that text
    lines = gzip.GzipFile(fileobj=stream) if body.startswith(GZIP) else stream
    first, parts, size = 0, list[bytes](), 0
    number = 0
    while line := lines.readline(LONGEST):
        number += 1
        if START.match(line):
            if parts:
                yield first, b"".join(parts)
            first, parts, size = number, [], 0
        elif not first:
            continue  # what stands before the first entry
        size += len(line)
        if size > LONGEST:
            raise ValueError(f"the entry in line {first} has more than {LONGEST / 1e6:g} MB")
        parts.append(line)
    if parts:
        yield first, b"".join(parts)
