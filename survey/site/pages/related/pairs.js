/* Cross-tabulation of two chosen axes: which filled cells the list covers. */

import { element, words } from "../../theme/scripts/dom.js";
import { cellName, crossed } from "./coverage.js";
import { section } from "./parts.js";

export function cellByCell({ mine }, { axes, entries }, { pairs }) {
  if (axes.length < 2) return [];
  const ranked = axes.flatMap(({ ranked: is }, n) => is ? [n] : []);
  const [first, second] = ranked.length > 1 ? ranked : [0, 1];
  const told = element("p", { "aria-live": "polite" });
  const wrap = element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Cells of two axes" });
  const rows = choice(axes, first, draw);
  const columns = choice(axes, second, draw);

  function draw() {
    const [down, across] = [axes[rows.value], axes[columns.value]];
    if (down === across) {
      told.textContent = "Choose two different axes.";
      wrap.replaceChildren();
      return;
    }
    const numbers = crossed(axes, entries, mine, Number(rows.value), Number(columns.value));
    wrap.replaceChildren(table(down, across, numbers, `${pairs}${down.id}-by-${across.id}/#`));
    const held = [...numbers.values()];
    told.textContent = `Your list covers ${held.filter(({ own }) => own).length} of the ${words(held.length, "cell")} that hold entries, by first values; ${down.cells.length * across.cells.length - held.length} cells hold no entry of the pool.`;
  }

  draw();
  const choices = [["Rows", rows], ["Columns", columns]].map(([label, select]) => element("label", {}, `${label} `, select));
  return [section("Coverage by cell", element("p", { class: "act" }, ...choices), told, wrap)];
}

function choice(axes, chosen, onchange) {
  return element("select", { onchange }, ...axes.map(({ label }, place) => element("option", { value: place, selected: place === chosen }, label)));
}

// Builds the table of counts; "page" is the address before the anchor of a cell.
function table(down, across, numbers, page) {
  const cellOf = (row, column) => {
    const name = cellName(row, column);
    const number = numbers.get(name);
    if (!number) return element("td", { class: "zero" }, "0");
    return element("td", { class: number.own ? "has" : "miss" }, element("a", { href: page + name }, `${number.own} of ${number.all}`));
  };
  const head = element("tr", {}, element("td"), ...across.cells.map(([, label]) => element("th", { scope: "col" }, label)));
  const body = down.cells.map(([row, label]) => element("tr", {}, element("th", { scope: "row" }, label), ...across.cells.map(([column]) => cellOf(row, column))));
  return element("table", { class: "pair" }, element("thead", {}, head), element("tbody", {}, ...body));
}
