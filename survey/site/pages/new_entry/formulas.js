/* Formulas of LaTeX as a line of text, for checks and for the search of similar titles: sub- and superscripts stay as
   they are, and accents are left out. The tables come from the page. Follows survey/literature/bibtex/formulas.py. */

import { matchAt } from "../../theme/scripts/patterns.js";

const NAME = /\\([A-Za-z]+|[^])/y;
const BLANKS = /[ \t\n]*/y;
const OPTION = /[ \t\n]*\[([^[\]{}\\]*)\]/y;
const DEEPEST = 40;

export class Unknown extends Error {
  constructor(what) {
    super(`the LaTeX command ${what} cannot be shown`);
  }
}

const afterBlanks = (text, at) => at + matchAt(BLANKS, text, at)[0].length;

// Returns a formula, without its dollar signs, as text; throws Unknown for a command that cannot be shown.
export const inText = (formula, commands) => row(formula, 0, 0, commands)[0].replace(/[ \t\n]{2,}/g, " ").trim();

// Returns the argument of a command and the position after it; throws Unknown if there is none.
export function argument(text, start, name, depth, commands) {
  let at = afterBlanks(text, start);
  for (let found = matchAt(NAME, text, at); found && commands.switches.includes(found[1]); found = matchAt(NAME, text, at)) at = afterBlanks(text, at + found[0].length);
  if (at >= text.length || text[at] === "}") throw new Unknown(`${name} without its argument`);
  return atom(text, at, depth + 1, commands);
}

function row(text, start, depth, commands) {
  let out = "";
  let at = start;
  while (at < text.length) {
    const sign = text[at];
    if (sign === "}" && depth) return [out, at + 1];
    const [said, end] = sign === "}" ? ["", at + 1]
      : "^_".includes(sign) ? argument(text, at + 1, sign, depth, commands) : atom(text, at, depth, commands);
    out += said;
    at = end;
  }
  return [out, at];
}

const SIGNS = { "'": "′", "~": "\u00a0", "&": " " };

function atom(text, at, depth, commands) {
  if (depth > DEEPEST) throw new Unknown(`${text[at]} within more than ${DEEPEST} others`);
  if (text[at] === "{") return row(text, at + 1, depth + 1, commands);
  if (text[at] === "\\") return formatted(text, at, depth, commands);
  return [SIGNS[text[at]] || text[at], at + 1];
}

function formatted(text, start, depth, commands) {
  const found = matchAt(NAME, text, start);
  if (!found) throw new Unknown("\\ at the end");
  const [whole, name] = found;
  const at = start + whole.length;
  const one = (from) => argument(text, from, `\\${name}`, depth, commands);
  if (commands.marks.includes(name) || (Object.hasOwn(commands.accents, name) && !"=.".includes(name))) return one(at);
  if (name === "sqrt") {
    const option = matchAt(OPTION, text, at);
    const [inner, end] = one(at + (option ? option[0].length : 0));
    return [`${option && !["", "3", "4"].includes(option[1].trim()) ? option[1].trim() : ""}√${inner}`, end];
  }
  if (commands.fractions.includes(name)) {
    const [over, middle] = one(at);
    const [under, end] = one(middle);
    return [`${over}/${under}`, end];
  }
  if (commands.switches.includes(name)) {
    const after = afterBlanks(text, at);
    return ["", after + (["left", "right"].includes(name) && text[after] === "." ? 1 : 0)];
  }
  if (commands.fonts.includes(name) || name === "mathbb") return one(at);
  const said = symbol(name, commands);
  if (said === undefined) throw new Unknown(`\\${name}`);
  return [said, /[A-Za-z]/.test(name) ? afterBlanks(text, at) : at];
}

export const symbol = (name, { symbols, more }) => Object.hasOwn(symbols, name) ? symbols[name] : Object.hasOwn(more, name) ? more[name] : undefined;
