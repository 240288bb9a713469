"""The doors of the site: a chapter, and everything that its pages are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import chdir, contextmanager
from io import StringIO
from pathlib import Path, PurePath
from random import Random
from unittest.mock import patch

from click.testing import CliRunner

from survey.cli import main
from survey.literature import InvalidSurvey, load
from survey.site.charts.drawing import Pictures
from survey.site.prose.prose import LIVE, render_prose
from tests.fuzz.doors.door import SEEDS, Door, Files, Lost, Received, emptied, files_below, laid_out
from tests.fuzz.doors.literature import whole_pool
from tests.fuzz.mutate import mutated

CHAPTER = rb"""# A chapter

There are {{ count() }} entries, {{ share("reward=shared", primary=true) }} of them [@key2026; @other2025]; by
{{ authors("key2026") }}, {{ words(count("decision=stop:learned"), capital=true) }}, {{ cites("reward=R1") }}.
{{ term("reward", "shared", "one") }}: $\frac{1}{n} \sum_{i=1}^{n} r_i$ and `{{ code }}`.

$$\begin{matrix} a & b \\ c & d \end{matrix}$$

{% if count("kind=study") > 0 %}{{ chart("reward") }}{% else %}none{% endif %}
{% for word in ["shared", "process"] %}{{ count("reward=" ~ word) }}{% endfor %}

```python
{"not": "a figure"}
```

{{ chart("reward", "decision") }}{{ picture("reward", "decision") }}{{ largest("agents") }} {{ records() }}
{{ emptiest("reward", "decision", 1) }} {{ coverage("reward") }} {{ asof() }}
"""

CONFIG = b"""site_name: Small
site_url: !ENV [SITE_URL, "https://example.org/"]
docs_dir: docs
theme:
  name: material
  custom_dir: overrides
plugins:
  - search:
      lang: en
  - survey:
      bib: bib
markdown_extensions:
  - attr_list
  - toc:
      permalink: true
nav:
  - Home: index.md
  - Entries: explore/index.md
"""

KINDS = {".bib": "bibtex", ".toml": "toml", ".csv": "csv", ".txt": "csv", ".md": "chapter", ".yml": "yaml"}


@contextmanager
def undrawn() -> Iterator[None]:
    """Charts are made and not drawn: the renderer reserves more memory than a campaign allows a process."""
    drawn = Future[str]()
    drawn.set_result("<svg/>")
    with (
        patch("survey.site.charts.drawing._drawn", return_value=drawn),
        patch("survey.site.charts.drawing._bundled", return_value=drawn),
    ):
        yield


def _read(files: Files, folder: Path) -> Received:
    """Text that asks for nothing stays as it is; what cannot be filled in is said with the line."""
    del folder
    text = StringIO(files["chapter.md"].decode("utf-8", "replace"), newline=None).read()
    try:
        with undrawn():
            page = render_prose(text, whole_pool(), "read/chapter.md", "docs/read/chapter.md", Pictures())
    except InvalidSurvey as error:
        lines = text.count("\n") + 1
        for problem in error.problems:
            assert problem.path == "docs/read/chapter.md"
            assert 1 <= problem.line <= lines
            assert str(problem).isprintable()
        return Received.SAID
    if "{" not in LIVE.sub("", text):
        plain = re.split("\0", LIVE.sub("\0", text))
        if gone := [part for part in plain if part.rstrip("\n") not in page]:
            raise Lost(f"{gone[0][:60]!r} is not on the page")
    return Received.WHOLE


def _made(seed: Files, others: Sequence[bytes], kind: str, chance: Random) -> Files:
    """One file damaged, out of all that a site is made of: data that can still be read reach the pages most."""
    del kind
    name = chance.choice(sorted(seed))
    return {**seed, name: mutated(seed[name], others, KINDS[PurePath(name).suffix], chance)}


def _written(files: Files, folder: Path) -> Received:
    """Every entry has its page, or a message says which file is wrong and nothing is written."""
    emptied(folder)
    laid_out(files, folder)
    with chdir(folder), undrawn():
        result = CliRunner().invoke(main, ["pages", "--out", "out"])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        out = folder / "out"
        if result.exit_code:
            if not any(PurePath(name).name in result.stderr for name in files):
                raise Lost(f"refused without the name of a file: {result.stderr[:200]!r}")
            if out.exists():
                raise Lost("refused, and written")
            return Received.SAID
        pool = load(Path("bib"))
    without = [entry.key for entry in pool if not (out / "docs" / "entries" / f"{entry.key}.md").is_file()]
    if without or not (out / "mkdocs.yml").is_file():
        raise Lost(f"no page for {without[:3]}")
    return Received.WHOLE


def _project() -> list[Files]:
    """A small survey of another field, whole: data, a chapter, an override of the theme, mkdocs.yml."""
    data = {f"bib/{name}": text for name, text in files_below(SEEDS / "bib").items()}
    return [{**data, "docs/index.md": CHAPTER, "overrides/x.md": b"", "mkdocs.yml": CONFIG}]


DOORS = (
    Door("chapter", "chapter", lambda: [{"chapter.md": CHAPTER}], _read, more=("*.md",)),
    Door("pages of a site", "any", _project, _written, mutate=_made),
)
