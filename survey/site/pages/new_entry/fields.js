/* Checks of single fields, with the messages of `survey check`.
   Follows survey/literature/bibtex/fields.py and names.py; a test compares the two. */

import { KEY_SHAPE, unwritable } from "./bibtex.js";
import { Unknown } from "./formulas.js";
import { readable, shown } from "./latex.js";

export function quoted(text, limit = 60) {
  const letters = [...text];
  const cut = letters.length <= limit ? text : `${letters.slice(0, limit - 1).join("")}…`;
  const written = cut.replace(/[\p{C}\p{Z}]/gu, (c) => c === " " ? c : `\\u${c.codePointAt(0).toString(16).padStart(4, "0")}`);
  return `"${written}"`;
}

export const oneOf = (words) => `(expected one of: ${words.join(", ")})`;

// ---------------------------------------------------------------- any text

const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u2028-\u202e\u2060\u2066-\u2069\ufeff\ufffe\uffff]/;
const SWALLOWED = /@[A-Za-z]+[ \t]*\{[^{},=\s]{1,200},\s{0,200}[A-Za-z-]{1,60}[ \t]*=/;

// Yields the problems of a text that do not depend on its field.
export function* anyText(text) {
  if (SWALLOWED.test(text)) yield "seems to have swallowed what follows it (is a closing brace missing?)";
  const bad = FORBIDDEN.exec(text);
  if (bad) yield `contains the character U+${bad[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}, which cannot be seen (delete it)`;
  const reason = unwritable(text);
  if (reason) yield `${reason}: ${quoted(text)}`;
}

function* latex(text, commands) {
  try {
    if (!shown(text, commands).trim()) yield `shows nothing: ${quoted(text)}`;
  } catch (error) {
    if (!(error instanceof Unknown)) throw error;
    yield `${error.message} in ${quoted(text)} (write the character itself)`;
  }
}

// ------------------------------------------------------------------- names

// Splits a text at separators outside braces.
function parts(text, separator) {
  const found = [];
  let level = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "{") level += 1;
    else if (text[at] === "}") level -= 1;
    else if (!level) {
      separator.lastIndex = at;
      const mark = separator.exec(text);
      if (!mark) continue;
      found.push(text.slice(from, at));
      from = at + mark[0].length;
      at = from - 1;
    }
  }
  return [...found, text.slice(from)].map((part) => part.trim());
}

export const people = (text) => text.trim() ? parts(text.trim(), /\s+and(?=\s)/iy) : [];

