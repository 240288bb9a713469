/* Works in lists: the title as a link, authors and year. */

import { element } from "./dom.js";

// Returns the name of an entry in addresses and file names. Follows address_of in survey/literature/bibtex/blocks.py.
export const addressOf = (key) => key.replace(/[:/]/g, ".");

// An entry links to its page, an excluded record to its row, a background work to its own address.
export function workLink({ kind, key, url, title }, { entries, excluded }) {
  const href = kind === "entries" ? `${entries}${addressOf(key)}/` : kind === "records" ? `${excluded}#${addressOf(key)}` : url;
  return element("a", { href }, title);
}

export const workBy = ({ by }) => element("span", { class: "work-by" }, by);
