"""The pages of gaps: every cell leads somewhere, every feed is a feed, no page is heavy."""

from __future__ import annotations

import csv
import re
import tomllib
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import date
from html import unescape
from itertools import combinations

import pytest

from survey.literature import Pool, Shape, load, parse_bibtex, read_taxonomy
from survey.literature.gaps import OPEN, Kind, gap_map, pairs
from survey.literature.pool import read_notes
from survey.site.facts import Facts
from survey.site.markup.feeds import ATOM
from survey.site.pages.counts.crosstab import crosstab_page, table_of
from survey.site.pages.feeds.builder import feed, feeds
from survey.site.pages.gaps.builder import gap_pages
from survey.site.pages.gaps.cards import CARDS, MARKS, gap_anchor, map_path, sentence
from tests.conftest import ROOT

DAY = date(2026, 5, 4)
SITE = "https://example.org/survey/"
FORMER = (
    ("published-2026-05-04", "second-reading-2026-11"),
    ("first-additions-2026-11", "blind-additions-2026-11"),
)
"""The pairs of codings by the first codebook; by the second one two readers coded every entry."""

LATEST = ("facets-a-2026-11", "facets-b-2026-11")


@pytest.fixture(scope="module")
def snapshot(pool: Pool) -> Pool:
    return pool.as_of(DAY)


@pytest.fixture(scope="module")
def files(snapshot: Pool) -> dict[str, str]:
    notes, _ = read_notes(ROOT / "bib" / "gaps.toml", snapshot.taxonomy)
    facts = Facts(replace(snapshot, notes=notes), SITE)
    return dict(gap_pages(facts)) | {path: text for path, text in feeds(facts) if path.startswith("gaps/")}


def ids(page: str) -> set[str]:
    return set(re.findall(r'\bid="([^"]+)"', page))


def test_there_is_a_list_and_a_map_for_each_pair_of_main_axes_with_its_entries(
    snapshot: Pool, files: dict[str, str]
) -> None:
    assert {path for path in files if path.endswith(".md")} == {
        "gaps/index.md", *(map_path(*pair) for pair in pairs(snapshot))
    }  # fmt: skip
    for rows, columns in pairs(snapshot):
        bib = parse_bibtex(files[f"gaps/{rows}-by-{columns}.bib"], "x.bib")
        assert not bib.problems
        assert {block.key for block in bib.blocks} == set(gap_map(snapshot, rows, columns).keys)
        assert map_path(rows, columns).removeprefix("gaps/").removesuffix(".md") + "/" in files["gaps/index.md"]


@pytest.mark.parametrize(
    "pair", [("reward", "credit"), ("category", "decision"), ("decision", "algorithm")], ids="-".join
)
def test_every_cell_of_a_map_leads_to_its_entries_or_to_what_is_known_of_it(
    snapshot: Pool, files: dict[str, str], pair: tuple[str, str]
) -> None:
    rows, columns = pair
    page, map = files[map_path(rows, columns)], gap_map(snapshot, rows, columns)
    crossed = {cell.anchor for row in table_of(Facts(snapshot), rows, columns) for cell in (*row.filled, *row.empty)}
    table = page.split("<tbody>")[1].split("</tbody>")[0]
    links = re.findall(r'<td class="([a-z-]+)[^"]*"><a href="([^"]+)"[^>]*>([^<]+)</a>', table)
    assert len(links) == len(map.cells)
    for cell, (kind, link, shown) in zip(map, links, strict=True):
        assert kind == cell.kind
        assert shown == (str(cell.count) if cell.count else MARKS[cell.kind].sign)
        where, _, place = link.partition("#")
        assert where in ("", f"../../measure/{rows}-by-{columns}/")
        assert place in (crossed if where else ids(page)), (cell.row, cell.column)


def test_no_two_things_on_a_page_have_the_same_id(files: dict[str, str]) -> None:
    for path, page in files.items():
        if path.endswith(".md"):
            found = re.findall(r'\bid="([^"]+)"', page)
            assert len(found) == len(set(found)), path


