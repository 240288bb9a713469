/* The summaries of the works, loaded when they are first asked for. */

import { element, one } from "../../theme/scripts/dom.js";
import { loadJson } from "../../theme/scripts/files.js";

export class Summaries {
  constructor(root) {
    this.root = root;
  }

  // Shows or hides them; without its summaries the table stays as it is.
  async show(on) {
    if (on) this.texts ||= await loadJson(this.root.dataset.summaries);
    this.root.classList.toggle("with-summaries", on);
    if (on) for (const row of one("tbody", this.root).rows) this.under(row);
  }

  // Returns a row, with its summary if they are shown.
  under(row) {
    const work = row.cells[0];
    if (this.texts && this.root.classList.contains("with-summaries") && !one(".about", work)) work.append(element("p", { class: "about" }, this.texts[row.id]));
    return row;
  }
}
