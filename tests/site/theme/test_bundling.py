"""Modules become one script: each once, in the order in which they need each other, or an error with its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Playwright

from survey.literature.taxonomy import read_taxonomy
from survey.site.theme.assets import SCRIPTS, SITE, STYLES, scripts, style_sheet
from survey.site.theme.bundling import IMPORT, bundled
from tests.browser.conftest import launched
from tests.conftest import ROOT

Run = Callable[[str], str]

TAXONOMY = read_taxonomy(ROOT / "bib" / "taxonomy.toml")

LINES = 200
"""A module is read in one sitting."""

MODULES = {path.relative_to(SITE).as_posix(): path.read_text() for path in SITE.rglob("*.js")}
STAND_ALONE = {
    "publishing/offline/offline.js",
    "pages/traces/open_log/frame.js",
    "pages/traces/open_log/worker.js",
}
"""Scripts that no page loads from a file: in the folder for readers without a server, in a frame, and in a worker."""


def write(folder: Path, **modules: str) -> Path:
    """Write modules, each named after its path with ``__`` for a slash; the path of the first."""
    paths = [folder / f"{name.replace('__', '/')}.js" for name in modules]
    for path, text in zip(paths, modules.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return paths[0]


@pytest.fixture(scope="module")
def run(playwright: Playwright) -> Iterator[Callable[[str], str]]:
    """Run a script in Chromium; what it writes to the console."""
    with launched(playwright) as browser:
        page = browser.new_page()
        lines = list[str]()
        page.on("console", lambda message: lines.append(message.text))
        page.on("pageerror", lambda error: lines.append(str(error)))

        def printed(script: str) -> str:
            lines.clear()
            page.add_script_tag(content=script)
            page.wait_for_timeout(10)
            return "\n".join(lines)

        yield printed


# ------------------------------------------------------------------ what is bundled


@pytest.mark.programs
def test_modules_become_one_script_in_the_order_in_which_they_need_each_other(tmp_path: Path, run: Run) -> None:
    text = bundled(
        write(
            tmp_path,
            one='import { two, TWO } from "./two.js";\nconsole.log(two() + TWO);\n',
            two="export const TWO = 2;\nexport function two() { return TWO; }\n",
        )
    )
    assert text.index("// two.js") < text.index("// one.js")
    assert not re.search("import|export", text)
    assert run(text) == "4"


@pytest.mark.programs
def test_a_module_in_another_folder_is_found_as_seen_from_the_one_that_imports_it(tmp_path: Path, run: Run) -> None:
    text = bundled(
        write(
            tmp_path,
            pages__list__list='import { near } from "./near.js";\nimport { all } from "../../theme/all.js";\nconsole.log(near + all);\n',
            pages__list__near='import { all } from "../../theme/all.js";\nexport const near = all + "b";\n',
            theme__all='export const all = "a";\n',
        )
    )
    assert run(text) == "aba"


@pytest.mark.programs
def test_a_module_that_several_import_runs_once(tmp_path: Path, run: Run) -> None:
    text = bundled(
        write(
            tmp_path,
            one='import { left } from "./left.js";\nimport { right } from "./parts/right.js";\nleft();\nright();\n',
            left='import { count } from "./shared.js";\nexport const left = () => count();\n',
            parts__right='import { count } from "../shared.js";\nexport const right = () => console.log(count());\n',
            shared="let n = 0;\nexport const count = () => { n += 1; return n; };\n",
        )
    )
    assert text.count("let n = 0") == 1
    assert run(text) == "2"


@pytest.mark.programs
def test_modules_of_the_same_name_in_two_folders_are_kept_apart(tmp_path: Path, run: Run) -> None:
    text = bundled(
        write(
            tmp_path,
            one='import { a } from "./x/same.js";\nimport { b } from "./y/same.js";\nconsole.log(a + b);\n',
            x__same='const own = "a";\nexport const a = own;\n',
            y__same='const own = "b";\nexport const b = own;\n',
        )
    )
    assert run(text) == "ab"


@pytest.mark.programs
def test_functions_classes_constants_and_generators_are_exported(tmp_path: Path, run: Run) -> None:
    text = bundled(
        write(
            tmp_path,
            one='import { A, b, c, d } from "./two.js";\nd().then((last) => console.log(new A().a + b + [...c()][0] + last));\n',
            two="export class A { a = 1; }\nexport const b = 2;\nexport function* c() { yield 3; }\nexport async function d() { return 4; }\n",
        )
    )
    assert run(text) == "10"


@pytest.mark.programs
def test_a_script_that_runs_twice_declares_nothing_twice(tmp_path: Path, run: Run) -> None:
    text = bundled(write(tmp_path, one='const here = "ran";\nconsole.log(here);\n'))
    assert run(f"{text}\n{text}") == "ran\nran"


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('import * as two from "./two.js";', "import * as two"),
        ('import two from "./two.js";', "import two"),
        ('import "./two.js";', 'import "./two.js"'),
        ('import { two as other } from "./two.js";', "import { two as other"),
        ('import { two } from "two";', "import { two } from"),
        ('import { two } from "https://example.org/two.js";', "import { two } from"),
        ("export default 3;", "export default 3"),
        ("export let two = 2;", "export let two"),
        ('export { two } from "./two.js";', "export { two }"),
        ("const here = import.meta.url;", "import.meta"),
        ('const two = await import("./two.js");', "import("),
    ],
)
def test_a_module_in_another_form_is_refused_with_its_line(tmp_path: Path, line: str, found: str) -> None:
    with pytest.raises(ValueError, match=r"one\.js:2: found .*expected import") as error:
        bundled(write(tmp_path, one=f"// first\n{line}\n"))
    assert found in str(error.value)


def test_modules_that_import_each_other_are_refused_and_the_circle_named(tmp_path: Path) -> None:
    entry = write(
        tmp_path,
        one='import { two } from "./parts/two.js";\n',
        parts__two='import { three } from "./three.js";\nexport const two = 2;\n',
        parts__three='import { two } from "./two.js";\nexport const three = 3;\n',
    )
    with pytest.raises(ValueError, match=r"imports itself \(parts/two\.js -> parts/three\.js -> parts/two\.js\)"):
        bundled(entry)


def test_a_module_that_is_missing_is_named_with_the_line_that_asks_for_it(tmp_path: Path) -> None:
    entry = write(tmp_path, one='// first\nimport { two } from "../gone/two.js";\n')
    with pytest.raises(FileNotFoundError, match=r"one\.js:2: \.\./gone/two\.js is missing"):
        bundled(entry)


def test_a_name_that_is_not_exported_is_reported(tmp_path: Path) -> None:
    entry = write(
        tmp_path, one='import { two, three } from "./two.js";\n', two="export const two = 2;\nconst three = 3;\n"
    )
    with pytest.raises(ValueError, match=r"one\.js:1: \./two\.js does not export three$"):
        bundled(entry)


# ------------------------------------------------------------------ the site's own


def test_every_module_of_the_site_is_in_a_script_that_pages_load_and_short() -> None:
    used = {Path(entry) for entry in SCRIPTS.values()}
    for path, text in MODULES.items():
        assert len(text.splitlines()) < LINES, path
        used |= {Path(path, "..", found[2]) for found in IMPORT.finditer(text)}
    reached = {(SITE / path).resolve().relative_to(SITE).as_posix() for path in used}
    assert reached == MODULES.keys() - STAND_ALONE


def test_every_module_says_what_it_is_for() -> None:
    assert [path for path, text in MODULES.items() if not text.startswith("/* ")] == []


def test_every_style_of_the_site_is_in_the_sheet_once() -> None:
    assert sorted(STYLES) == sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.css"))
    assert all((SITE / path).read_text() in style_sheet(TAXONOMY) for path in STYLES)


def test_what_pages_load_is_there() -> None:
    assert dict(scripts()).keys() == {*SCRIPTS}
    asked = {
        found
        for path in SITE.rglob("*.md.j2")
        for found in re.findall(r"<script src=\"\{\{ url\(page, '([^']+)'\) \}\}\" defer></script>", path.read_text())
    }
    assert asked == SCRIPTS.keys() - {"assets/survey.js", "assets/search.js"}
    assert not [path for path in SITE.rglob("*.j2") if 'type="module"' in path.read_text()]
