"""Files in scripts: how Python and the toolkit come to a page that may load nothing but scripts.

A page opened from a folder may fetch no file, and one that promises to send nothing should need no way to fetch.
So files are put into one archive, packed, written as text, and cut into scripts that each pass a piece on.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Mapping

PIECE = 1_000_000
"""Characters of a script; the page counts them to show how far it is."""


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return files as one packed archive: a line of JSON with names and sizes, then the files.

    >>> import gzip
    >>> gzip.decompress(packed({"a.txt": b"one", "b.txt": b"two"}))
    b'[["a.txt", 3], ["b.txt", 3]]\\nonetwo'
    """
    head = json.dumps([[name, len(content)] for name, content in files.items()])
    return gzip.compress(head.encode() + b"\n" + b"".join(files.values()), mtime=0)


def scripts(name: str, files: Mapping[str, bytes], about: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the scripts of an archive: one that says what there is to load, and one for each piece.

    >>> dict(scripts("toolkit", {"a.txt": b"one"}, {}))["toolkit.js"]
    '(self.surveyArchives ??= {})["toolkit"] = {"bytes": 38, "scripts": ["toolkit-1.js"]};\\n'
    """
    archive = packed(files)
    text = base64.b64encode(archive).decode()
    pieces = [text[start : start + PIECE] for start in range(0, len(text), PIECE)]
    names = [f"{name}-{number}.js" for number in range(1, len(pieces) + 1)]
    known = json.dumps({"bytes": len(archive), "scripts": names, **about})
    yield f"{name}.js", f"(self.surveyArchives ??= {{}})[{json.dumps(name)}] = {known};\n"
    for one, piece in zip(names, pieces, strict=True):
        yield one, f'(self.surveyPieces ??= {{}})[{json.dumps(one)}] = "{piece}";\n'
