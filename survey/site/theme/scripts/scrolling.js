/* Material's script makes wide tables scroll; they must then be reachable by keyboard. */

import { all } from "./dom.js";

export function focusableScrollers() {
  for (const [number, wrap] of all(".md-typeset__scrollwrap").entries()) {
    if (wrap.scrollWidth <= wrap.clientWidth) continue;
    const label = `Table ${number + 1}`;
    for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", label]]) wrap.setAttribute(name, value);
  }
}
