/* The entries as data, and the row of each in the table. */

import { element } from "../../theme/scripts/dom.js";
import { workBy } from "../../theme/scripts/works.js";

// Every entry, with the places of its words on each axis, the text that is searched, and the row that the page brought.
export function itemsOf(data, facets, rows) {
  const brought = new Map([...rows].map((row) => [row.id, row]));
  return data.map(([key, title, by, year, cells]) => {
    const words = facets.map(({ places }, n) => withoutHow(cells[n]).map((word) => places.get(word)).filter((place) => place !== undefined));
    const work = `${title} ${by}`.toLowerCase();
    const labels = facets.flatMap((facet, n) => facet.main ? cells[n].map((cell) => facet.labels.get(cell)) : []);
    return { key, title, by, year, cells, words, work, text: `${work} ${year} ${labels.join(" ").toLowerCase()}`, row: brought.get(key) };
  });
}

// A filter may ask for "stop: learned" or for "stop", however it is done.
const withoutHow = (cells) => cells.some((cell) => cell.includes(": ")) ? [...new Set(cells.flatMap((cell) => [cell, cell.split(": ")[0]]))] : cells;

// The same row as explore.md.j2 writes, made when it is first drawn: laying out ten thousand takes
// seconds. Text from the pool is only ever text here.
export function rowOf(item, facets, entries) {
  item.row ||= element("tr", { id: item.key },
    element("th", { scope: "row" }, element("a", { href: `${entries}${item.key}/` }, item.title), " ", workBy(item)),
    element("td", { class: "number" }, item.year),
    ...facets.flatMap((facet, n) => facet.main ? [element("td", { "data-axis": facet.axis }, ...item.cells[n].map((cell) => wordOf(facet, cell)))] : []));
  return item.row;
}

const wordOf = ({ hollow, labels }, cell) => element("span", { class: hollow.includes(cell) ? "word hollow" : "word" }, labels.get(cell));
