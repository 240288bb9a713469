/* A tolerant BibTeX parser: entries with their fields, and passages that cannot be read. */

import { matchAt } from "../../theme/scripts/patterns.js";
import { identified } from "./identifiers.js";

const SKIPPED = new Set(["comment", "string", "preamble"]);
const HEAD = /@[^\S\n]*([a-z][\w-]*)\s*([{(])/iy;
const REMARK = /@[^\S\n]*comment\b/iy; // without a brace BibTeX ignores it
const NEXT = /\n[^\S\n]*@[^\S\n]*[a-z][\w-]*\s*[{(]/gi; // where another entry begins, at the start of a line
const BRACE = /[{}]|\n[^\S\n]*@[^\S\n]*[a-z][\w-]*\s*[{(]/gi;
const QUOTE = /["{}]|\n[^\S\n]*@[^\S\n]*[a-z][\w-]*\s*[{(]/gi;

class Unread extends Error {
  constructor(message, at) {
    super(message);
    this.at = at;
  }
}

// Returns every entry of a text with its fields, and every passage that cannot be read.
// An unclosed entry ends where another one begins at the start of a line.
export function parsed(source) {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const lineOf = lines(text);
  const found = [];
  const unread = [];
  let at = text.indexOf("@");
  while (at >= 0) {
    const head = matchAt(HEAD, text, at);
    if (!head) {
      if (!matchAt(REMARK, text, at) && /(^|\n)[^\S\n]*$/.test(text.slice(Math.max(at - 200, 0), at))) unread.push({ line: lineOf(at), why: "not the start of an entry (expected a type and a brace after @)", text: lineAt(text, at) });
      at = text.indexOf("@", at + 1);
      continue;
    }
    const body = at + head[0].length;
    try {
      if (SKIPPED.has(head[1].toLowerCase())) at = head[2] === "{" ? closed(text, body, BRACE) : parenthesis(text, body);
      else {
        const entry = fieldsOf(text, body, head[2] === "{" ? "}" : ")");
        if (entry.fields.title || identified(entry.fields)) found.push({ ...entry, line: lineOf(at) });
        else unread.push({ line: lineOf(at), why: "has neither a title nor an identifier to compare by", text: lineAt(text, at) });
        at = entry.end;
      }
    } catch (error) {
      if (!(error instanceof Unread)) throw error;
      const next = matchAt(NEXT, text, body);
      const until = next ? next.index + 1 : text.length;
      unread.push({ line: lineOf(at), why: `line ${lineOf(Math.min(error.at, text.length))}: ${error.message}; skipped up to line ${lineOf(Math.max(until - 1, at))}`, text: lineAt(text, at) });
      at = until;
    }
    at = text.indexOf("@", at);
  }
  return { found, unread };
}

// Returns a function that returns the line of a position in the text.
function lines(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (place) => {
    let low = 0;
    let high = starts.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= place) low = middle; else high = middle;
    }
    return low + 1;
  };
}

function lineAt(text, at) {
  const end = text.indexOf("\n", at);
  return text.slice(at, end < 0 ? text.length : end).trim().slice(0, 80);
}

const KEY = /\s*([^,{}="\n]*)/y;
const GAP = /[\s,]*/y;
const NAME = /[^\s=,{}()"#%@]+/y;
const SPACE = /\s*/y;
const BARE = /[^\s,{}()"#@=]+/y;

function fieldsOf(text, body, close) {
  const fields = Object.create(null);
  const [opening, written] = matchAt(KEY, text, body);
  const keyless = text[body + opening.length] === "="; // then this is the first field
  const key = keyless ? "" : written.trim();
  let at = keyless ? body : body + opening.length;
  for (;;) {
    at += matchAt(GAP, text, at)[0].length;
    if (at >= text.length) throw new Unread("the file ends before the entry does", at);
    if (text[at] === close) return { key, fields, end: at + 1 };
    if (text[at] === "@") throw new Unread("another entry begins before this one ends", at);
    const name = matchAt(NAME, text, at);
    if (!name) throw new Unread(`expected the name of a field, found ${JSON.stringify(text[at])}`, at);
    at += name[0].length;
    at += matchAt(SPACE, text, at)[0].length;
    if (text[at] !== "=") throw new Unread(`expected = after ${JSON.stringify(name[0].slice(0, 30))}`, at);
    const [value, end] = valueOf(text, at + 1);
    const field = name[0].toLowerCase();
    if (!(field in fields)) fields[field] = value;
    at = end;
  }
}

function valueOf(text, start) {
  const parts = [];
  let at = start;
  for (;;) {
    at += matchAt(SPACE, text, at)[0].length;
    const from = at;
    if (text[at] === "{") {
      at = closed(text, at + 1, BRACE);
      parts.push(text.slice(from + 1, at - 1));
    } else if (text[at] === '"') {
      at = closed(text, at + 1, QUOTE);
      parts.push(text.slice(from + 1, at - 1));
    } else {
      const bare = matchAt(BARE, text, at);
      if (!bare) throw new Unread("expected a value after =", at);
      parts.push(bare[0]);
      at += bare[0].length;
    }
    at += matchAt(SPACE, text, at)[0].length;
    if (text[at] !== "#") return [parts.join(""), at];
    at += 1;
  }
}

// Returns the end of a value whose opening brace or quotation mark was just read.
function closed(text, start, pattern) {
  let depth = 0;
  pattern.lastIndex = start;
  for (let mark = pattern.exec(text); mark; mark = pattern.exec(text)) {
    if (mark[0] === "{") depth += 1;
    else if (mark[0] === "}") {
      if (!depth && pattern === BRACE) return pattern.lastIndex;
      if (!depth) throw new Unread("a quotation mark is not closed", mark.index);
      depth -= 1;
    } else if (mark[0] === '"') {
      if (!depth) return pattern.lastIndex;
    } else throw new Unread("another entry begins before this one ends", mark.index + 1);
  }
  throw new Unread("the file ends before the entry does", start);
}

function parenthesis(text, start) {
  const end = text.indexOf(")", start);
  if (end < 0) throw new Unread("the file ends before the entry does", start);
  return end + 1;
}