// Whether one pair of braces holds the whole name: then it is a corporate author.
function isBody(raw) {
  if (!/^\{[^]*\}$/.test(raw) || /^\{\s*\\/.test(raw)) return false; // {\'E}va is an accent
  let level = 0;
  return [...raw].every((letter, at, letters) => {
    level += { "{": 1, "}": -1 }[letter] || 0;
    return level > 0 || at === letters.length - 1;
  });
}

function nameProblem(raw, commands) {
  const body = isBody(raw);
  if (body && !readable(raw, commands).trim()) return `"${raw}" names nobody`;
  const sections = body ? [raw] : parts(raw, /,/y);
  if (sections.length > 3) return `Too many commas: ${raw}`;
  if (sections.length > 1 && !sections.at(-1)) return `Trailing comma at end of name: ${raw}`;
  const [family, ...rest] = sections.map((part) => readable(part.replace(/~/g, " "), commands));
  if (!family) return `"${raw}" has no last name (expected "Last, First")`;
  const whole = [rest.at(-1), family, ...rest.slice(0, -1)].filter(Boolean).join(" ");
  if (/^others$|\bet al\b/i.test(whole)) return 'ends in "and others" (name every author, or say why not in authors-incomplete)';
  const wrong = body ? null : /(?<!\S)and(?!\S)|;/i.exec(`${rest.at(-1) || ""} , ${family} , ${rest.length > 1 ? rest[0] : ""}`);
  return wrong ? `"${raw}" is not one name: it contains "${wrong[0].trim()}" (join names with " and ")` : "";
}

function* names(text, commands) {
  const wrong = people(text).map((raw) => nameProblem(raw, commands)).find(Boolean);
  if (wrong) yield wrong;
}

// ------------------------------------------------------- dates and addresses

const ARXIV = /^(?:([0-9]{2})(0[1-9]|1[0-2])\.[0-9]{4,5}|[a-z-]+(?:\.[A-Z]{2})?\/([0-9]{2})(0[1-9]|1[0-2])[0-9]{3})$/;
export const PARTIAL = /^([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?$/;

// Year and month in which arXiv assigned the id; null if it is not an arXiv id.
export function arxivDate(eprint) {
  const found = ARXIV.exec(eprint);
  if (!found) return null;
  const year = Number(found[1] || found[3]);
  return [(year > 90 ? 1900 : 2000) + year, Number(found[2] || found[4])];
}

export function isDay(text) {
  const found = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  if (!found || found[1] < 1800 || found[1] > 2100) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function* year(text) {
  if (!/^[0-9]{4}$/.test(text) || text < 1800 || text > 2100) yield `${quoted(text)} is not a year (expected four digits)`;
}

function* eprint(text) {
  if (arxivDate(text)) return;
  const bare = text.replace(/^(arxiv:|https?:\/\/arxiv.org\/(abs|pdf)\/)|v\d+$/gi, "");
  yield `${quoted(text)} is not an arXiv id (${arxivDate(bare) ? `did you mean "${bare}"?` : 'expected an id like "2603.06859"'})`;
}

function* arxivClass(text) {
  if (!/^[a-z][a-z-]+(?:\.[A-Za-z][A-Za-z-]+)?$/.test(text)) yield `${quoted(text)} is not an arXiv class (expected one like "cs.MA")`;
}

const isDoi = (text) => /^10\.[0-9]{4,9}\/[^\s"<>{}\\]+$/.test(text);

function* doi(text) {
  if (isDoi(text)) return;
  const inside = /10\.[0-9]{4,9}\/\S+/.exec(text);
  const bare = inside ? inside[0].replace(/\\([_&%#])/g, "$1") : "";
  yield `${quoted(text)} is not a DOI (${isDoi(bare) ? `did you mean "${bare}"?` : 'expected one like "10.1038/s41586"'})`;
}

function* url(text) {
  if (!/^https?:\/\/(?:[^/?#]*@)?(?:[^/?#:@[\]]|\[[0-9a-f:.]+\])/i.test(text) || /[\s"<>\\^`{}]/.test(text)) yield `${quoted(text)} is not a web address (expected http:// or https://)`;
}

function* urls(text) {
  for (const each of text.split(" ")) {
    if (/[,;]$/.test(each) || each.split("://").length > 2) yield `${quoted(each)} is not one web address (put a blank between two, and nothing else)`;
    else yield* url(each);
  }
}

// Addresses of pages; "unrecorded" stands for those whose address nobody kept.
function* pages(text) {
  for (const each of text.split(" ")) if (each !== "unrecorded") yield* urls(each);
}

function* day(text) {
  if (!isDay(text)) yield `${quoted(text)} is not a date (expected YYYY-MM-DD)`;
}

function* version(text) {
  if (!/^(?:[1-9][0-9]{0,2}|published|unknown)$/.test(text)) yield `${quoted(text)} is not a version (expected its number, as in "2", or "published", or "unknown")`;
}

function* partial(text) {
  if (!isDay((PARTIAL.exec(text)?.slice(1) || []).map((part) => part || "01").join("-"))) yield `${quoted(text)} is not a date (expected YYYY, YYYY-MM or YYYY-MM-DD)`;
}

// Keys whose page would be another page or file of the site.
const RESERVED = /^(index|readme|.*[.:/](bib|csv|html|ipynb|json|md|ris|xml))$/i;

export function* oneKey(key) {
  if (!KEY_SHAPE.test(key)) yield `${quoted(key)} cannot be a key (letters, digits, . _ + -, and : / inside)`;
  else if (RESERVED.test(key)) yield `${quoted(key)} cannot be a key (the site has another page or file of this name)`;
}

function* keys(text) {
  for (const key of text.split(",")) yield* oneKey(key.trim());
}

const CHECKS = { author: names, editor: names, year, eprint, primaryclass: arxivClass, doi, url, code: url, sources: urls, "third-party": pages, submitted: day, announced: partial, version, added: day, ids: keys };

// Yields the problems of the text of one field.
export function* fieldProblems(name, text, vocabulary) {
  if (vocabulary.latex.includes(name)) yield* latex(text, vocabulary.commands);
  if (Object.hasOwn(CHECKS, name)) yield* CHECKS[name](text, vocabulary.commands);
}
