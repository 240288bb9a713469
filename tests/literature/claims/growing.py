"""The real pool with added entries."""

from __future__ import annotations

import re
from pathlib import Path

from survey.literature import Pool, load


def with_entry(bib: Path, model: str, key: str, added: str, appeared: str = "", **tags: str) -> Pool:
    """Return the pool with an added entry: a copy of another with a new key and other tags.

    Tags are those that the pool writes: of the parts, where an axis follows from parts.
    """
    text = (bib / "pool.bib").read_text()
    block = re.search(rf"(?ms)^@\w+\{{{re.escape(model)},.*?^\}}", text)
    assert block
    new = block[0].replace(f"{{{model},", f"{{{key},", 1)
    new = re.sub(
        r"(?m)^\s*(eprint|archiveprefix|primaryclass|version|doi|url|tag-verified|why-verified)\s*=.*\n", "", new
    )
    new = re.sub(r"(title\s*=\s*)\{.*\},", rf"\1{{A title of its own {key}}},", new, count=1)
    new = re.sub(r"(added\s*=\s*)\{[^}]*\}", rf"\1{{{added}}}", new)
    if appeared:
        new = re.sub(r"(?m)^\s*submitted\s*=.*\n", "", new)
        new = re.sub(r"(announced\s*=\s*)\{[^}]*\}", rf"\1{{{appeared}}}", new)
    new = new.replace(
        "\n",
        "\n  url = {https://example.org/},\n  tag-verified = {partial},\n  why-verified = {Made for a test.},\n",
        1,
    )
    for axis, value in tags.items():
        new, found = re.subn(rf"(tag-{axis.replace('_', '-')}\s*=\s*)\{{[^}}]*\}}", rf"\1{{{value}}}", new)
        assert found == 1, axis
    (bib / "pool.bib").write_text(f"{text}\n{new}\n")
    return load(bib)
