/* Material's script gives a wide table a frame that scrolls. The keyboard must then reach the frame, and no longer the table. */

import { all } from "./dom.js";

export function focusableScrollers() {
  for (const [number, wrap] of all(".md-typeset__scrollwrap").entries()) {
    wrap.querySelector("table").removeAttribute("tabindex");
    if (wrap.scrollWidth <= wrap.clientWidth) continue;
    const label = `Table ${number + 1}`;
    for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", label]]) wrap.setAttribute(name, value);
  }
}
