/* Copy buttons. */

import { all, one } from "./dom.js";

// On a click, writes the text to the clipboard and shows a short confirmation on the button.
export function copyOnClick(button, text) {
  const label = button.textContent;
  button.onclick = async () => {
    await navigator.clipboard.writeText(`${text()}\n`);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  };
}

// Starts every button that names an element whose text it copies.
export function copyButtons() {
  for (const button of all("button[data-copy]")) copyOnClick(button, () => one(`#${button.dataset.copy}`).textContent.trim());
}
