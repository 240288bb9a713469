"""Page builders: a pool in, files out; nothing from the pool can act in a page."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import MappingProxyType
from urllib.parse import parse_qs, urlsplit

import pytest
from mkdocs.config import load_config

from survey.literature import Pool, Shape, load
from survey.literature.bibtex import Field
from survey.literature.related import first_to_know, neighbours
from survey.site.build import build
from survey.site.facts import Facts
from survey.site.html.addresses import url
from survey.site.markup.citations import reference
from survey.site.markup.text import inert
from survey.site.markup.works import LISTED
from survey.site.pages.axes.builder import KNOWN_FIRST, axis_pages
from survey.site.pages.counts.crosstab import SHOWN, crosstab_page, table_of
from survey.site.pages.entries.builder import entry_pages
from survey.site.prose.chapters import chapters, mentions
from tests.browser.explorer.explorer_site import grown
from tests.conftest import ROOT, few_data

HOSTILE = "</title><script>alert(1)</script> {{ 7*7 }} {% raw %} [x](javascript:alert(2)) **bold** `code` | # head ![i](x) $$1$$ [@c3]"


@pytest.fixture(scope="module")
def files(pool: Pool) -> dict[str, str | bytes]:
    return build(Facts(pool, "https://example.org/", "https://example.org/issues/new"))


def test_there_is_a_page_for_every_entry_axis_and_value(pool: Pool, files: dict[str, str | bytes]) -> None:
    for entry in pool:
        assert {f"entries/{entry.key}.md", f"entries/{entry.key}.bib"} <= set(files)
    for axis in pool.taxonomy:
        assert f"axes/{axis.id}/index.md" in files
        assert all(f"axes/{axis.id}/{value}.md" in files for value in axis.values)


def test_no_published_address_vanishes(files: dict[str, str | bytes]) -> None:
    written = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    notebooks = {path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks").glob("*.ipynb")}
    listed = (ROOT / "tests" / "site" / "addresses.txt").read_text().splitlines()
    published = {line for line in listed if line and not line.startswith("#")}
    assert sorted(published - set(files) - written - notebooks) == []


def test_an_entry_that_was_renamed_is_found_under_its_old_key(pool: Pool) -> None:
    few = pool.keep(["c3", "magrpo"])
    block = replace(few["c3"].block, fields=MappingProxyType({**few["c3"].block.fields, "ids": Field("c3-2026", 1)}))
    renamed = replace(few, entries=tuple(replace(e, block=block) if e.key == "c3" else e for e in few))
    page = str(dict(entry_pages(Facts(renamed)))["entries/c3-2026.md"])
    assert "(../entries/c3.md)" in page


def test_pages_say_what_the_pool_says(pool: Pool, files: dict[str, str | bytes]) -> None:
    page = str(files["entries/coma2018.md"])
    for axis in pool["coma2018"].tags:
        why = pool["coma2018"].why(axis)
        assert not why or why[:40].split("'")[0] in page


def test_a_long_list_shows_the_newest_and_leads_to_the_table_for_the_others(
    pool: Pool, files: dict[str, str | bytes]
) -> None:
    long = 0
    for axis in pool.taxonomy.on("entry"):
        for value in () if axis.qualifiers else axis.values:
            page = str(files[f"axes/{axis.id}/{value}.md"])
            every = list(pool.where([(axis.id, value)]))
            ranked = axis.shape is Shape.RANKED
            parts = [
                [e for e in every if e.primary(axis.id) == value],
                [e for e in every if e.primary(axis.id) != value],
            ]
            for works, keys in zip([some for some in (parts if ranked else [every]) if some], lists(page), strict=True):
                shown = [pool[key] for key in keys]
                assert len(shown) == min(len(works), LISTED)
                dates = [(work.year, work.appeared) for work in shown]
                assert dates == sorted(dates, reverse=True)
                assert all((work.year, work.appeared) <= dates[-1] for work in works if work not in shown)
                if len(works) > LISTED:
                    assert f"The newest {LISTED} of {len(works)}." in page
                    assert f'<a href="../../../explore/?{axis.id}={value}">All in' in page
                    long += 1
            if ranked and every:
                assert f"## {len(every)} entr" in page
                assert f": {len(parts[0])} as first value, {len(parts[1])} also" in page
    assert long


def test_the_page_of_a_value_begins_with_the_works_to_know_first(pool: Pool) -> None:
    files = dict(axis_pages(Facts(pool, chapters=chapters(ROOT / "docs"))))
    for axis in pool.taxonomy.on("entry"):
        for value in axis.values:
            page, every = files[f"axes/{axis.id}/{value}.md"], pool.works_with(axis, value)
            begin, _, rest = page.partition("\n## Start here")[2].partition("</ol>")
            known = re.findall(r'<li><a href="[^"]*/entries/([^/"]+)/">', begin)
            assert len(known) == min(KNOWN_FIRST, len(every)), value
            assert {*known} <= {entry.key for entry in every}
            assert not known or " entr" in rest  # the lists come after it
            assert all(pool[key].text("summary")[:40] in unescape(begin) for key in known)
    first = files["axes/credit/message.md"].partition("## Start here")[2].partition("</li>")[0]
    assert "entries/c3/" in first
    assert re.search(r'core · explicit credit: yes · discussed in <a href="../../../read/\w+/">', first)
    axis_page = files["axes/credit/index.md"]
    assert axis_page.index("## Start here") < axis_page.index("<svg") < axis_page.index("## Values")


def test_a_work_leads_to_the_chapters_that_discuss_it(pool: Pool) -> None:
    files = dict(entry_pages(Facts(pool, chapters=chapters(ROOT / "docs"))))
    assert 'Discussed in <a href="../../read/credit/">Credit</a> ×4' in files["entries/c3.md"]
    undiscussed = next(e.key for e in pool if not mentions(chapters(ROOT / "docs"), e.key))
    assert "Discussed in" not in files[f"entries/{undiscussed}.md"]


def test_a_cell_of_a_large_table_lists_what_to_know_first(pool: Pool) -> None:
    large = grown(pool, 3 * len(pool))
    places = [(row.id, cell) for row in table_of(Facts(large), "reward", "topology") for cell in row.filled]
    row, fullest = max(places, key=lambda place: len(place[1].entries))
    assert len(fullest.entries) > LISTED
    _, page = crosstab_page(Facts(large), "reward", "topology")
    line = page.partition(f'id="{fullest.anchor}"')[2].partition("</div>")[0]
    shown = re.findall(r'<a href="[^"]*/entries/([^/"]+)/">', line)
    asked = [("reward", row), ("topology", fullest.id)]
    assert shown == [work.key for work in first_to_know(fullest.entries, asked, {}, large.taxonomy)[:SHOWN]]
    link = f'<a href="../../explore/?reward={row}&amp;topology={fullest.id}">all {len(fullest.entries)}</a>'
    assert link in line


def lists(page: str) -> list[list[str]]:
    """The works of each list on a page, in its order."""
    parts = [part.partition("</ul>")[0] for part in page.split('<ul class="works">')[1:]]
    return [re.findall(r'<li><a href="[^"]*/entries/([^/"]+)/">', part) for part in parts]


def test_every_tag_can_be_disputed_with_an_issue_already_filled_in(files: dict[str, str | bytes]) -> None:
    page = str(files["entries/c3.md"])
    links = [
        parse_qs(urlsplit(unescape(link)).query)
        for link in re.findall(r'href="(https://example.org/issues/new[^"]+)"', page)
    ]
    titles = [query["title"][0] for query in links]
    assert "Tag in dispute: c3, credit" in titles
    assert len(titles) == len([axis for axis in files if axis.startswith("axes/") and axis.endswith("index.md")]) - 5


def test_without_a_known_repository_there_is_no_link_to_nowhere(pool: Pool) -> None:
    assert "Dispute this tag" not in str(dict(entry_pages(Facts(pool.keep(["c3"]))))["entries/c3.md"])


def test_neighbours_share_rare_tags_and_never_name_the_entry_itself(pool: Pool) -> None:
    for key, near in neighbours(pool).items():
        assert len(near) == 5
        assert key not in [other for other, _ in near]
        assert all(shared for _, shared in near)


@pytest.mark.parametrize(
    "text", [HOSTILE, "1. one", "- a", "+ b", "a\n===", "[ref]: x", "<!-- x -->", "&amp;", "a_b_c", "~x~"]
)
def test_inert_text_has_no_character_that_markdown_or_html_obeys(text: str) -> None:
    bare = re.sub(r"&#\d+;", "", str(inert(text)))
    assert not re.search(r"[<>*_`\[\]{}#|$\\&!~=:@\"]", bare)


LINKS = [
    ("index.md", "entries/c3.md", "entries/c3/"),
    ("read/credit.md", "entries/c3.md", "../../entries/c3/"),
    ("axes/reward/index.md", "axes/reward/shared.md", "shared/"),
    ("axes/reward/shared.md", "axes/reward/index.md", "../"),
    ("entries/c3.md", "index.md", "../../"),
    ("glossary.md", "data/pool.bib", "../data/pool.bib"),
    ("measure/index.md", "axes/reward/index.md", "../axes/reward/"),
]


@pytest.mark.parametrize(("source", "target", "link"), LINKS, ids=[f"{a} to {b}" for a, b, _ in LINKS])
def test_links_are_relative_to_where_a_page_is_published(source: str, target: str, link: str) -> None:
    assert url(source, target) == link


# ------------------------------------------------------------------ the plugin


def project_in(folder: Path) -> Path:
    """A project of its own with a little data and one page."""
    few_data(folder)
    (folder / "docs").mkdir()
    (folder / "docs" / "index.md").write_text("# Home\n\n{{ count() }} entries, [@c3].\n")
    (folder / "mkdocs.yml").write_text(
        "site_name: T\nplugins: [survey]\nmarkdown_extensions: [attr_list, md_in_html, tables]\n"
    )
    return folder


def built(project: Path, *options: str) -> str:
    """Build as a person does; what the build complains about, empty if it succeeds."""
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", "site", *options]
    result = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300)
    return result.stderr if result.returncode else ""


def test_a_plain_mkdocs_project_needs_the_plugin_and_nothing_else(tmp_path: Path) -> None:
    assert built(project_in(tmp_path)) == ""
    assert f"{len(load(tmp_path / 'bib'))} entries" in (tmp_path / "site" / "index.html").read_text()
    assert (tmp_path / "site" / "entries" / "c3" / "index.html").is_file()
    assert sorted(p.name for p in (tmp_path / "docs").iterdir()) == ["index.md"]


def test_a_survey_of_another_field_builds_strictly(tmp_path: Path) -> None:
    """Other axes, families, rules and readers, another language, and of each as little as can be."""
    shutil.copytree(ROOT / "tests" / "fuzz" / "seeds" / "bib", tmp_path / "bib")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(
        '# Small\n\n{{ count() }} entries, [@key2026].\n\n{{ chart("reward") }}\n'
    )
    ours = (ROOT / "mkdocs.yml").read_text()
    (tmp_path / "mkdocs.yml").write_text(re.sub(r"(?ms)^nav:.*", "", ours))
    assert built(tmp_path, "--strict") == ""
    glossary = (tmp_path / "site" / "glossary" / "index.html").read_text()
    assert '<th scope="col" lang="fr">Français</th>' in glossary
    assert "The terms of the survey in English and in French, with their definitions." in glossary
    agreement = (tmp_path / "site" / "measure" / "agreement" / "index.html").read_text()
    assert "1 entry of the pool was read again, blind to" in agreement


def test_a_wrong_figure_stops_the_build_with_file_and_line(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    (project / "docs" / "index.md").write_text('# Home\n\n{{ count("reward=shard") }}\n')
    assert 'docs/index.md:3: "shard" is not a value of reward (did you mean "shared"?)' in built(project)


def test_a_wrong_pool_stops_the_build_with_its_own_messages(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    (project / "bib" / "pool.bib").write_text("@misc{a, title = {x}}\n")
    complaint = built(project)
    assert "the data has problems:" in complaint
    assert "bib/pool.bib:1: entry a: author: is missing" in complaint


def test_a_hand_written_page_is_never_replaced(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    (project / "docs" / "glossary.md").write_text("# Mine\n")
    assert "docs/glossary.md has the path of a computed page: rename or delete it" in built(project)


def test_the_plugin_watches_the_data_and_the_package(tmp_path: Path) -> None:
    config = load_config(str(project_in(tmp_path) / "mkdocs.yml"))
    config.plugins.on_startup(command="serve", dirty=False)
    config.plugins.on_config(config)
    assert str(tmp_path / "bib") in config.watch
    assert str(ROOT / "survey") in config.watch


# ------------------------------------------------------------- screening


def test_the_screening_page_counts_searches_by_family(pool: Pool, files: dict[str, str | bytes]) -> None:
    page = str(files["measure/screening.md"])
    hits, screened, kept = pool.searches.totals
    assert f"{hits} hits, of which {screened} were read as abstracts and {kept} were added to the pool" in page
    written = re.findall(r"<dt>(.+?)</dt><dd>(?:.*?<code>(.*?)</code>|<a href=\"#query-(\d+)\">.+?)</dd>", page)
    first = dict(re.findall(r'id="query-(\d+)">.*?</span> <code>(.*?)</code>', page))
    asked = Counter(unescape(query or first[number]) for _, query, number in written)
    assert asked == Counter(search.query for search in pool.searches.searches), "each search with its query"
    assert page.count("<code>") == len(asked), "and each query once"


def test_the_screening_page_tells_how_current_the_survey_is(files: dict[str, str | bytes]) -> None:
    """Counted anew from the files."""
    page = str(files["measure/screening.md"])
    with (ROOT / "bib" / "screened.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    waiting = [row for row in rows if row["decision"] in ("", "skipped")]
    again = sum(bool(row["decision"]) for row in waiting)
    assert f"{len(rows) - len(waiting)} of {len(rows)} candidates that entered the queue are decided" in page
    assert f"; {len(waiting)} others wait, {again} of them read once." in page
    best = sorted((float(row["score"]) for row in waiting if row["score"]), reverse=True)
    titles = [unescape(title) for title in re.findall(r'<li><a href="https://arxiv.org/abs/[^"]+">(.*?)</a>', page)]
    scores = {row["title"]: float(row["score"] or "-inf") for row in waiting}
    assert [scores[title] for title in titles if scores.get(title, -1e9) > -1e9] == best[: len(titles)]
    assert f"{len(waiting) - 40} more are in bib/screened.csv" in page if len(waiting) > 40 else len(titles) <= 40
    log = tomllib.loads((ROOT / "bib" / "searches.toml").read_text())
    for month in log["evaluation"]["month"]:
        row = re.search(rf'<tr><th scope="row">{month["month"]}</th>(.*?)</tr>', page)
        assert row
        cells = re.findall(r'<td class="number">(\d+)', row[1])
        assert [*map(int, cells)] == [month["seen"], month["came"], *month["read"]]


def test_every_chart_that_can_be_made_interactive_has_its_specification(files: dict[str, str | bytes]) -> None:
    asked = {
        spec
        for page, text in files.items()
        if page.endswith(".md") and isinstance(text, str)
        for spec in re.findall(r'data-spec="(?:\.\./)*(charts/[^"]+)"', text)
    }
    assert {"charts/by-reward.json", "charts/scale-agents.json"} < asked <= files.keys()


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Pool:
    """One entry without a tag or a place of publication, in a survey with one axis and no word for what is absent."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "taxonomy.toml").write_text(
        '[survey]\ntitle = "Bare"\n[axis.topic]\nlabel = "Topic"\ndefinition = "What it is on."\nshape = "set"\n'
        '[axis.topic.value.rye]\nlabel = "rye"\ndefinition = "On rye."\nrule = "r"\npositive = "p"\nnegative = "n"\n'
    )
    (folder / "pool.bib").write_text(
        "@misc{a, author = {Doe, Jane}, title = {Loaf 81}, year = {2020}, url = {https://a.org}}"
    )
    return load(folder)


def test_a_page_has_no_heading_without_content(bare: Pool) -> None:
    entry, axes = dict(entry_pages(Facts(bare)))["entries/a.md"], dict(axis_pages(Facts(bare)))["axes/index.md"]
    assert re.findall(r"(?m)^## ([^{\n]*[^{\n ])", str(entry)) == ["Cite"]
    assert '<p class="source" data-search-exclude></p>' not in str(entry)
    assert re.findall(r"(?m)^## (.*)", str(axes)) == []


def test_the_kinds_of_absent_values_are_counted(pool: Pool) -> None:
    bread = load(ROOT / "tests" / "site" / "bread")
    for survey, number in ((pool, "Three kinds"), (bread, "Two kinds")):
        assert f"## {number} of absent values" in str(dict(axis_pages(Facts(survey)))["axes/index.md"])


def test_a_reference_without_a_place_ends_with_its_title(bare: Pool) -> None:
    assert reference(bare["a"]) == "Jane Doe (2020). Loaf 81."
    block = bare["a"].block
    named = replace(block, fields=MappingProxyType({**block.fields, "howpublished": Field("Ann. Bak.", 1)}))
    assert reference(replace(bare["a"], block=named)) == "Jane Doe (2020). Loaf 81. Ann. Bak."