def test_each_kind_has_a_sign_of_its_own() -> None:
    assert set(MARKS) == set(Kind)
    assert len({mark.sign for mark in MARKS.values()}) == len(MARKS)


def test_cells_that_are_no_gaps_and_yet_sparse_are_listed_apart(files: dict[str, str]) -> None:
    part = files["gaps/index.md"].split("## Sparse cells that are not open")[1].split("## All maps")[0]
    assert "orchestration × agent" in part
    assert "RL method × managed by a harness" not in part


def test_what_has_no_card_is_said(snapshot: Pool, files: dict[str, str]) -> None:
    for pair in pairs(snapshot):
        page, map = files[map_path(*pair)], gap_map(snapshot, *pair)
        cards = re.findall(r'<section class="gapcard" id="(gap-[^"]+)"', page)
        possible = map.of(*OPEN, Kind.THIN)
        assert len(cards) == min(CARDS, len(possible))
        assert set(cards) <= {gap_anchor(cell) for cell in possible}
        assert ("have no card" in page) == (len(possible) > CARDS)


def test_a_sentence_can_be_cited_with_number_and_edition(snapshot: Pool, files: dict[str, str]) -> None:
    cell = gap_map(snapshot, "credit", "decision")["message", "stop: learned"]
    said = (
        "No entry of the pool has credit unit “message” together with orchestration decision “stop (learned)” "
        "(n = 0 of 84, edition 2026-05-04)."
    )
    assert sentence(snapshot, cell, 84) == said
    assert said in files["gaps/credit-by-decision.md"]


def test_what_a_person_wrote_stands_first_and_on_the_list(snapshot: Pool, files: dict[str, str]) -> None:
    notes = tomllib.loads((ROOT / "bib" / "gaps.toml").read_text(encoding="utf-8"))["note"]
    written, overview, shown = [note["matters"] for note in notes], unescape(files["gaps/index.md"]), []
    for pair in pairs(snapshot):
        cards = unescape(files[map_path(*pair)]).split('<section class="gapcard"')[1:]
        noted = [[text for text in written if text in card] for card in cards]
        assert noted == sorted(noted, key=lambda texts: not texts), "cards with a note before all others"
        shown += [text for texts in noted for text in texts]
    assert shown
    assert all(text in overview for text in shown)


def test_values_that_nobody_has_are_named_with_their_note(snapshot: Pool, files: dict[str, str]) -> None:
    assert not [entry for entry in snapshot if "tool-call" in entry.words("credit")]
    assert "axes/credit/tool-call/" in files["gaps/index.md"]
    notes, _ = read_notes(ROOT / "bib" / "gaps.toml", snapshot.taxonomy)
    note = replace(notes[0], cells={"credit": ("tool-call",)}, fills="An estimator that tells two calls apart.")
    page = dict(gap_pages(Facts(replace(snapshot, notes=(note,)), SITE)))["gaps/index.md"]
    assert note.fills in page and note.fills not in files["gaps/index.md"]


def test_a_note_on_a_cell_that_is_filled_by_now_is_kept_apart(snapshot: Pool) -> None:
    notes, _ = read_notes(ROOT / "bib" / "gaps.toml", snapshot.taxonomy)
    filled = next(cell for cell in gap_map(snapshot, "reward", "credit") if cell.kind is Kind.FILLED)
    note = replace(notes[0], cells={"reward": (filled.row,), "credit": (filled.column,)})
    page = dict(gap_pages(Facts(replace(snapshot, notes=(note,)), SITE)))["gaps/index.md"]
    assert "## Closed gaps" in page
    assert "Gaps that matter" not in page


def test_pages_are_light_enough_for_a_phone(files: dict[str, str]) -> None:
    # the theme adds about 35 kB; 120 kB in all is the limit
    assert {path: len(page) for path, page in files.items() if len(page.encode()) > 90_000} == {}


def test_the_same_pool_gives_the_same_files_in_any_order(snapshot: Pool, files: dict[str, str]) -> None:
    notes, _ = read_notes(ROOT / "bib" / "gaps.toml", snapshot.taxonomy)
    turned = replace(snapshot, entries=tuple(reversed(snapshot.entries)), notes=notes)
    other = dict(gap_pages(Facts(turned, SITE))) | dict(feeds(Facts(turned, SITE)))
    assert {path for path in files if files[path] != other[path] and not path.endswith(".bib")} == set()


