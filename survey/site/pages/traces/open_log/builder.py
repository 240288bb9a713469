"""The page that opens a log in the reader's browser, and the toolkit for the Python there."""

from __future__ import annotations

import io
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import click
import jinja2
import markupsafe

from survey.extras import PROJECT
from survey.site.facts import Facts
from survey.site.markup.templates import render
from survey.site.pages.traces.open_log.packing import scripts
from survey.traces.exporters import report

ROOM = Path(__file__).parent
PACKAGE = ROOM.parents[3]

PAGE = "traces/open.md"
FRAME = "traces/report-frame.html"
"""An empty page that shows a report: links within a report need a page with an address."""
ARCHIVES = "assets/python"
"""Where the archives are: the toolkit, and Python for browsers if it was fetched for this site."""

PARTS = ("*.py", "cli/*.py", "cli/trace/*.py", "traces/**/*.*")
"""What a log needs of this package."""
UNUSED = ("traces/training/", "traces/scoring/", "traces/simulate/", "__pycache__")

FORMATS = (
    ("html", "report", ".html"),
    ("trace", "trace", ".jsonl"),
    ("perfetto", "for Perfetto", ".perfetto.json"),
    ("otlp", "as OpenTelemetry spans", ".otlp.json"),
)
"""What a reader can save a run as: the format, the words for it, and how the name of the file ends."""

EXAMPLES = (
    ("reviewers.jsonl", "six reviewers at once"),
    ("interrupted.jsonl", "an interruption"),
    ("questions.jsonl", "questions to people"),
)
"""Real logs to try: the names of the files, and the words for them (``survey.site.pages.traces.real_sessions``)."""

FRAME_SCRIPT = (ROOM / "frame.js").read_text("utf-8")


def open_log_pages(_: Facts) -> Iterator[tuple[str, str]]:
    """Yield the page, the frame for reports, and the toolkit."""
    yield (
        PAGE,
        render(
            "pages/traces/open_log/open-log.md.j2",
            page=PAGE,
            frame=FRAME,
            archives=ARCHIVES,
            formats=FORMATS,
            examples=EXAMPLES,
        ),
    )
    yield FRAME, frame()
    toolkit = {
        "toolkit.zip": _zipped(),
        "worker.js": (ROOM / "worker.js").read_bytes(),
        **{name: (ROOM / "examples" / name).read_bytes() for name, _ in EXAMPLES},
    }
    for name, text in scripts("toolkit", toolkit, {}):
        yield f"{ARCHIVES}/{name}", text


def frame() -> str:
    """Return the page that shows a report; it runs the script of reports, its own, and no other."""
    digests = [b64encode(sha256(text.encode()).digest()).decode() for text in (FRAME_SCRIPT, report.script())]
    seals = " ".join(f"'sha256-{digest}'" for digest in digests)
    policy = f"default-src 'none'; script-src {seals}; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="robots" content="noindex">\n<meta name="description" content="The report of a log.">\n'
        '<title>Report</title>\n<link rel="icon" href="data:,">\n'
        f"</head>\n<body>\n<script>{FRAME_SCRIPT}</script>\n</body>\n</html>\n"
    )


def _zipped() -> bytes:
    """Return the toolkit and the packages that it needs, of those installed here, as an archive of code."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:  # the whole is packed once, later
        for name, content in sorted(_code()):
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def _code() -> Iterator[tuple[str, bytes]]:
    for path in {path for part in PARTS for path in PACKAGE.glob(part)}:
        name = path.relative_to(PACKAGE).as_posix()
        if not any(part in name for part in UNUSED):
            yield f"survey/{name}", path.read_bytes()
    for package in (click, jinja2, markupsafe):
        folder = Path(str(package.__file__)).parent
        for path in folder.glob("*.py"):
            yield f"{folder.name}/{path.name}", path.read_bytes()
    # importers are found by what the installation says of itself
    about = metadata.distribution(PROJECT)
    for name in ("METADATA", "entry_points.txt"):
        yield f"orchestration_survey-{about.version}.dist-info/{name}", (about.read_text(name) or "").encode()
