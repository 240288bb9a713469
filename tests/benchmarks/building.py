"""One measuring process of ``bench_site``: the clock starts before its imports."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from time import perf_counter


def main(edited: Path, after: str) -> None:
    """Print the seconds of a first build, and of a build after an edit behind the text ``after``.

    As under ``mkdocs serve``, the second build keeps the plugins and reloads the configuration.
    """
    start = perf_counter()
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    with tempfile.TemporaryDirectory() as site:
        config = load_config("mkdocs.yml", site_dir=f"{site}/site")
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
        first = perf_counter() - start
        text = edited.read_text(encoding="utf-8")
        before, found, behind = text.partition(after)
        assert found, f"{edited} has no {after}"
        edited.write_text(f"{before}{found}As it was read again, {behind}", encoding="utf-8")
        try:
            start = perf_counter()
            build(load_config("mkdocs.yml", site_dir=f"{site}/site"))
            again = perf_counter() - start
        finally:
            edited.write_text(text, encoding="utf-8")
        build(load_config("mkdocs.yml", site_dir=f"{site}/site"))  # restores the caches
    print(json.dumps([first, again]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
