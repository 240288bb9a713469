"""A sentence on a claim is safe to cite: it begins with what does not hold, and programs read all its notations."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from subprocess import CompletedProcess

import msgspec
import pytest

from survey.literature import Pool
from survey.literature.claims import Citation, Judgement, Status, citation, edition_bib, ledger

URL = "https://survey.example/claims/one/"
Run = Callable[..., "CompletedProcess[str]"]


@pytest.fixture(scope="module")
def history(pool: Pool) -> dict[str, tuple[Judgement, ...]]:
    return ledger(pool)


@pytest.fixture(scope="module")
def judged(history: dict[str, tuple[Judgement, ...]]) -> dict[str, Judgement]:
    return {id: judgements[-1] for id, judgements in history.items()}


@pytest.fixture
def cited(judged: dict[str, Judgement]) -> dict[str, Citation]:
    return {id: citation(judgement, "abc", URL) for id, judgement in judged.items()}


def test_only_a_claim_that_holds_is_cited_as_it_stands(
    judged: dict[str, Judgement], cited: dict[str, Citation]
) -> None:
    for id, judgement in judged.items():
        stands = judgement.status in (Status.HOLDS, Status.ONCE)
        assert cited[id].plain.startswith(judgement.claim.sentence.rstrip(".")) == stands, cited[id].plain


@pytest.mark.parametrize("status", [status for status in Status if status not in (Status.HOLDS, Status.ONCE)])
def test_whatever_else_is_said_first(judged: dict[str, Judgement], status: Status) -> None:
    judgement = replace(judged["retained"], status=status)
    for text in (
        citation(judgement, "abc").plain,
        citation(judgement, "abc").latex,
        citation(judgement, "abc").markdown,
    ):
        before, claim, after = text.partition("The published pool retains 84 entries")
        assert claim, text
        assert re.search(r"not|no longer|whether", before), text
        assert "n = 84 of 84" in after, text


def test_a_sentence_has_number_status_edition_data_and_address(history: dict[str, tuple[Judgement, ...]]) -> None:
    assert citation(history["retained"][-1], "abc", URL).plain == (
        f"The published pool retains 84 entries (n = 84 of 84; holds; edition 2026-05-04, data abc). {URL}"
    )
    then = history["stopping-untrained"][0]
    assert (
        "1 of 84 as coded here, 1 in the strict reading, 0 in the published coding, 1 in the second reading; contested"
        in (citation(then, "abc").plain)
    )


def test_a_survey_calls_its_readings_as_it_likes(pool: Pool) -> None:
    assert pool.claims.readings
    names = {"published": "coding of the book", "second": "reading of the bakers"}
    claims = msgspec.structs.replace(pool.claims, readings=msgspec.structs.replace(pool.claims.readings, names=names))
    found = ledger(replace(pool, claims=claims))["stopping-untrained"]
    assert "0 in the coding of the book, 1 in the reading of the bakers" in citation(found[0], "abc").plain
    assert found[0].verdict == "contested: read differently in the coding of the book"


def test_without_an_address_of_the_site_none_is_given(judged: dict[str, Judgement]) -> None:
    found = citation(judged["retained"], "abc")
    assert found.plain.endswith("data abc).")
    assert found.markdown == found.plain


@pytest.mark.programs
@pytest.mark.parametrize("notation", ["latex", "markdown"])
def test_a_program_reads_the_same_words_in_every_notation(
    cited: dict[str, Citation], program: Run, tmp_path: Path, notation: str
) -> None:
    texts = [re.sub(r"~\\cite\[[^]]*\]\{[^}]*\}", "", getattr(one, notation)) for one in cited.values()]
    result = program("pandoc", "-f", notation, "-t", "plain", "--wrap=none", cwd=tmp_path, stdin="\n\n".join(texts))
    assert (result.returncode, result.stderr) == (0, "")
    read = re.sub("[“”]", '"', result.stdout).replace("’", "'").split("\n\n")
    assert [text.strip() for text in read] == [one.plain.removesuffix(f" {URL}") for one in cited.values()]


@pytest.mark.programs
def test_bibtex_finds_the_edition_that_a_sentence_cites(
    cited: dict[str, Citation], pool: Pool, program: Run, tmp_path: Path
) -> None:
    days = (date(2026, 5, 4), pool.day)
    (tmp_path / "own.bib").write_text("\n".join(edition_bib(pool, day, "https://survey.example/") for day in days))
    keys = {key for one in cited.values() for key in re.findall(r"\\cite\[[^]]*\]\{([^}]*)\}", one.latex)}
    citations = "".join(f"\\citation{{{key}}}\n" for key in sorted(keys))
    (tmp_path / "x.aux").write_text(f"{citations}\\bibstyle{{plain}}\n\\bibdata{{own}}\n")
    result = program("bibtex", "x", cwd=tmp_path)
    log = (tmp_path / "x.blg").read_text()
    assert result.returncode == 0, log
    assert "Warning" not in log, log
    assert all(pool.as_of(day).fingerprint in (tmp_path / "own.bib").read_text() for day in days)
