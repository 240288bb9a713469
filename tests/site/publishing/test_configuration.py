"""mkdocs.yml as the folder of pages takes it: what MkDocs allows is read, what is wrong is said with its line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from survey.literature import InvalidSurvey
from survey.site.publishing.configuration import links_outside, read_configuration
from survey.site.publishing.settings.defaults import SEARCH


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    return Path()


def plain(project: Path, text: str) -> dict[str, Any]:
    (project / "mkdocs.yml").write_text(text)
    settings: dict[str, Any] = yaml.safe_load(read_configuration(project).plain((), ()))
    return settings


@pytest.mark.parametrize(
    ("plugins", "left"),
    [
        ("[survey, search]", [{"search": SEARCH}]),
        ("[search: {lang: en}, survey: {bib: data}, mkdocs-jupyter: {}]", [{"search": {**SEARCH, "lang": "en"}}]),
        ("{search: {lang: en}, survey: {}}", {"search": {**SEARCH, "lang": "en"}}),
        ("", []),
    ],
    ids=["names", "options", "a mapping", "none"],
)
def test_our_plugins_go_and_others_stay_with_their_options(project: Path, plugins: str, left: object) -> None:
    assert plain(project, f"site_name: T\nplugins: {plugins}\n")["plugins"] == left


def test_what_a_survey_leaves_to_the_plugin_is_written_out_for_other_generators(project: Path) -> None:
    found = plain(project, "site_name: T\ntheme: material\nplugins: [search, survey]\nextra_css: [own.css]\n")
    assert found["theme"]["font"] is False
    assert found["theme"]["custom_dir"] == "overrides"
    assert found["extra_css"] == ["assets/survey.css", "own.css"]
    assert found["extra_javascript"] == ["assets/survey.js"]
    assert {"toc": {"permalink": "#", "permalink_title": "Link to this section"}} in found["markdown_extensions"]
    assert found["validation"]["links"]["anchors"] == "warn"
    assert found["plugins"][0]["search"]["pipeline"] == ["stopWordFilter", "stemmer"]


def test_what_a_survey_states_itself_stays(project: Path) -> None:
    theme = "theme: {name: material, font: {text: Inter}, features: []}"
    more = "markdown_extensions: [attr_list, toc: {permalink: true}]\nvalidation: {anchors: ignore}"
    found = plain(project, f"site_name: T\n{theme}\nplugins: [search: {{separator: x}}, survey]\n{more}\n")
    assert (found["theme"]["font"], found["theme"]["features"]) == ({"text": "Inter"}, [])
    assert found["plugins"][0]["search"]["separator"] == "x"
    assert found["markdown_extensions"][:2] == ["attr_list", {"toc": {"permalink": True}}]
    assert found["markdown_extensions"].count("attr_list") == 1
    assert found["validation"] == {
        "anchors": "ignore",
        "links": {"absolute_links": "warn", "unrecognized_links": "warn"},
    }


def test_a_survey_without_a_navigation_gets_one_of_the_pages_that_it_has(project: Path) -> None:
    (project / "mkdocs.yml").write_text("site_name: T\n")
    pages = ["claims/index.md", "entries/a.md", "explore/index.md", "take-part/new-entry.md"]
    own = ["index.md", "about.md", "read/one.md", "take-part/citing.md"]
    assert yaml.safe_load(read_configuration(project).plain(pages, own))["nav"] == [
        {"Home": "index.md"},
        "about.md",
        {"Read": ["read/one.md"]},
        {"Explore": [{"All entries": "explore/index.md"}]},
        {"Measure": [{"Claims": "claims/index.md"}]},
        {"Contribute and cite": [{"New entry form": "take-part/new-entry.md"}, "take-part/citing.md"]},
    ]


def test_a_folder_of_pages_that_is_left_open_is_the_usual_one(project: Path) -> None:
    plain(project, "docs_dir:\n")
    assert read_configuration(project).docs == Path("docs")


def test_a_theme_may_be_a_name_and_its_overrides_come_along(project: Path) -> None:
    assert plain(project, "theme: readthedocs\n")["theme"] == "readthedocs"
    (project / "changed").mkdir()
    assert plain(project, "theme: {name: material, custom_dir: changed}\n")["theme"]["custom_dir"] == "overrides"
    assert read_configuration(project).overrides == Path("changed")


def test_notebooks_are_named_as_the_pages_that_they_become(project: Path) -> None:
    nav = plain(project, "nav: [index.md, {Notebooks: [{One: notebooks/one.ipynb}]}]\n")["nav"]
    assert nav == ["index.md", {"Notebooks": [{"One": "notebooks/one.md"}]}]


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("!ENV [NOT_SET, HERE, 'https://default/']", "https://here/"),
        ("!ENV [NOT_SET, 'https://default/']", "https://default/"),
        ("!ENV HERE", "https://here/"),
        ("!ENV NOT_SET", ""),
        ("!ENV []", ""),
        ("", ""),
    ],
)
def test_the_environment_is_asked_as_mkdocs_asks_it(
    project: Path, monkeypatch: pytest.MonkeyPatch, value: str, url: str
) -> None:
    monkeypatch.setenv("HERE", "https://here/")
    plain(project, f"site_url: {value}\n")
    assert read_configuration(project).site_url == url


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "site_name: T\nnav:\n  - a: b: c\n",
            "mkdocs.yml:3: not YAML that we can read: mapping values are not allowed",
        ),
        ("a: 1\nb: !!python/name:x.y\n", "mkdocs.yml:2: not YAML that we can read: could not determine a constructor"),
        ("a: \0\n", "mkdocs.yml:1: not YAML that we can read: unacceptable character"),
        ("- a\n", "mkdocs.yml:1: found no settings, expected lines as in site_name: My survey"),
        ("", "mkdocs.yml:1: found no settings"),
        ("a: 1\nplugins: survey\n", 'mkdocs.yml:2: plugins: found "survey", expected a list of plugins'),
        ("a: 1\nsite_url: 7\n", 'mkdocs.yml:2: site_url: found "7", expected an address'),
        ("docs_dir: pages\n", 'mkdocs.yml:1: docs_dir: there is no folder "pages"'),
        ("docs_dir: 7\n", 'mkdocs.yml:1: docs_dir: there is no folder "7"'),
        (f"docs_dir: {'x' * 5000}\n", 'mkdocs.yml:1: docs_dir: there is no folder "xxx'),
        ("docs_dir: ..\n", 'mkdocs.yml:1: docs_dir: found "..", which holds mkdocs.yml itself'),
        ("theme: {custom_dir: .}\n", 'mkdocs.yml:1: custom_dir: found ".", which holds mkdocs.yml itself'),
        ("theme:\n  name: material\n  custom_dir: x\n", 'mkdocs.yml:3: custom_dir: there is no folder "x"'),
        ("INHERIT: base.yml\n", "mkdocs.yml:1: INHERIT: is not followed here: write all settings into one file"),
        ("nav: " + "[" * 900 + "]" * 900, "mkdocs.yml:1: not YAML that we can read: nested too deeply"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(project: Path, text: str, said: str) -> None:
    with pytest.raises(InvalidSurvey) as caught:
        plain(project, text)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("limit", [1000, 20_000], ids=["usual", "as a library may set it"])
@pytest.mark.parametrize("deep", ["[" * 70 + "]" * 70, "[" * 900 + "]" * 900], ids=["70", "900"])
def test_what_is_too_deep_does_not_depend_on_the_stack(project: Path, deep: str, limit: int) -> None:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        with pytest.raises(InvalidSurvey, match=r"mkdocs\.yml:1: not YAML that we can read: nested too deeply"):
            plain(project, f"nav: {deep}\n")
        assert plain(project, f"extra: {'[' * 55}1{']' * 55}\n")["extra"]
    finally:
        sys.setrecursionlimit(before)


def test_a_file_that_is_not_utf8_is_said_to_be_none(project: Path) -> None:
    (project / "mkdocs.yml").write_bytes(b"site_name: T\nauthor: M\xfcller\n")
    with pytest.raises(InvalidSurvey, match=r"mkdocs\.yml:2: byte 0xfc is not UTF-8 \(save the file as UTF-8\)"):
        read_configuration(project)


def laughs(levels: int, inner: str = "[x, x]") -> str:
    """Lists of aliases of lists of aliases: few bytes, and 8 to the power of ``levels`` parts."""
    lists = [f"  - &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]" for n in range(1, levels)]
    return "\n".join(["extra:", f"  - &a0 {inner}", *lists, ""])


@pytest.mark.parametrize(
    "text",
    [
        laughs(40) + "nav: *a39\n",
        laughs(40) + "theme: *a39\n",
        laughs(40).replace("[x, x]", "{x: 1}") + "<<: *a39\n",
        "nav: &a [*a]\n",
        "theme: &a {name: *a}\n",
    ],
    ids=["in nav", "of a wrong type", "merged", "a list in itself", "a mapping in itself"],
)
def test_aliases_of_aliases_are_refused(project: Path, text: str) -> None:
    with pytest.raises(
        InvalidSurvey, match=r"^mkdocs\.yml:1: not YAML that we can read: aliases make it more than 100,000"
    ):
        plain(project, "site_name: T\n" + text)


def test_aliases_in_the_usual_number_are_followed(project: Path) -> None:
    assert plain(project, "extra: &a {x: [1, 2]}\nother: [*a, *a]\n")["other"] == [{"x": [1, 2]}] * 2


def test_a_link_out_of_the_project_is_a_problem_and_others_are_not(tmp_path: Path) -> None:
    project, secret = tmp_path / "project", tmp_path / "secret"
    for folder in ("docs", "bib"):
        (project / folder / "in").mkdir(parents=True)
    secret.mkdir()
    (project / "docs" / "a.md").symlink_to(secret / "a.md")
    (project / "bib" / "in" / "codings").symlink_to(secret)
    (project / "docs" / "b.md").symlink_to(project / "bib" / "pool.bib")
    found = links_outside(project, project / "docs", None, project / "bib", project / "missing")
    assert [(Path(problem.path).name, problem.message) for problem in found] == [
        (name, f"is a link to {place}, outside of {project / folder} (expected a file: copy it into the folder)")
        for name, place, folder in (("a.md", secret / "a.md", "docs"), ("codings", secret, "bib"))
    ]


def test_a_folder_that_is_itself_a_link_is_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "b.bib").symlink_to(tmp_path / "elsewhere" / "a.bib")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "bib").symlink_to(tmp_path / "elsewhere")
    assert links_outside(tmp_path / "project", tmp_path / "project" / "bib") == []


def test_the_repository_is_that_of_the_settings_else_that_of_the_runner(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    monkeypatch.delenv("GITHUB_SERVER_URL", raising=False)
    monkeypatch.delenv("REPO_URL", raising=False)
    (project / "mkdocs.yml").write_text('site_name: T\nrepo_url: !ENV [REPO_URL, ""]\n')
    assert read_configuration(project).repository == ""
    monkeypatch.setenv("GITHUB_REPOSITORY", "somebody/survey")
    assert read_configuration(project).repository == "https://github.com/somebody/survey"
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://git.example.org")
    assert read_configuration(project).repository == "https://git.example.org/somebody/survey"
    monkeypatch.setenv("REPO_URL", "https://example.org/another/")
    assert read_configuration(project).repository == "https://example.org/another"
