/* Copy buttons. */

import { all, one, words } from "./dom.js";

// On a click, writes the text to the clipboard and shows a short confirmation on the button.
export function copyOnClick(button, text) {
  const label = button.textContent;
  button.onclick = async () => {
    await navigator.clipboard.writeText(`${text()}\n`);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  };
}

// Returns the sentence on a cell of a cross-tabulation: the pattern of the page with the texts of the cell in its places.
function onCell(button) {
  const cell = button.closest("[id]"), number = Number(one(".n", cell)?.textContent ?? 0);
  const [row, column] = [one("h3", cell.closest("section")), one("b", cell)].map((node) => node.textContent.trim());
  const places = { row, column, n: String(number), entries: number ? words(number, "entry", "entries") : "no entry" };
  return one("[data-pattern]").dataset.pattern.replace(/\{(row|column|n|entries)\}/g, (_, place) => places[place]);
}

// Starts every button that names an element whose text it copies, or that cites its cell.
export function copyButtons() {
  for (const button of all("button[data-cite]")) {
    const sentence = onCell(button); // before its label changes
    copyOnClick(button, () => sentence);
  }
  for (const button of all("button[data-copy]")) copyOnClick(button, () => one(`#${button.dataset.copy}`).textContent.trim());
}
