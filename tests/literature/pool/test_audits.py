"""Audits: what their files may hold, how their shares are computed, and that their samples were drawn at random."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from scipy.stats import binomtest

from survey.literature import Pool, load, read_pool
from survey.literature.pool.codings.audits import share_interval
from tests.conftest import ROOT

HEADER = "key,field,verdict,right,why,source\n"
READER = '[2026-11-23]\nreader = "x"\nmade = 2026-11-23\nstatement = "y"\n'


def audited(bib: Path, rows: str, header: str = HEADER, reader: str = READER) -> list[str]:
    audits = bib / "codings" / "audits"
    audits.mkdir(parents=True)
    (audits / "2026-11-23.csv").write_text(header + rows)
    (audits / "readers.toml").write_text(reader)
    return [str(p).removeprefix(f"{audits}/") for p in read_pool(bib)[1]]


def test_an_audit_is_no_coding(folder: Callable[..., Path]) -> None:
    bib = folder()
    assert audited(bib, "key2026,title,right,,,\nkey2026,tag-reward,wrong,process,Section 2 scores turns.,\n") == []
    pool = load(bib)
    assert not pool.codings
    audit = pool.audits["2026-11-23"]
    assert audit.entries == ("key2026",)
    assert audit.wrong(tags=False)[:2] == (0, 1)
    assert audit.wrong(tags=True)[:2] == (1, 1)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("key2062,title,right,,,\n", '2: entry key2062: title: there is no entry "key2062" (did you mean "key2026"?)'),
        ("key2026,titel,right,,,\n", '2: entry key2026: titel: "titel" is not a field of an entry (did you mean "title"?)'),
        ("key2026,title,rigth,,,\n", '2: entry key2026: title: "rigth" is not a verdict (did you mean "right"?)'),
        ("key2026,title,wrong,A,,\n",
         "2: entry key2026: title: why is empty (say in your own words what decides against what is stored)"),
        ("key2026,title,right,,,\nkey2026,title,right,,,\n",
         "3: entry key2026: title: repeats an entry and field of an earlier row"),
        ("key2026,title,right\n", "2: entry key2026: title: has more or fewer cells than the header line"),
    ],
)  # fmt: skip
def test_a_wrong_row_is_a_problem_with_its_line(folder: Callable[..., Path], rows: str, problem: str) -> None:
    assert audited(folder(), rows) == [f"2026-11-23.csv:{problem}"]


def test_an_audit_must_say_who_made_it_and_how(folder: Callable[..., Path]) -> None:
    (problem,) = audited(folder(), "key2026,title,right,,,\n", reader="")
    assert problem.startswith("readers.toml:1: does not describe 2026-11-23.csv")


@pytest.mark.parametrize(("number", "of"), [(0, 40), (1, 373), (21, 577), (5, 5)])
def test_the_interval_of_a_share_is_that_of_another_library(number: int, of: int) -> None:
    theirs = binomtest(number, of).proportion_ci(method="wilson")
    assert share_interval(number, of) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_audits_come_in_their_order_and_tell_themselves_apart(pool: Pool) -> None:
    labels = [audit.label for audit in pool.audits.values()]
    assert labels[:3] == ["2026-11-22", "2026-11-23", "2026-11-23 again"]
    assert labels == sorted({*labels})


def test_the_shares_of_an_audit_are_those_of_its_file(pool: Pool) -> None:
    for audit in pool.audits.values():
        with (ROOT / "bib" / "codings" / "audits" / f"{audit.id}.csv").open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        for tags in (False, True):
            of = [row["verdict"] for row in rows if row["field"].startswith("tag-") is tags]
            decided = [verdict for verdict in of if verdict in ("right", "wrong", "incomplete")]
            assert audit.wrong(tags)[:2] == (decided.count("wrong"), len(decided))


FIRST_OF_2026_11_28 = """
    abedini2026trust agenttrace2026 anantaprayoon2026learning ancora2026 bao2026good bian2026weak
    chipcraftbrain2026 complllm2026 dlm2026 emomas2026 flowcompile2026 gammaf2026 he2026learning heavyskill2026
    insight-v2026 kulkarni2026benchmarking lcguard2026 lee2026robust legrand2026mimosa li2026human li2026multi
    li2026taming liu2026when mac2026 mao2026learning maseval2026 maspo2026 maspob2026 medclaw2026 medmaslab2026
    meissa2026 mmoa2026 muhtar2026complementary poirot2026 qu2026training radar2026 rahman2026training
    sharifi2026fine skillmas2026 solvita2026 traj-evolve2026 trust2026 verifymas2026 wang2026efficient
    wang2026self wu2026enhancing yadav2026more yang2026heal yao2026talk yi2026latent yi2026multi zhang2026learning
"""
"""The 52 works from which the first audit of that day was drawn; the second was drawn from those that came later."""

LAST_OF_THE_EDITION = "2026-11-21"
"""The other audits were drawn before the works of their day came in."""


def test_the_samples_of_our_audits_follow_from_their_seeds(pool: Pool) -> None:
    """Whoever draws with the stated seed from the keys of the day gets the same entries."""
    seeds = {id: re.findall(r"seed '([^']+)'", audit.statement) for id, audit in pool.audits.items()}
    drawn = {id: seed[0] for id, seed in seeds.items() if seed}
    assert len(drawn) >= 1
    for id, seed in drawn.items():
        audit = pool.audits[id]
        then = sorted(entry.key for entry in pool if entry.text("added") <= LAST_OF_THE_EDITION)
        if id.startswith("2026-11-28"):
            then = FIRST_OF_2026_11_28.split()
        if id == "2026-11-28-later":
            then = sorted({entry.key for entry in pool if entry.text("added") == "2026-11-28"} - {*then})
        assert set(audit.entries) == set(random.Random(seed).sample(then, len(audit.entries)))
