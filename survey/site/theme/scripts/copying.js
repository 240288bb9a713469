/* Buttons that copy a text. */

import { all, one } from "./dom.js";

// A click writes the text to the clipboard, and the button says so for a moment.
export function copyOnClick(button, text) {
  const label = button.textContent;
  button.onclick = async () => {
    await navigator.clipboard.writeText(`${text()}\n`);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  };
}

// Every button that names the element whose text it copies.
export function copyButtons() {
  for (const button of all("button[data-copy]")) copyOnClick(button, () => one(`#${button.dataset.copy}`).textContent.trim());
}