def test_an_empty_pool_has_its_pages_too(snapshot: Pool) -> None:
    empty = replace(snapshot, entries=(), records=())
    pages = dict(gap_pages(Facts(empty)))
    assert "0 open cells" in pages["gaps/index.md"]
    assert all(map_path(*pair) in pages for pair in pairs(snapshot))


# ----------------------------------------------------------------------- feeds


def items(text: str) -> list[dict[str, str]]:
    root = ET.fromstring(text)
    assert root.tag == f"{{{ATOM}}}feed"
    for name in ("title", "id", "updated"):
        assert root.findtext(f"{{{ATOM}}}{name}")
    return [
        {name: node.findtext(f"{{{ATOM}}}{name}") or "" for name in ("title", "id", "updated", "summary")}
        | {"link": node.find(f"{{{ATOM}}}link").get("href", "")}  # type: ignore[union-attr]
        for node in root.findall(f"{{{ATOM}}}entry")
    ]


def test_every_value_has_a_feed_of_its_entries_newest_first(snapshot: Pool) -> None:
    files = dict(feeds(Facts(snapshot, SITE)))
    for axis in snapshot.taxonomy.on("entry"):
        for value in axis.values:
            found = items(files[f"axes/{axis.id}/{value}.atom"])
            assert {item["id"].split("/")[-2] for item in found} == {
                e.key for e in snapshot if value in e.words(axis.id)
            }
            assert [item["updated"] for item in found] == sorted((item["updated"] for item in found), reverse=True)


def test_every_card_has_a_feed_that_says_first_how_the_gap_stands(snapshot: Pool, files: dict[str, str]) -> None:
    for pair in pairs(snapshot):
        page = files[map_path(*pair)]
        for place in re.findall(r'<section class="gapcard" id="(gap-[^"]+)"', page):
            path = f"gaps/{'-by-'.join(pair)}/{place}.atom"
            state, *others = items(files[path])
            assert re.match(r"(Empty|1 entry|2 entries) as of 2026-05-04: ", state["title"])
            assert state["link"] == f"{SITE}gaps/{'-by-'.join(pair)}/#{place}"
            assert f"{place}.atom" in page
            assert all(item["link"].startswith(f"{SITE}entries/") for item in others)
            assert len({item["id"] for item in (state, *others)}) == len(others) + 1


def test_the_feed_of_additions_is_as_it_was(snapshot: Pool) -> None:
    with_site, without = items(feed(snapshot, SITE)), items(feed(snapshot, ""))
    assert len(with_site) == len(without) == len(snapshot)
    assert with_site[0]["link"].startswith(f"{SITE}entries/")
    assert without[0]["id"].startswith("urn:uuid:")
    assert without[0]["link"].startswith("http")


# ------------------------------------------------------ what bears on the counts


@pytest.fixture(scope="module")
def whole() -> dict[str, str]:
    return dict(gap_pages(Facts(load(ROOT / "bib"), SITE)))


def test_the_overview_says_what_bears_on_the_counts(whole: dict[str, str]) -> None:
    page = whole["gaps/index.md"]
    part = page.split('<h2 id="what-bears-on-the-counts">')[1].split("## Kinds of cells")[0]
    assert 'href="#what-bears-on-the-counts"' in page
    excluded = (ROOT / "bib" / "excluded.bib").read_text(encoding="utf-8")
    records = len(re.findall(r"^@", excluded, re.MULTILINE))
    central = len(re.findall(r"reason\s*= \{less-central-than-a-retained-entry\}", excluded))
    assert f"{central} of {records} excluded records were left out as" in part
    assert (
        "searched on purpose for credit unit <em>message</em>; orchestration decision <em>stop (learned)</em>" in part
    )
    rows = reliability_rows(part)
    taxonomy = read_taxonomy(ROOT / "bib" / "taxonomy.toml")
    assert list(rows) == [axis.label for axis in taxonomy.main]
    for name in ("category", "topology", "scenario"):
        one, other = (first_values(coding, name) for coding in LATEST)
        stated = f"{kappa(one, other):.2f} "
        assert rows[taxonomy[name].label].startswith(stated), name
        assert len(one.keys() & other.keys()) == len(re.findall(r"(?m)^@", (ROOT / "bib" / "pool.bib").read_text()))
    read = len(first_values(LATEST[0], "credit-grain"))
    for name in ("credit", "decision"):
        stated = rf"0\.\d\d \(0\.\d\d to 0\.\d\d; n = {read} read twice, blind\)"
        assert re.fullmatch(stated, rows[taxonomy[name].label]), name


