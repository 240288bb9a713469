"""Hand-written pages with live figures, citations and formulas in them.

A page is Markdown and a Jinja template at once. Figures are functions of the pool
(``figures``), ``[@key]`` is a citation, ``$...$`` a formula that becomes MathML, so
that no script and no other host is needed to read it. What does not exist is an
error with the line of the page.

Two plugins were considered first. mkdocs-bibtex turns citations into footnotes with
Pandoc, links no entry pages and is no longer maintained; mkdocs-macros runs inside
MkDocs only, renders unknown names as text unless told otherwise, and puts values into
Markdown as they are. Both would tie the pages to one generator.
"""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.sandbox import SandboxedEnvironment
from latex2mathml.converter import convert

from survey.literature import InvalidSurvey, Pool, Problem
from survey.literature.claims import SIGNS, Judge
from survey.literature.problems import quoted
from survey.site.charts.drawing import Pictures
from survey.site.markup.templates import render
from survey.site.prose.figures import Figures

LIVE = re.compile(
    r"(?P<code>^(?P<indent>[ ]*)(?P<fence>```|~~~).*?^(?P=indent)(?P=fence)[^\n]*$|`[^`\n]+`)"
    r"|(?P<display>^[ ]*\$\$(?P<block>.+?)\$\$[ ]*$)"
    r"|(?P<inline>(?<![\\$\w])\$(?!\s)(?P<formula>[^$\n]+?)(?<!\s)\$(?![\w$]))"
    r"|(?P<citation>\[(?P<keys>@@?[\w.+-]+(?:\s*;\s*@@?[\w.+-]+)*)\])",
    re.DOTALL | re.MULTILINE,
)
"""Code, which stays as it is written; formulas; citations."""

ESCAPED = re.compile(r"\\.")
"""A sign behind a backslash: a brace there is one to be seen."""

UNKNOWN = re.compile(r"\\[A-Za-z]+")
"""What the converter leaves of a command that it does not know."""


@dataclass(frozen=True)
class Prose:
    """The text of one page, in as many parts as it has; what any part cites is in the references."""

    figures: Figures

    @classmethod
    def of(cls, pool: Pool, page: str, pictures: Pictures) -> Prose:
        """The text of a page (a path below docs/) that may ask the pool, and draw charts of it."""
        return cls(Figures(pool, page, pictures))

    def filled(self, text: str, shown: str) -> str:
        """A part with everything live filled in; ``shown`` names it in errors.

        Raises:
            InvalidSurvey: if it asks for an entry, axis, value or function that does not exist.

        """
        return _evaluated(_replaced(text, self.figures, shown), self.figures, shown)

    def claims(self) -> str:
        """The claims of the ledger that this page discusses, as a section; empty if there is none."""
        pool, page = self.figures.pool, self.figures.page
        judge = Judge(pool)
        found = [judge.judged(claim) for claim in pool.claims if page in claim.chapters]
        return render("prose/chapter-claims.md.j2", found=found, page=page, signs=SIGNS) if found else ""

    def references(self) -> str:
        """The list of everything cited so far, as a section; empty if nothing was."""
        cited = self.figures.cited.values()
        works = sorted(cited, key=lambda e: (e.authors[0].family.lower(), e.year, e.key))
        if not works:
            return ""
        return render("prose/references.md.j2", works=works, pool=self.figures.pool, page=self.figures.page)


def render_prose(text: str, pool: Pool, page: str, shown: str, pictures: Pictures) -> str:
    """The Markdown of a page with everything live filled in, its claims and its references at the end.

    Raises:
        InvalidSurvey: if it asks for an entry, axis, value or function that does not exist.

    """
    prose = Prose.of(pool, page, pictures)
    text = prose.filled(text, shown)
    added = [part for part in (prose.claims(), prose.references()) if part]
    return "\n\n".join([text.rstrip(), *added]) if added else text


def _replaced(text: str, figures: Figures, shown: str) -> str:
    """Formulas and citations filled in, code fenced off from figures; every line keeps its number."""

    def live(match: re.Match[str]) -> str:
        if code := match["code"]:
            return f"{{% raw %}}{code}{{% endraw %}}" if "{" in code else code
        try:
            if match["display"]:
                lines = "\n" * match["display"].count("\n")
                return f'<div class="formula">{mathml(match["block"], "block")}</div>{lines}'
            if match["inline"]:
                return mathml(match["formula"], "inline")
            return "; ".join(figures.cite(key.strip()[1:]) for key in match["keys"].split(";"))
        except ValueError as error:
            line = text.count("\n", 0, match.start()) + 1
            raise InvalidSurvey([Problem(shown, line, str(error))]) from None

    return LIVE.sub(live, text)


def _evaluated(text: str, figures: Figures, shown: str) -> str:
    if "{" not in text:
        return text
    env = SandboxedEnvironment(undefined=StrictUndefined, autoescape=True, keep_trailing_newline=True)
    try:
        return env.from_string(text).render(figures.functions())
    except TemplateSyntaxError as error:
        raise InvalidSurvey([Problem(shown, error.lineno, f"not a figure: {error.message}")]) from None
    except (RecursionError, MemoryError, SyntaxError):  # which say neither where nor what
        raise InvalidSurvey([Problem(shown, 1, "braces and tags are nested too deeply to be read")]) from None
    except (TemplateError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<template>"]
        message = str(error.args[0] if error.args else error).removeprefix(f"{Figures.__name__}.")
        raise InvalidSurvey([Problem(shown, (lines or [1])[-1] or 1, message)]) from None


def mathml(latex: str, display: str) -> str:
    """A formula as MathML, which browsers show and read aloud by themselves.

    Raises:
        ValueError: if it is not LaTeX that can be shown whole.

    """
    bare = ESCAPED.sub("", latex)
    if bare.count("{") != bare.count("}"):
        raise ValueError(f"a brace too many or too few in the formula {quoted(latex.strip())}")
    try:
        markup = " ".join(convert(latex.strip(), display=display).split())
    except Exception as error:  # the converter's errors have no base of their own, and some are Python's
        raise ValueError(f"not a formula that can be shown: {quoted(latex.strip())} ({_reason(error)})") from None
    if unknown := UNKNOWN.search(markup):
        raise ValueError(f"{quoted(unknown[0])} is not a command that formulas know: {quoted(latex.strip())}")
    return markup.replace("*", "&#42;").replace("_", "&#95;")  # Markdown would see emphasis


def _reason(error: Exception) -> str:
    """The name of the converter's complaint in words; it says no more."""
    name = type(error).__name__.removesuffix("Error")
    own = type(error).__module__.startswith("latex2mathml")
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower() if own else "the converter gave up"
