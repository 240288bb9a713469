/* The theme's menu button is a label, which the keyboard does not reach: puts a button in its place. */

import { element, one } from "./dom.js";

export function menuButton(label) {
  const drawer = one(`#${label.htmlFor}`);
  const button = element("button", { type: "button", class: `${label.className} menu`, "aria-label": "Menu", onclick: () => drawer.click() }, ...label.childNodes);
  const tell = () => button.setAttribute("aria-expanded", drawer.checked);
  drawer.addEventListener("change", tell);
  tell();
  label.replaceWith(button);
}
