"""LaTeX in BibTeX fields is shown as Unicode, without loss."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from survey.literature.bibtex import readable
from survey.literature.bibtex.commands import UnknownLatex
from survey.literature.bibtex.latex import by_formula, runs, to_latex, to_unicode

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
    (r"{\it in situ} and {\bf bold}, {\rm SU}(2)", "in situ and bold, SU(2)"),
    (r"\c c, \H o, \v{s}, \"{\i}", "ç, ő, š, ï"),
    (r"\textquotesingle{}t Hooft", "'t Hooft"),
    (r"e\textrightarrow{}W and double-\ensuremath{\beta} decay", "e→W and double-β decay"),
    (r"\ensuremath{\alpha}$_{S}$ extractions", "α_S extractions"),
    (r"B\textsuperscript{0} and $\ddagger$ with H\textsubscript{2}O", "B⁰ and ‡ with H₂O"),
    (r"the 4\textsuperscript{th}, x\textsuperscript{long one}", "the 4ᵗʰ, x^(long one)"),
    (r"\texorpdfstring{$B^0$}{B0} mixing at \texorpdfstring{{\it CP}}{CP}", "B⁰ mixing at CP"),
    (r"\SI{13}{TeV} and \num{7}", "13\u00a0TeV and 7"),
    (r"\textcolor{red}{word}, \color{blue}more, \raisebox{1pt}{high}", "word, more, high"),
    (r"\enquote{A -- {\"o}} said\xspace", "“A – ö” said"),
    (r"\ensuremath {\Lambda_{b}^{0}}\ensuremath\to x, \ensuremath y", "Λ_b⁰→ x, y"),
]


@pytest.mark.parametrize(("raw", "shown"), SHOWN, ids=[s[1] for s in SHOWN])
def test_latex_is_shown_as_unicode(raw: str, shown: str) -> None:
    assert to_unicode(raw) == shown


FORMULAS = [
    (r"\alpha_s", "αₛ"), (r"\alpha_S", "α_S"), (r"\alpha_{s}(M_Z)", "αₛ(M_Z)"),
    (r"H \to b\bar{b}", "H → bb̄"), (r"H\to b\bar b", "H → bb̄"), (r"H(\rightarrow γγ) jj", "H(→ γγ) jj"),
    (r"\sqrt{s}=13", "√s=13"), (r"\sqrt{s_{NN}}", "√(s_NN)"), (r"\sqrt{13}", "√13"), (r"\sqrt[3]{2}", "∛2"),
    (r"\sqrt[n]{x+1}", "ⁿ√(x+1)"), (r"e^+e^-", "e⁺e⁻"), (r"e^{+}e^{-}\to\mu^+\mu^-", "e⁺e⁻ → μ⁺μ⁻"),
    (r"B^0_\mathrm{s}", "B⁰ₛ"), (r"K^0_\text{S}", "K⁰_S"), (r"K_\rm{S}", "K_S"), (r"^{14}", "¹⁴"),
    (r"10^{-5}", "10⁻⁵"), (r"\nu_{\mu}", "ν_μ"), (r"\nu_\mu \to \nu_e", "ν_μ → νₑ"), (r"x_{1,2}", "x_(1,2)"),
    (r"U(1)_{L_\mu-L_\tau}", "U(1)_(L_μ-L_τ)"), (r"Z^\prime", "Z′"), (r"Z^{\prime}", "Z′"), ("Z'", "Z′"),
    (r"WW^{*}", "WW*"), (r"W^\pm", "W^±"), (r"90^\circ", "90°"), (r"\mathbb{Z}_2 \times \mathbb{Z}_2", "ℤ₂ × ℤ₂"),
    (r"{\cal CP}", "CP"), (r"\mathcal{O}(N)", "O(N)"), (r"\slashed{E}_T", "E̸_T"), (r"\not= 0", "≠ 0"), (r"\not\!\! E_T", "E̸_T"),
    (r"\overline{AB}", "A̅B̅"), (r"\vec{p}", "p⃗"), (r"\frac{1}{2}", "1/2"), (r"\frac{a+b}{c}", "(a+b)/c"),
    (r"\sin 2\phi_1", "sin 2ϕ₁"), (r"\sin^2\theta_W", "sin²θ_W"), (r"13\,\text{TeV}", "13\u2009TeV"),
    (r"x \text{ for all } y", "x for all y"), (r"\left(\frac12\right)", "(1/2)"), (r"\Lambda_c^+\to p\eta'", "Λ_c⁺ → pη′"),
    (r"X_{\mathrm{max}}", "Xₘₐₓ"), (r"\ell^-\ell^+", "ℓ⁻ℓ⁺"), (r"\hbar\omega \leq \infty", "ℏω ≤ ∞".replace("ℏ", "ħ")),
    (r"\overset{a}{b}", "bᵃ"), (r"\underset{x}{\max}", "maxₓ"), (r"\stackrel{!}{=}", "=^!"),
    (r"\binom{n}{k}", "(n choose k)"), (r"a \pmod{n}", "a (mod n)"), (r"\ket{\psi}\bra{\phi}", "|ψ⟩⟨ϕ|"),
    (r"\mathds{1}", "𝟙"), (r"\phantom{x_{y}}a", "a"), (r"A \xrightarrow{f} B", "A →ᶠ B"), (r"\varGamma", "Γ"),
    (r"\textcolor{red}{x}", "x"), (r"\cfrac{1}{2}", "1/2"), (r"\overleftarrow{x}", "x⃖"), (r"\neg a \land b", "¬a ∧ b"),
    (r"x \in \mathbb{R}^n", "x ∈ ℝⁿ"), (r"A \cup B", "A ∪ B"), (r"\Xi_{cc}^{++}", "Ξ_cc⁺⁺"),
]  # fmt: skip
"""Formulas and how they are written by hand in one line, from a Unicode chart: none was computed."""


@pytest.mark.parametrize(("formula", "shown"), FORMULAS, ids=[one[0] for one in FORMULAS])
def test_a_formula_is_shown_in_one_line(formula: str, shown: str) -> None:
    written = unicodedata.normalize("NFC", shown)
    assert to_unicode(f"${formula}$") == written
    assert to_unicode(rf"in \({formula}\) form") == f"in {written} form"


GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon chi psi omega"
)


@pytest.mark.parametrize("name", GREEK.split())
def test_every_greek_letter_is_known_in_both_cases(name: str) -> None:
    """The names of Unicode are the oracle; LaTeX spells one of them otherwise."""
    called = {"lambda": "LAMDA"}.get(name, name.upper())
    assert to_unicode(rf"$\{name}$") == unicodedata.lookup(f"GREEK SMALL LETTER {called}")
    assert to_unicode(rf"$\{name.capitalize()}$") == unicodedata.lookup(f"GREEK CAPITAL LETTER {called}")


def test_the_runs_of_a_text_are_its_words_and_its_formulas_in_latex() -> None:
    assert list(runs(r"Search at $\sqrt{s}=13$~TeV for {\$5}")) == [
        ("Search at ", False), (r"\sqrt{s}=13", True), ("\u00a0TeV for $5", False),
    ]  # fmt: skip


def test_what_ensures_mathematics_holds_a_formula() -> None:
    assert list(runs(r"Decays of \ensuremath{\Lambda_{b}^{0}} to \ensuremath\pi")) == [
        ("Decays of ", False), (r"\Lambda_{b}^{0}", True), (" to ", False), (r"\pi", True),
    ]  # fmt: skip


PARTS = [
    ("a $b_1$ c", ["$b_1$"]), (r"a \(b_1\) c", [r"\(b_1\)"]), (r"\[b\]", [r"\[b\]"]),
    (r"\ensuremath{a_{b_{c}}} d", [r"\ensuremath{a_{b_{c}}}"]), (r"\ensuremath \alpha_s", [r"\ensuremath \alpha"]),
    (r"\ensuremath{\}_a}_b", [r"\ensuremath{\}_a}"]), (r"\$5 and \$6", []), (r"a\\(b) \(c", []), ("$a $b_1$", ["$a $"]),
    (r"\ensuremathed{x} $a\$b$", [r"$a\$b$"]), ("", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "formulas"), PARTS)
def test_the_parts_of_a_text_as_written_are_its_words_and_its_formulas(text: str, formulas: list[str]) -> None:
    parts = list(by_formula(text))
    assert [part for part, maths in parts if maths] == formulas
    assert "".join(part for part, _ in parts) == text


UNKNOWN = [
    (r"$x \foo$", r"the LaTeX command \foo cannot be shown"),
    (r"$\frac{1}$", r"the LaTeX command \frac without its argument cannot be shown"),
    ("$x^$", "the LaTeX command ^ without its argument cannot be shown"),
    (r"\(x", r"the LaTeX command \( without its partner cannot be shown"),
    (r"\ensuremath", r"the LaTeX command \ensuremath without its argument cannot be shown"),
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


@given(
    st.text("\\{}$^_ '()[]abx1~&")
    | st.lists(st.sampled_from(["\\frac", "\\sqrt", "\\bar", "{", "}", "^", "_", "x"])).map("".join)
)
def test_any_formula_is_shown_or_refused_without_a_crash(text: str) -> None:
    assert isinstance(readable(f"${text}$"), str)


@given(st.text(st.characters(blacklist_characters="\\{}$~`'-", blacklist_categories=["Cs"])))
def test_text_without_commands_stays_as_it_is(text: str) -> None:
    assert to_unicode(text) == text


@pytest.mark.parametrize(
    "raw",
    [
        "\\'{" * 5000 + "}" * 5000,
        "\\'" * 5000,
        "{" * 5000,
        "$" * 5001,
        f"${'{' * 5000}$",
        f"${'x_' * 5000}y$",
        "$" + "\\sqrt" * 5000 + "$",
    ],
)
def test_deep_nesting_ends(raw: str) -> None:
    assert readable(raw) is not None


@given(st.text(st.characters(blacklist_characters="`'-", blacklist_categories=["Cs"])))
@example("\uf900")  # which composes to another ideograph
def test_text_written_in_latex_is_shown_as_it_was(text: str) -> None:
    shown = to_unicode(to_latex(text))
    assert unicodedata.normalize("NFC", shown) == unicodedata.normalize("NFC", text)
