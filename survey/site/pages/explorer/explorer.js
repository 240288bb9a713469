/* The table of entries: filter, search, sort and export.

   The page has the first rows of the table, rows.json has every row as data, whatever the size of
   the pool: there is one filter for all rows, not a second one for those on the page. */

import { all, element, one } from "../../theme/scripts/dom.js";
import { loadJson, saveText } from "../../theme/scripts/files.js";
import { Controls } from "./controls.js";
import { advice, counted, sorted } from "./filtering.js";
import { keepWidths, markSorted, sortButtons } from "./heads.js";
import { itemsOf, rowOf } from "./rows.js";
import { Selection } from "./selection.js";
import { Summaries } from "./summaries.js";
import { Table } from "./table.js";

export async function explorer(root) {
  const facets = facetsOf(root);
  const heads = all("thead th", root);
  const matches = one(".matches", root);
  const said = matches.textContent;
  const summaries = new Summaries(root);
  const table = new Table(root, (item) => summaries.under(rowOf(item, facets, root.dataset.entries)));
  const selection = new Selection(facets, heads.map(({ dataset }) => dataset.sort), update);
  const controls = new Controls(one(".explorer-tools", root), facets, selection, { save, summaries: () => selection.showSummaries(!selection.summaries) });
  let items; // every entry, once they are loaded

  function update() {
    controls.showChosen();
    markSorted(heads, selection);
    if (!items) return;
    const { found, numbers } = counted(items, facets, selection);
    table.show(sorted(found, facets, selection));
    controls.showCounts(numbers);
    controls.showFound(found.length);
    showSummaries();
    matches.textContent = said.replace(/^\d+/, selection.filters ? `${found.length} of ${items.length}` : items.length);
    if (!found.length && selection.filters) matches.append(element("span", {}, `. ${advice(items, facets, selection)}`));
  }

  async function showSummaries() {
    try {
      await summaries.show(selection.summaries);
    } catch {
      matches.append(". The summaries could not be loaded.");
    }
  }

  async function save(form) {
    if (!items) return;
    const { header, entries } = await loadJson(root.dataset.exports);
    const texts = table.visible.map(({ key }) => entries[key][form]);
    saveText((form === "csv" ? header : "") + texts.join(form === "bib" ? "\n" : ""), `entries.${form}`, "text/plain");
  }

  // Without the data there is nothing to filter: restores the page as it is without this script.
  function giveUp() {
    controls.hide();
    for (const head of heads) head.replaceChildren(head.textContent);
    matches.append(". The filters could not be loaded: reload the page to try again.");
  }

  controls.show();
  sortButtons(heads, selection);
  keepWidths(root, heads);
  update();
  root.setAttribute("aria-busy", "true");
  try {
    items = itemsOf(await loadJson(root.dataset.rows), facets, table.body.rows);
  } catch {
    giveUp();
    return;
  } finally {
    root.removeAttribute("aria-busy");
  }
  one(".pages", root)?.remove();
  table.addButtons();
  update();
  table.reveal(location.hash);
}

// Returns the axes by which entries are filtered, with the label and index of each word.
function facetsOf(root) {
  return JSON.parse(root.dataset.explorer).map((facet) => ({
    ...facet,
    labels: new Map(facet.words),
    places: new Map(facet.words.map(([word], place) => [word, place])),
  }));
}
