/* The heads of the columns: buttons that sort, and widths that stay. */

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

// The columns keep the widths that they have with the rows of the page: they do not jump from
// filter to filter, and a table whose widths are given is laid out in a third of the time.
export function keepWidths(root, heads) {
  const table = one("tbody", root).parentNode;
  let held; // the width of the page for which the columns have theirs
  new ResizeObserver(() => {
    const room = table.parentNode.clientWidth;
    if (room === held) return; // the rows have become more or fewer
    held = room;
    delete table.dataset.held;
    for (const node of [table, ...heads]) node.style.width = "";
    const widths = [table, ...heads].map((node) => node.getBoundingClientRect().width);
    if (!heads[0].offsetWidth) return; // on a phone the rows are no table
    for (const [n, node] of [table, ...heads].entries()) node.style.width = `${widths[n]}px`;
    table.dataset.held = "";
  }).observe(one(".wide", root));
}
