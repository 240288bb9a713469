/* LaTeX in BibTeX fields: plain text to LaTeX, and LaTeX to plain text.
   The tables come from the page. Follows survey/literature/bibtex/latex.py. */

import { matchAt } from "../../theme/scripts/patterns.js";
import { Unknown, argument, inText, symbol } from "./formulas.js";

const WORD = /\\([A-Za-z]+|[^])[ \t]*/y;
const GROUP = /\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}/y;
const SPECIAL = /[\\{}$~]|---?|``|''/g;
const PLAIN = { "{": "", "}": "", "~": "\u00a0", "---": "—", "--": "–", "``": "“", "''": "”" };

const FORMULA = { $: /\$((?:[^$\\]|\\[^])*)\$/y, "\\(": /\\\(([^]*?)\\\)/y, "\\[": /\\\[([^]*?)\\\]/y };

// Converts input to LaTeX: special characters are escaped, accented letters become commands;
// braces, commands and complete formulas stay unchanged.
export function escaped(text, { commands, written }) {
  const marks = new Map(Object.entries(commands.accents).map(([command, mark]) => [mark, command]));
  const parts = text.normalize("NFC").split(/(\\[A-Za-z]+|\\[^]|\$[^$]*\$)/);
  return parts.map((part, n) => {
    if (n % 2) return part.startsWith("$") ? part.replace(/(?<!\\)[%#&]/g, "\\$&") : part;
    return part.replace(/[%#&_$]/g, "\\$&").replace(/\^/g, "{\\textasciicircum}")
      .replace(/[^\0-\x7f]/gu, (letter) => written[letter] || accented(letter, marks));
  }).join("");
}

function accented(letter, marks) {
  const [base, ...signs] = letter.normalize("NFD");
  if (!signs.length || !/[A-Za-z]/.test(base) || !signs.every((sign) => marks.has(sign))) return letter;
  const inner = losesDot(base, signs.map((sign) => marks.get(sign))) ? `\\${base}` : base;
  const [first, ...others] = signs.map((sign) => marks.get(sign));
  const command = others.reduce((made, mark) => `\\${mark}{${made}}`, `\\${first}${/[A-Za-z]/.test(first) ? `{${inner}}` : inner}`);
  return `{${command}}`;
}

// An i or j under an accent loses its dot. LaTeX knows that of an i under these four by itself, and
// readers such as Pandoc compose only the plain letter: {\'i} is í, {\'\i} a dotless i and a mark.
function losesDot(base, accents) {
  if (!"ij".includes(base) || accents.every((accent) => "cdkb".includes(accent))) return false;
  return base === "j" || accents.length > 1 || !"`'^\"".includes(accents[0]);
}

// Returns the text as displayed; throws Unknown for a command that cannot be shown.
export function shown(text, commands) {
  let out = "";
  let at = 0;
  SPECIAL.lastIndex = 0;
  for (let mark = SPECIAL.exec(text); mark; mark = SPECIAL.exec(text)) {
    out += text.slice(at, mark.index);
    at = SPECIAL.lastIndex;
    const opening = mark[0] === "$" ? "$" : text.slice(mark.index, mark.index + 2);
    if (Object.hasOwn(FORMULA, opening)) {
      const found = matchAt(FORMULA[opening], text, mark.index);
      if (!found) throw new Unknown(`${opening} without its partner`);
      out += inText(found[1], commands);
      at = SPECIAL.lastIndex = mark.index + found[0].length;
    } else if (mark[0] === "\\") {
      const [said, end] = command(text, mark.index, commands);
      out += said;
      at = SPECIAL.lastIndex = end;
    } else out += PLAIN[mark[0]];
  }
  return (out + text.slice(at)).normalize("NFC");
}

function command(text, start, commands) {
  const found = matchAt(WORD, text, start);
  if (!found) throw new Unknown("\\ at the end");
  const [whole, name] = found;
  const end = start + whole.length;
  if (Object.hasOwn(commands.accents, name)) return accent(text, end, name, commands);
  if (Object.hasOwn(commands.symbols, name)) return [commands.symbols[name], /[A-Za-z]/.test(name) ? end : start + 1 + name.length];
  if (name === "ensuremath") return argument(text, end, "\\ensuremath", 0, commands);
  if (commands.fonts.includes(name) || commands.switches.includes(name)) return ["", end];
  const said = symbol(name, commands);
  if (said === undefined) throw new Unknown(`\\${name}`);
  return [said, /[A-Za-z]/.test(name) ? end : start + 1 + name.length];
}

function accent(text, start, name, commands) {
  const group = matchAt(GROUP, text, start);
  const other = group || matchAt(WORD, text, start);
  const inner = group ? group[1].trim() : other ? other[0] : text.slice(start, start + 1);
  const end = start + (other ? other[0].length : 1);
  const base = shown(inner, commands).replace(/ı/g, "i").replace(/ȷ/g, "j");
  if (!/^\p{L}/u.test(base)) throw new Unknown(`\\${name} without a letter`);
  const [letter] = base;
  return [letter + commands.accents[name] + base.slice(letter.length), end];
}

// Returns the text as displayed, or unchanged if it cannot be shown.
export function readable(text, commands) {
  try { return shown(text, commands); } catch { return text; }
}
