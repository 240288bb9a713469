/* Works in lists: the title as a link, authors and year. */

import { element } from "./dom.js";

// Returns the name of an entry in addresses and file names. Follows address_of in survey/literature/bibtex/blocks.py.
export const addressOf = (key) => key.replace(/[:/]/g, ".");

// An entry links to its page, an excluded record to its row, a background work to its own address.
export function workLink(work, { entries, excluded }) {
  const { kind, key, url } = work;
  const href = kind === "entries" ? `${entries}${addressOf(key)}/` : kind === "records" ? `${excluded}#${addressOf(key)}` : url;
  return element("a", { href }, ...titleOf(work));
}

// Returns the parts of a title: text, and formulas, which the data has as elements (title_tree in survey/site/markup/formulas.py).
export const titleOf = ({ title, shown }) => shown ? shown.map(nodeOf) : [title];

function nodeOf(part) {
  if (typeof part === "string") return part;
  const [space, tag, attributes, ...inner] = part;
  const node = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...inner.map(nodeOf));
  return node;
}

export const workBy = ({ by }) => element("span", { class: "work-by" }, by);
