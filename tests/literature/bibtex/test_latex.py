"""LaTeX in BibTeX fields is shown as Unicode, without loss."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from survey.literature.bibtex import readable
from survey.literature.bibtex.latex import UnknownLatex, to_latex, to_unicode

SHOWN = [
    ("plain text", "plain text"),
    (r"Gr{\'e}goire", "Grégoire"),
    (r"Gr\'egoire too", "Grégoire too"),
    (r"M{\"u}ller and M\"{u}ller", "Müller and Müller"),
    (r"\v{S}koda, \c{C}elik, Erd\H{o}s", "Škoda, Çelik, Erdős"),
    (r"{\'\i}, {\'{\i}}, \'{i}", "í, í, í"),
    (r"Nguy{\~{\^e}}n", "Nguyễn"),
    (r"{\L}ukasz, {\O}ystein, stra{\ss}e, \ae on", "Łukasz, Øystein, straße, æon"),
    (r"50\% of {SWE}-bench \& more", "50% of SWE-bench & more"),
    ("100% real", "100% real"),
    (r"$\tau$-bench", "τ-bench"),
    ("8580--8622, and --- so", "8580–8622, and — so"),
    ("``quoted''", "“quoted”"),
    ("{{Kimi Team}}", "Kimi Team"),
    (r"\emph{very} \textbf{bold}", "very bold"),
    ("a~b", "a\u00a0b"),
    ("漢字 stays", "漢字 stays"),
]


@pytest.mark.parametrize(("raw", "shown"), SHOWN, ids=[s[1] for s in SHOWN])
def test_latex_is_shown_as_unicode(raw: str, shown: str) -> None:
    assert to_unicode(raw) == shown


UNKNOWN = [
    (r"\foo{x}", r"the LaTeX command \foo cannot be shown"),
    ("x\\", "the LaTeX command \\ at the end cannot be shown"),
    (r"\'", r"the LaTeX command \' without a letter cannot be shown"),
    (r"\'{1}", r"the LaTeX command \' without a letter cannot be shown"),
    ("a $ b", "the LaTeX command $ without its partner cannot be shown"),
]


@pytest.mark.parametrize(("raw", "message"), UNKNOWN, ids=[u[0] for u in UNKNOWN])
def test_unknown_commands_are_reported_and_shown_as_written(raw: str, message: str) -> None:
    with pytest.raises(UnknownLatex) as error:
        to_unicode(raw)
    assert str(error.value) == message
    assert readable(raw) == raw


@given(st.text())
def test_any_text_is_shown_or_refused_without_a_crash(text: str) -> None:
    assert isinstance(readable(text), str)


@given(st.text(st.characters(blacklist_characters="\\{}$~`'-", blacklist_categories=["Cs"])))
def test_text_without_commands_stays_as_it_is(text: str) -> None:
    assert to_unicode(text) == text


@pytest.mark.parametrize("raw", ["\\'{" * 5000 + "}" * 5000, "\\'" * 5000, "{" * 5000, "$" * 5001])
def test_deep_nesting_ends(raw: str) -> None:
    assert readable(raw) is not None


@given(st.text(st.characters(blacklist_characters="`'-", blacklist_categories=["Cs"])))
@example("\uf900")  # which composes to another ideograph
def test_text_written_in_latex_is_shown_as_it_was(text: str) -> None:
    shown = to_unicode(to_latex(text))
    assert unicodedata.normalize("NFC", shown) == unicodedata.normalize("NFC", text)
