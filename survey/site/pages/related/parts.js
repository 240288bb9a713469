/* The parts of the findings: sections, lists, chips, export buttons. */

import { element } from "../../theme/scripts/dom.js";
import { saveText } from "../../theme/scripts/files.js";

const SHOWN = 100; // lines of a list at first; the rest on request
const FOLDED = 12; // longer lists are folded

export const section = (title, ...children) => element("section", {}, element("h2", {}, title), ...children);

// A list that shows its first items, and the rest on request.
export function list(items, lineOf) {
  const shown = element("ul", { class: "works" }, ...items.slice(0, SHOWN).map(lineOf));
  if (items.length <= SHOWN) return [shown];
  const more = element("button", { type: "button", onclick: () => {
    const rest = items.slice(SHOWN).map(lineOf);
    shown.append(...rest);
    more.parentNode.remove();
    rest[0].tabIndex = -1;
    rest[0].focus();
  } }, `Show ${items.length - SHOWN} more`);
  return [shown, element("p", { class: "act" }, more)];
}

export function folded(title, items, lineOf, ...more) {
  return element("details", { class: "more", open: items.length <= FOLDED }, element("summary", {}, title), ...list(items, lineOf), ...more);
}

// A list item: its subject, and details in small print.
export const line = (children, small) => element("li", {}, ...children, element("br"), element("small", {}, small));

// A value as a link to its page: solid if the list has it, dashed if it misses it, without an outline if no entry has it.
export function chip(value, places, ...more) {
  const kind = value.own ? "" : value.having.length ? " hollow" : " nobody";
  const node = element("a", { class: `chip${kind}`, href: `${places.axes}${value.axis.id}/${value.cell.split(": ")[0]}/` }, value.label, ...more);
  node.style.setProperty("--hue", `var(--hue-${value.axis.id}, var(--hue-other))`);
  return node;
}

// The place of a work in the reader's list.
export const standing = (work) => `${work.key || "without a key"}, ${work.file ? `${work.file} ` : ""}line ${work.line}`;

export function saveButton(label, entries, name, { stamp }) {
  const text = () => `% ${stamp}\n\n${entries.map((entry) => entry.bib).join("\n")}`;
  return element("button", { type: "button", onclick: () => saveText(text(), name, "application/x-bibtex") }, label);
}
