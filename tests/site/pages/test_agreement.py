"""The pages on agreement: figures, chart and evidence are those of the readings, and light enough to load."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter
from dataclasses import replace
from html import unescape
from pathlib import Path

import altair as alt
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from survey.literature import Pool
from survey.literature.agreement import agreement, reading_pairs
from survey.literature.counting import FOLD
from survey.site.charts.drawing import Pictures
from survey.site.facts import Facts
from survey.site.pages.agreement.builder import (
    agreement_pages,
    axis_page,
    figure,
    forest,
    heat,
    most_confused,
    pair_page,
)
from tests.conftest import ROOT

PUBLISHED, SPOT_CHECK, SECOND = "published-2026-05-04", "published-spotcheck-2026-05-03", "second-reading-2026-11"
ONE, OTHER = "facets-a-2026-11", "facets-b-2026-11"
HOSTILE = "</p><script>alert(1)</script> {{ 7*7 }} [x](javascript:alert(2))"


@pytest.fixture(scope="module")
def pages(pool: Pool) -> dict[str, str]:
    return dict(agreement_pages(Facts(pool)))


def text(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_every_pair_has_a_page_and_every_axis_of_it_with_disagreements(pool: Pool, pages: dict[str, str]) -> None:
    expected = {
        "measure/agreement.md",
        "measure/agreement/settled.md",
        "measure/agreement/trials.md",
        "measure/agreement/audits.md",
        "charts/agreement.json",
    }
    expected |= {
        f"measure/agreement/settled/{axis}.md" for _, axis in pool.adjudications if not pool.taxonomy[axis].steps
    }
    expected |= {f"measure/agreement/audits/{audit}.md" for audit in pool.audits}
    for pair in reading_pairs(pool):
        expected.add(pair_page(pair))
        for axis in pair.axes:
            found = agreement(pool, pair.first, pair.second, axis)
            expected |= {axis_page(pair, found.axis)} if found.disagreements else set()
    assert set(pages) == expected


@pytest.mark.parametrize(
    "file", sorted((ROOT / "bib" / "codings" / "audits").glob("*.csv")), ids=lambda file: file.stem
)
def test_an_audit_has_a_page_with_every_field_that_was_not_right(pages: dict[str, str], file: Path) -> None:
    with file.open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["verdict"] != "right"]
    page = pages[f"measure/agreement/audits/{file.stem}.md"]
    shown = re.findall(r'<tr><th scope="row">(?:<a [^>]*>)?([^<]+)(?:</a>)?</th><td>([^<]+)</td><td>([^<]+)</td>', page)
    worst = ("wrong", "incomplete", "missing", "unclear")
    rows.sort(key=lambda row: worst.index(row["verdict"]))
    assert shown == [(row["key"], row["field"], row["verdict"]) for row in rows]
    assert f'href="{file.stem}/"' in pages["measure/agreement/audits.md"]


def test_a_trial_of_rules_is_shown_by_itself(pool: Pool, pages: dict[str, str]) -> None:
    shown = text(pages["measure/agreement/trials.md"])
    for trial, axis in (("parts", "credit-holder"), ("direct", "category")):
        sides = []
        for number in (1, 2):
            with (ROOT / "bib" / "codings" / "trials" / trial / f"{trial}-{number}.csv").open(newline="") as stream:
                rows = {row["key"]: row["value"] for row in csv.DictReader(stream) if row["axis"] == axis}
            # the words for absence count as one
            sides.append(["" if rows[key] in ("na", "none", "unknown") else rows[key] for key in sorted(rows)])
        first, second = sides
        assert len(first) == 30
        alike = sum(one == other for one, other in zip(first, second, strict=True))
        label = pool.taxonomy[axis].label
        assert f"{label} {alike} of 30 {alike / 30:.3f}" in shown
        assert f"{cohen_kappa_score(first, second):.3f}" in shown
    assert not any("parts-1" in page for path, page in pages.items() if path != "measure/agreement/trials.md")


def test_the_overview_speaks_first_of_the_pair_that_was_read_blind(pages: dict[str, str]) -> None:
    page = pages["measure/agreement.md"]
    by_axis = {}
    for id in (ONE, OTHER):
        with (ROOT / "bib" / "codings" / f"{id}.csv").open(encoding="utf-8", newline="") as stream:
            by_axis[id] = {row["key"]: row["value"] for row in csv.DictReader(stream) if row["axis"] == "category"}
    n = len(by_axis[ONE])
    alike = sum(value == by_axis[OTHER][key] for key, value in by_axis[ONE].items())
    kappa = cohen_kappa_score(*([values[key] for key in by_axis[ONE]] for values in by_axis.values()))
    assert re.search(rf"# Agreement between readers: \d+ of {n} entries on [a-z ]+, \d+ on ", page)
    assert f"{n} entries of the pool were read again, blind to the first reader's tags" in page
    assert f"Category {n} {alike} {alike / n:.3f}" in text(page) and f"{kappa:.3f}" in text(page)


def test_the_published_spot_check_is_shown_with_its_one_exception(pages: dict[str, str]) -> None:
    said = f"{PUBLISHED} and {SPOT_CHECK}: 32 entries, none read blind; 1 disagreement (halo on credit unit)"
    assert said in text(pages["measure/agreement.md"])


def test_readers_are_stated_beside_the_figures(pool: Pool, pages: dict[str, str]) -> None:
    for pair in reading_pairs(pool):
        page = text(pages[pair_page(pair)])
        for id in {pair.first, pair.second} & pool.codings.keys():
            assert pool.codings[id].statement in page
    with (ROOT / "bib" / "codings" / f"{ONE}.csv").open(encoding="utf-8", newline="") as stream:
        depth = {row["key"]: row["read"] for row in csv.DictReader(stream)}
    stated = ", ".join(f"{name} {number}" for name, number in Counter(depth.values()).most_common())
    assert f"Read: {stated}." in text(pages["measure/agreement.md"])


def test_every_disagreement_stands_on_the_page_of_its_axis_with_evidence_and_what_stands(
    pool: Pool, pages: dict[str, str]
) -> None:
    (pair,) = (p for p in reading_pairs(pool) if (p.first, p.second) == (ONE, OTHER))
    found = agreement(pool, ONE, OTHER, "topology")
    page = pages[axis_page(pair, found.axis)]
    shown = text(page)
    for d in found.disagreements:
        assert f"entries/{d.key}/#topology" in page
        for why in (d.first.notes.get("why", ""), d.second.notes.get("why", ""), d.adjudication and d.adjudication.why):
            assert " ".join((why or "").split()) in shown


def test_our_sentences_are_about_confusions_that_exist(pool: Pool, pages: dict[str, str]) -> None:
    """A sentence whose confusion has vanished from the data would be said by nobody."""
    (pair,) = (p for p in reading_pairs(pool) if (p.first, p.second) == (PUBLISHED, SECOND))
    known = {
        f"{axis} {one} {other}": sentence
        for (first, second, axis, one, other), sentence in pool.comments.items()
        if (first, second) == (PUBLISHED, SECOND)
    }
    assert known
    confused = {
        f"{axis} {one} {other}"
        for axis in pair.axes
        for one, other, _ in agreement(pool, PUBLISHED, SECOND, axis).confusions()
    }
    assert known.keys() <= confused
    for place, sentence in known.items():
        page = pages[axis_page(pair, pool.taxonomy[place.split()[0]])]
        assert sentence.split("’")[0].split("'")[0] in page, place


def test_the_chart_is_valid_and_tells_the_same_as_its_table(pool: Pool, pages: dict[str, str]) -> None:
    (pair,) = (p for p in reading_pairs(pool) if (p.first, p.second) == (ONE, OTHER))
    found = [agreement(pool, ONE, OTHER, axis, blind_only=True) for axis in pair.axes]
    chart = forest(pool, pair, found)
    assert json.loads(pages["charts/agreement.json"]) == chart.spec
    alt.LayerChart.from_dict(chart.spec)
    drawn = Pictures().svg(chart.spec)
    for f, row in zip(found, chart.rows, strict=True):
        assert [cell for cell, _ in row] == [
            f.axis.label,
            str(len(pool)),
            str(f.alike),
            figure(f.raw),
            figure(f.kappa),
            figure(f.alpha),
        ]
        assert f"{f.kappa.value:.2f} kappa" in drawn
        assert f"{f.alpha.value:.2f} alpha" in drawn
    low, high = min(f.kappa.value for f in found), max(f.kappa.value for f in found)
    assert f"{high:.2f} on " in chart.sentence and f"{low:.2f} on " in chart.sentence
    width = re.search(r'width="(\d+)"', drawn)
    assert width is not None and int(width.group(1)) <= 326  # what a narrow phone leaves


def test_pages_are_light(pages: dict[str, str]) -> None:
    assert max(map(len, pages.values())) < 100_000  # the site adds about 35 kB to each


def test_a_cell_is_never_so_dark_that_its_number_is_lost() -> None:
    assert [heat(number, 40) for number in (0, 1, 20, 40)] == [0, 9, 26, 45]


def test_nothing_a_reader_wrote_can_act_in_a_page(pool: Pool) -> None:
    coding = pool.codings[SECOND]
    hostile = replace(coding, judgements=tuple(replace(j, notes={**j.notes, "why": HOSTILE}) for j in coding.judgements),
                      statement=HOSTILE)  # fmt: skip
    settled = {place: replace(a, why=HOSTILE) for place, a in pool.adjudications.items()}
    for path, page in agreement_pages(
        Facts(replace(pool, codings={**pool.codings, SECOND: hostile}, adjudications=settled))
    ):
        assert path.endswith(".json") or "<script>" not in page


def test_without_two_readings_the_page_says_so(pool: Pool) -> None:
    pages = dict(agreement_pages(Facts(replace(pool, codings={}, adjudications={}, trials={}))))
    assert "no two readings" in pages["measure/agreement.md"]


def test_without_any_reading_there_is_no_page(pool: Pool) -> None:
    assert dict(agreement_pages(Facts(replace(pool, codings={}, adjudications={}, trials={}, audits={})))) == {}


def test_a_confusion_matrix_of_many_words_shows_those_that_differ_most() -> None:
    """Sums stay, and the numbers of what is shown; the others share a row and a column."""
    chance = random.Random(3)
    words = [f"w{n}" for n in range(40)]
    numbers = {(one, other): chance.choice([0, 0, 1, 9]) for one in words for other in words}
    table = pd.DataFrame([[numbers[one, other] for other in words] for one in words], index=words, columns=words)
    found = most_confused(table)
    assert found.shape == (FOLD, FOLD)
    assert found.to_numpy().sum() == sum(numbers.values())
    kept = list(found.index[:-1])
    assert found.index[-1] == found.columns[-1] == f"{40 - len(kept)} others"
    assert found.loc[kept, kept].equals(table.loc[kept, kept])
    differing = {word: sum(numbers[word, w] + numbers[w, word] for w in words if w != word) for word in words}
    assert min(differing[word] for word in kept) >= max(differing[word] for word in words if word not in kept)
    small = table.iloc[:FOLD, :FOLD]
    assert most_confused(small) is small


def test_so_does_one_of_sets() -> None:
    words = [f"w{n}" for n in range(20)]
    sides = {"both": [9] * 20, "first": list(range(20)), "second": [0] * 20, "neither": [7] * 20}
    found = most_confused(pd.DataFrame(sides, index=words))
    assert list(found.index) == [*words[5:], "5 others"]
    assert found.loc["5 others"].to_dict() == {"both": 45, "first": 10, "second": 0, "neither": 35}
    assert found.loc["w7"].to_dict() == {"both": 9, "first": 7, "second": 0, "neither": 7}
