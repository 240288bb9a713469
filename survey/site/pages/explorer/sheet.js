/* The filters above the table; on a phone they are a sheet that opens over the page. */

import { all, element } from "../../theme/scripts/dom.js";

const PHONE = matchMedia("(max-width: 47rem)"); // the width at which the rows become cards

export class Sheet {
  constructor(filters, clear) {
    this.filters = filters;
    this.button = element("button", { type: "button", class: "opener", onclick: () => this.dialog.showModal() }, "Filters");
    this.found = element("button", { type: "button", class: "found", onclick: () => this.dialog.close() });
    this.foot = element("p", { class: "act" }, this.found, element("button", { type: "button", onclick: clear }, "Clear all"));
    this.dialog = element("dialog", { class: "sheet", "aria-label": "Filters", onclick: (event) => event.target === this.dialog && this.dialog.close() }, this.foot);
  }

  show(box) {
    box.append(this.button, this.dialog);
    this.place();
    PHONE.addEventListener("change", () => this.place());
  }

  // Over the page lists are opened one at a time, in the sheet as many as are wanted.
  place() {
    const { button, dialog, filters } = this;
    button.hidden = !PHONE.matches;
    for (const details of all("details", filters)) details.setAttribute("name", PHONE.matches ? "" : details.parentNode === filters ? "facet" : "further");
    if (PHONE.matches) {
      dialog.prepend(filters);
    } else {
      dialog.close();
      button.after(filters);
    }
  }

  say(text) {
    this.found.textContent = text;
  }
}
