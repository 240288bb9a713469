/* Titles in LaTeX: normalised for comparison, and made readable. */

const FONTS = new Set("emph textit textbf textsc texttt textrm textsf textsl textup textnormal text mathrm mathbf mathit mathcal mathsf mathtt mathbb ensuremath mbox hbox url uppercase lowercase it bf sc tt rm em relax".split(" "));
const SIGNS = new Set("textendash textemdash textquoteright textquoteleft textquotedblleft textquotedblright textquotesingle textbackslash textasciitilde textasciicircum textbar textless textgreater textunderscore textregistered texttrademark copyright dots ldots textellipsis times to rightarrow cdot pm u v h c k b d r t quad qquad space left right".split(" "));
const LETTERS = { ß: "ss", ẞ: "ss", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", æ: "ae", œ: "oe", ı: "i", ȷ: "j", ŋ: "ng" };
const COMMANDS = { ss: "ß", o: "ø", l: "ł", dj: "đ", dh: "ð", th: "þ", ae: "æ", oe: "œ", aa: "a", i: "i", j: "j", ng: "ŋ" };
const GREEK = { α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", ϵ: "epsilon", ζ: "zeta", η: "eta", θ: "theta", κ: "kappa", λ: "lambda", μ: "mu", µ: "mu", ν: "nu", ξ: "xi", π: "pi", ρ: "rho", σ: "sigma", ς: "sigma", τ: "tau", φ: "phi", ϕ: "phi", χ: "chi", ψ: "psi", ω: "omega", "∞": "infty" };

// Removes LaTeX as far as a comparison of letters and digits requires.
function withoutLatex(text) {
  if (!text.includes("\\")) return text;
  return text.replace(/\\([A-Za-z]+)\s*|\\[^A-Za-z]/g, (whole, command) => {
    if (!command) return whole === "\\&" ? "&" : whole === "\\\\" ? " " : "";
    if (command.toLowerCase() in COMMANDS && command.length < 3) return COMMANDS[command.toLowerCase()];
    if (FONTS.has(command) || SIGNS.has(command) || SIGNS.has(command.toLowerCase()) && command.length === 1) return "";
    return command.replace(/^var(?=[a-z])/, "");
  });
}

// Normalises a title, so that its spellings compare as equal.
export function reduced(title) {
  return withoutLatex(title).replace(/&/g, " and ").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/[ßẞøłđðþæœıȷŋ]/g, (letter) => LETTERS[letter])
    .replace(/[α-ωϵϕµ∞]/g, (letter) => GREEK[letter] || letter)
    .replace(/[^\p{L}\p{N}]/gu, "");
}

// Returns a title as readable text, accurate enough for a list of titles.
export const readable = (title) => withoutLatex(title.replace(/\\text(en|em)dash\s*|--+/g, "–").replace(/\\(["'`^~=.])\s*\{?\\?([A-Za-z])\}?/g, (_, accent, letter) => `${letter}${{ '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307" }[accent]}`)).replace(/[{}$]/g, "").replace(/\s+/g, " ").trim().normalize("NFC");
