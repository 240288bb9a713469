/* How a work stands in a list: its title as a link, and who wrote it when. */

import { element } from "./dom.js";

// An entry has a page, an excluded record a row, a background work its own address.
export function workLink({ kind, key, url, title }, { entries, excluded }) {
  const href = kind === "entries" ? `${entries}${key}/` : kind === "records" ? `${excluded}#${key}` : url;
  return element("a", { href }, title);
}

export const workBy = ({ by }) => element("span", { class: "work-by" }, by);
