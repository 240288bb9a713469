"""The site as fuzz targets: a chapter, and all sources of its pages."""

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
from tests.fuzz.mutate import mutated
from tests.fuzz.targets.literature import whole_pool
from tests.fuzz.targets.target import SEEDS, Files, Lost, Outcome, Target, clear, files_below, write_files

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
    """Skip the rendering of charts: the renderer reserves more memory than a campaign allows."""
    drawn = Future[str]()
    drawn.set_result("<svg/>")
    with (
        patch("survey.site.charts.drawing._drawn", return_value=drawn),
        patch("survey.site.charts.drawing._bundled", return_value=drawn),
    ):
        yield


def _read(files: Files, folder: Path) -> Outcome:
    """Check that plain text is unchanged, and that unknown expressions are reported with their line."""
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
        return Outcome.REPORTED
    if "{" not in LIVE.sub("", text):
        plain = re.split("\0", LIVE.sub("\0", text))
        if gone := [part for part in plain if part.rstrip("\n") not in page]:
            raise Lost(f"{gone[0][:60]!r} is not on the page")
    return Outcome.ACCEPTED


def _made(seed: Files, others: Sequence[bytes], kind: str, chance: Random) -> Files:
    """Damage one source file of a site; mostly one that remains readable, to reach the pages."""
    del kind
    name = chance.choice(sorted(seed))
    return {**seed, name: mutated(seed[name], others, KINDS[PurePath(name).suffix], chance)}


def _written(files: Files, folder: Path) -> Outcome:
    """Check that every entry has a page, or that a message names the file and nothing is written."""
    clear(folder)
    write_files(files, folder)
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
            return Outcome.REPORTED
        pool = load(Path("bib"))
    without = [entry.key for entry in pool if not (out / "docs" / "entries" / f"{entry.key}.md").is_file()]
    if without or not (out / "mkdocs.yml").is_file():
        raise Lost(f"no page for {without[:3]}")
    return Outcome.ACCEPTED


def _project() -> list[Files]:
    """Return a complete small survey of another field: data, a chapter, a theme override, mkdocs.yml."""
    data = {f"bib/{name}": text for name, text in files_below(SEEDS / "bib").items()}
    return [{**data, "docs/index.md": CHAPTER, "overrides/x.md": b"", "mkdocs.yml": CONFIG}]


TARGETS = (
    Target("chapter", "chapter", lambda: [{"chapter.md": CHAPTER}], _read, more=("*.md",)),
    Target("pages of a site", "any", _project, _written, mutate=_made),
)
