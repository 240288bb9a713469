"""Small pools in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

TAXONOMY = """
[survey]
title = "Small"
required = ["summary", "added", "url"]

[absence.na]
label = "not applicable"
definition = "Cannot apply."
[absence.unknown]
label = "does not say"
definition = "Not said."

[axis.reward]
label = "Reward"
definition = "What is paid."
shape = "ranked"
required = true
absence = ["na", "unknown"]
[axis.reward.value.shared]
label = "shared"
definition = "One for all."
rule = "r"
positive = "p"
negative = "n"
[axis.reward.value.process]
label = "process"
definition = "On the way."
rule = "r"
positive = "p"
negative = "n"

[axis.decision]
label = "Decision"
definition = "What is decided."
shape = "set"
absence = ["na"]
[axis.decision.qualifier.learned]
label = "learned"
[axis.decision.qualifier.designed]
label = "designed"
[axis.decision.value.stop]
code = "O5"
label = "stop"
definition = "When to end."
rule = "r"
positive = "p"
negative = "n"

[[rule]]
when = { reward = ["na"] }
only = { decision = ["na"] }
because = "who pays nothing decides nothing"
"""

ENTRY = """\
@misc{key2026,
  author     = {Last, First},
  title      = {A Title},
  year       = {2026},
  url        = {https://example.org/a},
  tag-reward = {shared},
  why-reward = {The abstract says so.},
  summary    = {It does a thing.},
  added      = {2026-05-04}
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Create a data folder from the text of its pool (and of other files)."""

    def make(pool: str = ENTRY, taxonomy: str = TAXONOMY, **files: str) -> Path:
        bib = tmp_path / "bib"
        bib.mkdir(exist_ok=True)
        (bib / "taxonomy.toml").write_text(taxonomy)
        (bib / "pool.bib").write_text(dedent(pool))
        for name, text in files.items():
            (bib / name.replace("_", ".")).write_text(dedent(text))
        return bib

    return make
