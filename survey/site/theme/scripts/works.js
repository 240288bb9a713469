/* Works in lists: the title as a link, authors and year. */

import { element } from "./dom.js";

// An entry links to its page, an excluded record to its row, a background work to its own address.
export function workLink({ kind, key, url, title }, { entries, excluded }) {
  const href = kind === "entries" ? `${entries}${key}/` : kind === "records" ? `${excluded}#${key}` : url;
  return element("a", { href }, title);
}

export const workBy = ({ by }) => element("span", { class: "work-by" }, by);