def test_the_overview_says_which_axes_no_two_have_read(snapshot: Pool) -> None:
    # of the published entries only the second reading had decisions
    former = replace(snapshot, codings={id: snapshot.codings[id] for id in FORMER[0]})
    rows = reliability_rows(dict(gap_pages(Facts(former, SITE)))["gaps/index.md"])
    assert not coded(FORMER[0][0], "decision") and coded(FORMER[0][1], "decision")
    assert rows["Orchestration decision"] == "no two readers have coded it"
    assert re.fullmatch(r"0\.\d\d \(0\.\d\d to 0\.\d\d; n = 80 read twice, blind\)", rows["Credit unit"])


def reliability_rows(page: str) -> dict[str, str]:
    return dict(re.findall(r'<tr><th scope="row">([^<]+)</th><td>([^<]+)</td>', page))


def coded(coding: str, *axes: str) -> dict[str, list[str]]:
    """The keys that a coding has on all these axes, with its values in this order, as its file has them."""
    with (ROOT / "bib" / "codings" / f"{coding}.csv").open(encoding="utf-8", newline="") as stream:
        said = {(row["key"], row["axis"]): row["value"] for row in csv.DictReader(stream)}
    keys = {key for key, _ in said}
    return {key: [said[key, axis] for axis in axes] for key in keys if all((key, axis) in said for axis in axes)}


def first_values(coding: str, axis: str) -> dict[str, str]:
    """The first value of each entry; the three words for absence are one."""
    first = {key: value.split(";")[0].strip() for key, (value,) in coded(coding, axis).items()}
    return {key: "" if value in ("na", "none", "unknown") else value for key, value in first.items()}


def kappa(one: dict[str, str], other: dict[str, str]) -> float:
    """Cohen's kappa of two readers on the entries of both."""
    keys = one.keys() & other.keys()
    sides = [Counter(side[key] for key in keys) for side in (one, other)]
    alike = sum(one[key] == other[key] for key in keys) / len(keys)
    by_chance = sum(sides[0][word] * sides[1][word] for word in sides[0]) / len(keys) ** 2
    return (alike - by_chance) / (1 - by_chance)


def test_each_map_and_card_says_how_reliable_its_axes_are(whole: dict[str, str]) -> None:
    page = whole["gaps/credit-by-topology.md"]
    stated = re.search(r'id="reliability">(.*?)</p>', page)
    assert stated
    kappas = {label: float(value) for label, value in re.findall(r">(credit unit|team shape)</a> (0\.\d+)", stated[1])}
    assert len(kappas) == 2
    lower = min(kappas, key=lambda label: kappas[label])
    assert f"here {lower}." in stated[1]
    assert stated[1].count("read twice, blind") == 2
    cards = page.split('<section class="gapcard"')[1:]
    assert all(
        "<dt>Coding</dt><dd>" in card and f"the less reliable of the two axes is {lower}: " in card for card in cards
    )
    assert all(re.search(r"<dt>Coding</dt><dd>(all )?read|<dt>Coding</dt><dd>\d+ read once", card)
               for card in cards if "<dt>Entries</dt>" in card)  # fmt: skip
    assert "here orchestration decision." in whole["gaps/credit-by-decision.md"]


