/* Output of an entry in the layout of bib/pool.bib: one field per line, values aligned. Follows survey/literature/bibtex/reading.py. */

import { addressOf } from "../../theme/scripts/works.js";

export const collapsed = (text) => text.replace(/[ \t\r\n]+/g, " ").replace(/^ | $/g, "");

// Returns why a text cannot be put between braces in a BibTeX file; empty if it can.
export function unwritable(text) {
  let strict = 0;
  let lenient = 0;
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    const step = brace === "{" ? 1 : -1;
    strict += step;
    if (text[index - 1] !== "\\") lenient += step;
    if (strict < 0 || lenient < 0) return "a closing brace has no opening one";
  }
  if (strict || lenient) return "braces do not balance";
  return text.endsWith("\\") ? "a backslash at the end hides the closing brace" : "";
}

export function entryText({ type, key, fields }, order) {
  const named = order.filter((name) => fields.get(name) && !unwritable(fields.get(name)));
  const width = Math.max(0, ...named.map((name) => name.length));
  const lines = named.map((name) => {
    const text = fields.get(name);
    return `  ${name.padEnd(width)} = ${name === "month" ? text : `{${text}}`},`;
  });
  return [`@${type}{${key},`, ...lines, "}", ""].join("\n");
}

// What a key can be. Follows KEY in survey/literature/bibtex/blocks.py.
export const KEY_SHAPE = /^[A-Za-z0-9][A-Za-z0-9._+-]*(?:[:/][A-Za-z0-9._+-]+)*$/;

// A file name that is safe in a shell and on disk.
export const fileName = (key) => KEY_SHAPE.test(key) ? `${addressOf(key)}.bib` : "entry.bib";
