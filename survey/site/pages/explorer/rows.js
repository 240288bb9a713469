/* The entries as data, and their table rows. */

import { element } from "../../theme/scripts/dom.js";
import { addressOf, titleOf, workBy } from "../../theme/scripts/works.js";

// Returns every entry with the indices of its words on each axis, its search text, and its row if the page has one.
export function itemsOf(data, facets, rows) {
  const brought = new Map([...rows].map((row) => [row.id, row]));
  return data.map(([key, title, by, year, cells, shown]) => {
    const words = facets.map(({ places }, n) => withoutHow(cells[n]).map((word) => places.get(word)).filter((place) => place !== undefined));
    const work = `${title} ${by}`.toLowerCase();
    const labels = facets.flatMap((facet, n) => facet.main ? cells[n].map((cell) => namesOf(facet, cell)) : []);
    return { key, title, shown, by, year, cells, words, work, text: `${work} ${year} ${key} ${labels.join(" ")}`.toLowerCase(), row: brought.get(addressOf(key)) };
  });
}

// A search finds a value by its other names as well: "DPO" all of preference optimisation.
const namesOf = ({ labels, also }, cell) => `${labels.get(cell)} ${also[cell.split(": ")[0]] || ""}`;

// A filter may name a value and how, or a value with any qualifier.
const withoutHow = (cells) => cells.some((cell) => cell.includes(": ")) ? [...new Set(cells.flatMap((cell) => [cell, cell.split(": ")[0]]))] : cells;

// Builds the same row as explore.md.j2 when it is first drawn: laying out ten thousand rows takes
// seconds. Text from the pool is never parsed as HTML.
export function rowOf(item, facets, entries) {
  item.row ||= element("tr", { id: addressOf(item.key) },
    element("th", { scope: "row" }, element("a", { href: `${entries}${addressOf(item.key)}/` }, ...titleOf(item)), " ", workBy(item)),
    element("td", { class: "number" }, item.year),
    ...facets.flatMap((facet, n) => facet.main ? [element("td", { "data-axis": facet.axis }, ...item.cells[n].map((cell) => wordOf(facet, cell)))] : []));
  return item.row;
}

const wordOf = ({ hollow, labels }, cell) => element("span", { class: hollow.includes(cell) ? "word hollow" : "word" }, labels.get(cell));