def test_cross_tabulations_say_how_often_the_entries_of_a_cell_were_read() -> None:
    whole = load(ROOT / "bib")
    pool = replace(whole, codings={id: whole.codings[id] for pair in FORMER for id in pair})
    again = {key for pair in FORMER for key in set.intersection(*({*coded(id, "credit", "topology")} for id in pair))}
    assert 0 < len(again) < len(whole), "by the former codebook some entries were read once"
    _, page = crosstab_page(Facts(pool), "credit", "topology")
    assert 'id="reliability"' in page and "here team shape." in page
    assert "Where it says neither, the interval is the count alone, and all its entries were read twice." in page
    shown = re.findall(r'<dt><b>[^<]*</b> <span class="n">(\d+)</span>(.*?)</dt>', page)
    filled = [cell.entries for row in table_of(Facts(pool), "credit", "topology") for cell in row.filled]
    assert [int(number) for number, _ in shown] == [len(entries) for entries in filled]
    for (number, said), entries in zip(shown, filled, strict=True):
        twice = sum(entry.key in again for entry in entries)
        assert (f"read twice {twice} of {number}" in said) is (twice < len(entries))
        assert ("read twice" in said) is (twice < len(entries))
    _, page = crosstab_page(Facts(whole), "credit", "topology")
    assert not re.search(r"read twice \d", page.partition("## Entries by cell")[2]), "all were read by two"


def test_three_axes_are_held_against_their_pairs_and_say_how_many_cells_were_looked_at(whole: dict[str, str]) -> None:
    part = whole["gaps/index.md"].split("## Gaps across three axes")[1].split("<h2")[0]
    assert "without a term for three values" in part
    assert part.count("No cell of the triple, empty or filled, holds surprisingly few entries") == 3
    # the cells listed have entries in every pair and none in the triple
    pool = load(ROOT / "bib")
    named = {axis: names(pool, axis) for triple in pool.taxonomy.gaps.triples for axis in triple}
    lists = re.findall(r'(?s)the lowest probability is ([\d.]+)\..*?<ul class="works">(.*?)</ul>', part)
    for triple, (lowest, cells) in zip(pool.taxonomy.gaps.triples, lists, strict=True):
        found = re.findall(
            r"<li>([^<]+) <span.*?probability of none (\S+) for this cell, (.+?) among all cells of the triple", cells
        )
        assert found
        for cell, alone, among in found:
            labels = cell.split(" × ")
            having = [named[axis][label] for axis, label in zip(triple, labels, strict=True)]
            assert all(one & other for one, other in combinations(having, 2)), cell
            assert not set.intersection(*having), cell
            among_all = float(among.removeprefix("&gt; "))
            assert among_all >= max(float(lowest), 0.05), "no surprise among so many cells"
            assert float(alone) <= among_all, "one cell is empty less often than some cell is"


def names(pool: Pool, axis: str) -> dict[str, set[str]]:
    """The entries that count under each value of an axis, by the label that pages on gaps give it."""
    having: dict[str, set[str]] = defaultdict(set)
    known = pool.taxonomy[axis]
    for entry in pool:
        tags = [tag for tag in entry.tags[axis] if not tag.absent]
        for tag in tags[:1] if known.shape is Shape.RANKED else tags:
            how = f" ({known.qualifiers[tag.qualifier].label})" if tag.qualifier else ""
            having[known.values[tag.word].label + how].add(entry.key)
    return having


def test_a_survey_without_codings_searches_or_exclusions_has_pages_on_gaps_too() -> None:
    taxonomy = read_taxonomy(ROOT / "tests" / "literature" / "bread" / "taxonomy.toml")
    bread = load(ROOT / "tests" / "literature" / "bread")
    axes = {
        id: replace(axis, main=axis.on == "entry" and axis.shape is not Shape.QUANTITY)
        for id, axis in taxonomy.axes.items()
    }
    pages = dict(gap_pages(Facts(replace(bread, taxonomy=replace(bread.taxonomy, axes=axes)), SITE)))
    assert len(pages) > 2
    for path, page in pages.items():
        if path.endswith(".md") and path != "gaps/index.md":
            assert "no two readers have coded it" in page
        assert "Searching." not in page and "Excluding." not in page
