"""What a reader of the folder computes again, with nothing but its source and its data: run in the unpacked source.

The arguments are the folder of the data, the folder to write, and the address that the site was built for.
"""

from __future__ import annotations

import sys
from pathlib import Path

from click.testing import CliRunner

import survey
from survey.cli import main
from survey.literature import load
from survey.literature.export import FORMATS
from survey.site.drafts import fill
from survey.site.facts import Facts
from survey.site.markup.downloads import DOWNLOADS
from survey.site.pages.data_files.builder import data_files


def cut_off(event: str, arguments: object) -> None:
    """Refuse every way to another machine."""
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise OSError(f"there is no network: {event} {arguments}")


def again(bib: Path, out: Path, site_url: str) -> None:
    """Write the machine-readable copies, and what ``survey stats`` says."""
    pool = load(bib)
    made = {path: FORMATS[download.form](pool) for path, download in DOWNLOADS.items()}
    made |= {path: fill(text, pool).encode() for path, text in data_files(Facts(pool, site_url))}
    made["stats.json"] = CliRunner().invoke(main, ["--bib", str(bib), "stats", "--format", "json"]).output.encode()
    for path, content in made.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_bytes(content)


if __name__ == "__main__":
    sys.addaudithook(cut_off)
    assert Path(str(survey.__file__)).is_relative_to(Path.cwd()), survey.__file__
    again(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
