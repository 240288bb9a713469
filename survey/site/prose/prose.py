"""Hand-written pages with live figures, citations and formulas.

A page is both Markdown and a Jinja template. Figures are functions of the pool
(``figures``), ``[@key]`` is a citation, and ``$...$`` is a formula that becomes MathML, which
needs no script and no other host. A reference to something that does not exist is an
error with the line of the page.

Two plugins were rejected. mkdocs-bibtex turns citations into footnotes with
Pandoc, does not link entry pages and is no longer maintained; mkdocs-macros runs only inside
MkDocs, renders unknown names as text by default, and inserts values into
Markdown unescaped. Both would tie the pages to one generator.
"""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.sandbox import SandboxedEnvironment

from survey.literature import InvalidSurvey, Pool, Problem
from survey.literature.claims import SIGNS, Judge
from survey.site.charts.drawing import Pictures
from survey.site.markup.formulas import mathml
from survey.site.markup.templates import render
from survey.site.prose.figures import Figures

LIVE = re.compile(
    r"(?P<code>^(?P<indent>[ ]*)(?P<fence>```|~~~).*?^(?P=indent)(?P=fence)[^\n]*$|`[^`\n]+`)"
    r"|(?P<display>^[ ]*\$\$(?P<block>.+?)\$\$[ ]*$)"
    r"|(?P<inline>(?<![\\$\w])\$(?!\s)(?P<formula>[^$\n]+?)(?<!\s)\$(?![\w$]))"
    r"|(?P<citation>\[(?P<keys>@@?[\w.+:/-]+(?:\s*;\s*@@?[\w.+:/-]+)*)\])",
    re.DOTALL | re.MULTILINE,
)
"""Code, which stays unchanged; formulas; citations."""


@dataclass(frozen=True)
class Prose:
    """The text of one page, in one or more parts that share a list of references."""

    figures: Figures

    @classmethod
    def of(cls, pool: Pool, page: str, pictures: Pictures, site_url: str = "", repository: str = "") -> Prose:
        """Return the prose of a page (a path below docs/), with access to the pool and its charts."""
        return cls(Figures(pool, page, pictures, site_url, repository))

    def rendered(self, text: str, shown: str) -> str:
        """Return a part with figures, citations and formulas filled in; ``shown`` names it in errors.

        Raises:
            InvalidSurvey: if it refers to an entry, axis, value or function that does not exist.

        """
        problems: list[Problem] = []
        text = _replaced(text, self.figures, shown, problems)
        for _ in range(MOST_ERRORS):
            try:
                out = _evaluated(text, self.figures, shown)
                break
            except InvalidSurvey as error:
                [problem] = error.problems
                problems.append(problem)
                rest = _without_figures(text, problem.line)
                if rest == text:  # without this line nothing can be said of the others
                    break
                text = rest
        if problems:
            raise InvalidSurvey(sorted(problems))
        return out

    def claims(self) -> str:
        """Return the claims that this page discusses as a section; empty if there are none."""
        pool, page = self.figures.pool, self.figures.page
        judge = pool.once(Judge)
        found = [judge.judged(claim) for claim in pool.claims if page in claim.chapters]
        return (
            render("prose/chapter-claims.md.j2", found=[one.brief for one in found], page=page, signs=SIGNS)
            if found
            else ""
        )

    def references(self) -> str:
        """Return the list of the works cited so far as a section; empty if there are none."""
        cited = self.figures.cited.values()
        works = sorted(cited, key=lambda e: (e.authors[0].family.lower(), e.year, e.key))
        if not works:
            return ""
        return render("prose/references.md.j2", works=works, pool=self.figures.pool, page=self.figures.page)


def render_prose(
    text: str, pool: Pool, page: str, shown: str, pictures: Pictures, site_url: str = "", repository: str = ""
) -> str:
    """Return the Markdown of a page with figures filled in, and its claims and references at the end.

    Raises:
        InvalidSurvey: if it refers to an entry, axis, value or function that does not exist.

    """
    prose = Prose.of(pool, page, pictures, site_url, repository)
    text = prose.rendered(text, shown)
    added = [part for part in (prose.claims(), prose.references()) if part]
    return "\n\n".join([text.rstrip(), *added]) if added else text


MOST_ERRORS = 20
"""How many wrong figures of a page are told at once."""

FIGURE = re.compile(r"\{\{[^{}]*\}\}")
"""A figure that stands in one line."""

FORMULA = '<div class="formula" tabindex="0" role="group" aria-label="Formula">'
"""A formula may be wider than a phone: it then scrolls, and the keyboard must reach it."""


def _without_figures(text: str, line: int) -> str:
    """Return a text without the figures that stand in one line."""
    lines = text.split("\n")
    lines[line - 1 : line] = [FIGURE.sub("", one) for one in lines[line - 1 : line]]
    return "\n".join(lines)


def _replaced(text: str, figures: Figures, shown: str, problems: list[Problem]) -> str:
    """Fill in formulas and citations, and protect code from the template engine; lines keep their numbers.

    What is wrong is added to ``problems``, and is left out of the text.
    """

    def live(match: re.Match[str]) -> str:
        if code := match["code"]:
            return f"{{% raw %}}{code}{{% endraw %}}" if "{" in code else code
        try:
            if match["display"]:
                lines = "\n" * match["display"].count("\n")
                return f"{FORMULA}{mathml(match['block'], 'block')}</div>{lines}"
            if match["inline"]:
                return mathml(match["formula"], "inline")
            return "; ".join(figures.cite(key.strip()[1:]) for key in match["keys"].split(";"))
        except ValueError as error:
            line = text.count("\n", 0, match.start()) + 1
            problems.append(Problem(shown, line, str(error)))
            return "\n" * match[0].count("\n")

    return LIVE.sub(live, text)


def _evaluated(text: str, figures: Figures, shown: str) -> str:
    if "{" not in text:
        return text
    env = SandboxedEnvironment(undefined=StrictUndefined, autoescape=True, keep_trailing_newline=True)
    try:
        return env.from_string(text).render(figures.functions())
    except TemplateSyntaxError as error:
        raise InvalidSurvey([Problem(shown, error.lineno, f"not a figure: {error.message}")]) from None
    except (RecursionError, MemoryError, SyntaxError):  # without a line or a useful message
        raise InvalidSurvey([Problem(shown, 1, "braces and tags are nested too deeply to be read")]) from None
    except (TemplateError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<template>"]
        message = str(error.args[0] if error.args else error).removeprefix(f"{Figures.__name__}.")
        raise InvalidSurvey([Problem(shown, (lines or [1])[-1] or 1, message)]) from None
