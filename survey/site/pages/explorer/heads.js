/* The column heads: sort buttons and fixed widths. */

import { element, one } from "../../theme/scripts/dom.js";

export function sortButtons(heads, selection) {
  for (const head of heads) head.replaceChildren(element("button", { type: "button", onclick: () => selection.sortBy(head.dataset.sort) }, head.textContent));
}

export function markSorted(heads, { sort, down }) {
  for (const head of heads) {
    if (head.dataset.sort === sort) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
}

// Fixes the columns at the widths that they have with the first rows: they do not jump between
// filters, and a table with fixed widths is laid out in a third of the time.
export function keepWidths(root, heads) {
  const table = one("tbody", root).parentNode;
  let held; // the width of the page for which the columns are fixed
  new ResizeObserver(() => {
    const room = table.parentNode.clientWidth;
    if (room === held) return; // only the number of rows has changed
    held = room;
    delete table.dataset.held;
    for (const node of [table, ...heads]) node.style.width = "";
    const widths = [table, ...heads].map((node) => node.getBoundingClientRect().width);
    if (!heads[0].offsetWidth) return; // on a phone the rows are not laid out as a table
    for (const [n, node] of [table, ...heads].entries()) node.style.width = `${widths[n]}px`;
    table.dataset.held = "";
  }).observe(one(".wide", root));
}
