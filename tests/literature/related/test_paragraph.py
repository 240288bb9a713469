"""The paragraph skeleton: counts, citations, escaping and notice."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from survey.literature import Pool, load
from survey.literature.export.bib import to_bib
from survey.literature.related import NOTICE, Style, related
from survey.literature.related.paragraph import ACTIVE, LATEX
from tests.literature.conftest import TAXONOMY
from tests.literature.gaps.four import FOUR


def test_a_paragraph_is_generated_from_counts_and_citations(four: Pool) -> None:
    found = related(four, [("decision", "stop")], ["reward", "decision"])
    assert found.paragraph(Style.MARKDOWN).split(f"data {four.fingerprint}). ")[1] == (
        "They first became public in 2026. "
        "By reward (first value): 2 “shared” [@early; @late] and 1 “process” [@double]. "
        "By decision (an entry may have several): 1 “stop, learned” [@late] and 2 “stop, designed” [@early; @double]. "
        "2 entries together have every value that occurs among them on reward and decision, the smallest such number "
        "[@early; @late]."
    )
    latex = found.paragraph(Style.LATEX)
    assert r"2 ``shared''~\cite{early,late} and 1 ``process''~\cite{double}" in latex
    assert "[early; late]" in found.paragraph()


def test_absences_are_counted_separately(four: Pool) -> None:
    told = related(four, [], ["reward"]).paragraph()
    assert "1 “process” [double]; without a value: 1 “does not say”." in told


def test_a_paragraph_on_an_empty_selection_limits_its_claim(four: Pool) -> None:
    told = related(four, [("reward", "process"), ("decision", "na")]).paragraph()
    assert "holds no entry tagged reward: process and decision: not applicable" in told
    assert "Separately, 2 are tagged reward: process [double; late] and 1 is tagged decision: not applicable" in told
    assert told.endswith("This is a statement about that pool and its tags, not about the field.")


def test_a_value_with_many_entries_is_cited_by_those_of_the_path(then: Pool) -> None:
    found = related(then, [], ["category"])
    assert "42 “RL method” [e.g. " in found.paragraph()
    cited = re.search(r"42 “RL method” \[e\.g\. ([^\]]+)\]", found.paragraph())
    assert cited
    assert set(cited.group(1).split("; ")) <= {step.entry.key for step in found.path}


def test_the_notice_says_that_the_paragraph_is_generated(four: Pool) -> None:
    notice = related(four, []).notice
    assert notice == NOTICE
    assert "skeleton" in notice
    assert "A program generated its sentences" in notice


@pytest.mark.parametrize("style", list(Style))
def test_every_citation_is_in_the_bib(then: Pool, style: Style) -> None:
    found = related(then, [("reward", "hybrid")])
    text = found.paragraph(style)
    cited = set(re.findall({"latex": r"[{,]([\w.-]+)(?=[,}])", "markdown": r"@([\w-]+)"}.get(style, r"[\[ ]([a-z0-9-]+)(?=[;\]])"), text))  # fmt: skip
    assert cited
    assert cited <= {e.key for e in found.found}
    assert all(f"{{{key}," in to_bib(found.found) for key in cited)


def test_labels_are_inert_in_latex_and_markdown(folder: Callable[..., Path]) -> None:
    nasty = TAXONOMY.replace('label = "shared"', r'label = "50% \\x {a}_b & #1 *c* [d](e) ~$^"')
    found = related(load(folder(FOUR, nasty)), [("reward", "shared")], ["reward"])
    latex = found.paragraph(Style.LATEX)
    assert r"50\% \textbackslash{}x \{a\}\_b \& \#1 *c* [d](e) \textasciitilde{}\$\^{}" in latex
    assert r"50% \\x \{a\}\_b & \#1 \*c\* \[d\](e) \~\$\^" in found.paragraph(Style.MARKDOWN)
    assert set(LATEX) >= set("\\{}%&#$_~^")
    assert set("*_`[]<>@\\") <= ACTIVE


@pytest.mark.programs
def test_pandoc_resolves_every_citation_of_a_paragraph(
    then: Pool, program: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    found = related(then, [("reward", "hybrid")])
    (tmp_path / "references.bib").write_text(to_bib(found.found))
    (tmp_path / "text.md").write_text(found.paragraph(Style.MARKDOWN))
    (tmp_path / "text.tex").write_text(found.paragraph(Style.LATEX))
    for name in ("text.md", "text.tex"):
        done = program("pandoc", "--citeproc", "--bibliography", "references.bib", "-t", "plain", name, cwd=tmp_path)
        assert done.returncode == 0
        assert done.stderr == ""
        assert "???" not in done.stdout
        assert f"n = {len(found.entries)} of 84, edition 2026-05-04" in " ".join(done.stdout.split())
