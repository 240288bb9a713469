"""Text that attacks: what the checks refuse, and what becomes of the rest in everything that is written from it."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pyarrow.parquet
import pytest

from survey.literature import Pool, load, parse_bibtex
from survey.literature.bibtex import readable
from survey.literature.export import FORMATS
from survey.literature.loading import read_pool
from survey.site.build import build
from survey.site.facts import Facts
from survey.site.pages.data_files.dataset import dataset
from survey.site.publishing.policy import Policy, Unexpected
from tests.site.hostile import FORMULAS, HOST, KEYS, attack, write_hostile

SITE = "https://example.org/"


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Pool:
    return load(write_hostile(tmp_path_factory.mktemp("hostile")))


@pytest.fixture(scope="module")
def files(pool: Pool) -> dict[str, str | bytes]:
    return build(Facts(pool, SITE, f"{SITE}issues/new"))


# ------------------------------------------------------- what does not come in

REFUSED = {
    "javascript link": ("pool.bib", r"url = \{[^}]*\}", "url = {javascript:alert(1)}",
        'url: "javascript:alert(1)" is not a web address (expected http:// or https://)'),
    "javascript in capitals": ("pool.bib", r"code = \{[^}]*\}", "code = {JaVaScRiPt://x/%0aalert(1)}",
        'code: "JaVaScRiPt://x/%0aalert(1)" is not a web address (expected http:// or https://)'),
    "data link": ("pool.bib", r"sources = \{[^}]*\}", "sources = {data:text/html,x}",
        'sources: "data:text/html,x" is not a web address (expected http:// or https://)'),
    "address without a host": ("excluded.bib", r"url = \{[^}]*\}", "url = {https:alert(1)}",
        'url: "https:alert(1)" is not a web address (expected http:// or https://)'),
    "address that ends an attribute": ("background.bib", r"url = \{[^}]*\}", 'url = {https://x/"onclick="a}',
        'url: "https://x/"onclick="a" is not a web address (expected http:// or https://)'),
    "tag in a DOI": ("pool.bib", r"doi = \{[^}]*\}", "doi = {10.1000/<b>}",
        'doi: "10.1000/<b>" is not a DOI ('),
    "key that leaves its folder": ("pool.bib", "hostile3", "../hostile3",
        '"../hostile3" cannot be a key (letters, digits, . _ + -, and : / inside)'),
    "key that is the name of a list": ("pool.bib", "hostile3", "ReadMe",
        '"ReadMe" cannot be a key (the site has another page or file of this name)'),
    "key that is the file of another entry": ("pool.bib", "hostile3", "hostile2.bib",
        '"hostile2.bib" cannot be a key (the site has another page or file of this name)'),
    "former key that leaves its folder": ("pool.bib", r"ids = \{[^}]*\}", "ids = {a, ../../a}",
        'ids: "../../a" cannot be a key (letters, digits, . _ + -, and : / inside)'),
    "value that is the name of a list": ("taxonomy.toml", r"\[axis\.scale\.value\.[a-z-]+\]", "[axis.scale.value.index]",
        'axis.scale.value.index: "index" cannot be an id (lower case, digits, single hyphens; not index or readme)'),
    "key with a tag": ("pool.bib", "hostile3", "<b>", '"<b>" cannot be a key (letters, digits, . _ + -, and : / inside)'),
    "LaTeX that reads a file": ("pool.bib", r"title = \{", r"title = {\\input{secret} ", "the LaTeX command \\input cannot be shown"),
    "text turned round": ("pool.bib", r"summary = \{", "summary = {\u202e",
        "summary: contains the character U+202E, which cannot be seen (delete it)"),
    "text turned round in an isolate": ("excluded.bib", r"why-reason = \{", "why-reason = {\u2067",
        "why-reason: contains the character U+2067, which cannot be seen (delete it)"),
    "coding turned round": ("codings/one.csv", "=1 why", "\u202e=1 why", "contains the character U+202E in line 2 (delete it)"),
    "taxonomy turned round": ("taxonomy.toml", "positive = \"", "positive = \"\u202e",
        "contains the character U+202E, which cannot be seen (delete it)"),
    "claim turned round by an escape": ("claims.toml", "sentence = \"", 'sentence = "\\\\u202e',
        "contains the character U+202E, escaped as \\u, which cannot be seen (delete it)"),
    "control character that no feed may hold": ("gaps.toml", "matters = \"", 'matters = "\\\\u0001',
        "contains the character U+0001, escaped as \\u, which cannot be seen (delete it)"),
    "axis named by markup": ("taxonomy.toml", r"\[axis\.scale\.value\.parallel\]", "[axis.scale.value.'<b>']",
        'axis.scale.value.<b>: "<b>" cannot be an id (lower case, digits, single hyphens; not index or readme)'),
    "claim named by markup": ("claims.toml", "\nfew = ", "\n'<b>' = ",
        "claim.<b>: is not an id (lower case, digits, single hyphens; not index or readme)"),
}  # fmt: skip
"""A file, what in it is replaced (a pattern, once) by what, and what is said of it."""


@pytest.mark.parametrize(("name", "pattern", "replacement", "message"), list(REFUSED.values()), ids=list(REFUSED))
def test_what_could_act_is_refused_with_its_place(
    tmp_path: Path, name: str, pattern: str, replacement: str, message: str
) -> None:
    path = write_hostile(tmp_path) / name
    path.write_text(re.sub(pattern, replacement, path.read_text("utf-8"), count=1), encoding="utf-8")
    _, problems = read_pool(tmp_path / "bib")
    said = [str(problem) for problem in problems if problem.path == str(path)]
    assert [line for line in said if message in line], said


def test_the_rest_comes_in_whole(pool: Pool) -> None:
    assert [entry.title for entry in pool] == [attack(f"title{n}", start) for n, start in enumerate(FORMULAS)]
    assert [entry.text("summary") for entry in pool] == [attack(f"summary{n}", s) for n, s in enumerate(FORMULAS)]
    assert pool.taxonomy["reward"].label == attack("rewarden")


# ------------------------------------------------------------------ what goes out


@pytest.mark.parametrize("form", ["bib", "bib-tagged"])
def test_bibtex_is_read_back_with_the_same_texts(pool: Pool, form: str) -> None:
    document = parse_bibtex(FORMATS[form](pool).decode())
    assert document.problems == ()
    assert [readable(block.text("title")) for block in document.blocks] == [entry.title for entry in pool]


def test_no_text_begins_a_line_or_a_record_of_ris(pool: Pool) -> None:
    lines = FORMATS["ris"](pool).decode().splitlines()
    assert [line for line in lines if line and not re.match(r"[A-Z][A-Z0-9]  - ", line)] == []
    assert sum(line.startswith("TY  - ") for line in lines) == len(pool)


def test_no_cell_of_the_csv_is_a_formula_and_the_text_can_be_had_back(pool: Pool) -> None:
    head, *rows = csv.reader(io.StringIO(FORMATS["csv"](pool).decode(), newline=""))
    assert len(rows) == len(pool)
    assert [cell for row in rows for cell in row if cell[:1] in tuple("=+-@\t\r\n＝＋－＠")] == []
    titles = [row[head.index("title")] for row in rows]
    assert titles == [f"'{entry.title}" for entry in pool]


def test_what_the_explorer_exports_is_as_harmless(files: dict[str, str | bytes]) -> None:
    exports = json.loads(str(files["explore/exports.json"]))
    lines = exports["header"] + "".join(exports["entries"][key]["csv"] for key in KEYS)
    for row in csv.DictReader(io.StringIO(lines, newline="")):
        assert row["title"].startswith("'")
        assert row["summary"].startswith("'")


@pytest.mark.parametrize("form", ["json", "csl-json"])
def test_json_holds_the_texts_as_they_are(pool: Pool, form: str) -> None:
    data = json.loads(FORMATS[form](pool))
    entries = data["entries"] if form == "json" else data
    assert [entry["title"] for entry in entries] == [entry.title for entry in pool]


def test_parquet_holds_the_texts_as_they_are(pool: Pool) -> None:
    table = pyarrow.parquet.read_table(io.BytesIO(FORMATS["parquet"](pool)))
    assert table.column("title").to_pylist() == [entry.title for entry in pool]
    assert table.column("summary").to_pylist() == [entry.text("summary") for entry in pool]


def test_every_feed_is_well_formed_and_links_to_the_site_alone(files: dict[str, str | bytes]) -> None:
    feeds = {path: ET.fromstring(str(text)) for path, text in files.items() if path.endswith(".atom")}
    assert len(feeds) > 10
    for path, feed in feeds.items():
        assert {element.tag.partition("}")[0] for element in feed.iter()} == {"{http://www.w3.org/2005/Atom"}, path
        assert [
            link.get("href") for link in feed.findall(".//{*}link") if not str(link.get("href")).startswith(SITE)
        ] == []
    summaries = [str(node.text) for node in feeds["feed.atom"].findall(".//{*}summary")]
    assert attack("summary0", FORMULAS[0]) in summaries


def test_every_file_of_data_is_json(files: dict[str, str | bytes]) -> None:
    for path, text in files.items():
        if path.endswith(".json"):
            json.loads(text)


def test_the_description_of_the_data_names_no_other_host(pool: Pool) -> None:
    assert HOST not in json.dumps([part["contentUrl"] for part in dataset(pool, SITE)["distribution"]])  # type: ignore[attr-defined]


# ------------------------------------------------------------ a page that slipped

POLICY = Policy.of(lambda name: f"<script>{name}()</script>", ["theme"])
HEAD = '<meta charset="utf-8">'


def test_a_page_gets_its_policy_right_after_its_encoding() -> None:
    page = POLICY.applied(f"{HEAD}<script>theme()</script>")
    assert page.startswith(
        f'{HEAD}<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; script-src'
    )


@pytest.mark.parametrize("way", ["", ".", "../..", "/survey/"])
def test_the_policy_of_a_page_does_not_depend_on_its_depth(way: str) -> None:
    theme = '<script>__md_scope=new URL("{{ way }}",location),more()</script>'
    policy = Policy.of(lambda _: theme, ["base"])
    page = policy.applied(HEAD + theme.replace("{{ way }}", way))
    assert str(policy) in page
    assert f'data-scope="{way}"' in page


@pytest.mark.parametrize(
    "script",
    ["<script>attacked()</script>", "<SCRIPT\n>attacked()</SCRIPT >", "<script type='module'>attacked()</script>"],
)
def test_a_script_that_the_theme_did_not_bring_stops_the_build(script: str) -> None:
    with pytest.raises(Unexpected) as error:
        POLICY.applied(f"{HEAD}{script}")
    assert str(error.value) == 'the inline script "attacked()" is not from the theme (put it into a file of assets/)'
