/* Drawing of the table's rows: a portion at first, the rest on request. */

import { element, one } from "../../theme/scripts/dom.js";
import { addressOf } from "../../theme/scripts/works.js";

// Rows drawn in the first step, and again in the frame that shows it: a screenful, so that
// the result appears at once. Each further frame doubles the rows, since every frame lays out
// the whole table again.
const SLICE = 10;

export class Table {
  constructor(root, rowOf) {
    this.root = root;
    this.rowOf = rowOf;
    this.body = one("tbody", root);
    this.portion = this.body.rows.length;
    this.limit = this.portion;
    this.visible = []; // the entries that match, in their order
    this.more = element("button", { type: "button", hidden: true, onclick: () => this.showMore(this.limit + this.portion) });
    this.every = element("button", { type: "button", hidden: true, onclick: () => this.showMore(Infinity) });
  }

  addButtons() {
    one(".wide", this.root).after(element("p", { class: "act" }, this.more, this.every));
  }

  show(items) {
    this.visible = items;
    this.limit = this.portion;
    this.draw();
  }

  // Keeps rows that are already drawn in the right place.
  draw() {
    const { body, visible, limit, more, every } = this;
    const rows = [...body.rows];
    let same = 0;
    while (same < Math.min(visible.length, limit, rows.length) && rows[same] === visible[same].row) same += 1;
    for (const row of rows.slice(same)) row.remove();
    this.drawSlice();
    const left = Math.max(visible.length - limit, 0);
    more.hidden = every.hidden = !left;
    more.textContent = `Show ${Math.min(this.portion, left)} more`;
    every.textContent = `Show all ${visible.length}`;
  }

  drawSlice() {
    cancelAnimationFrame(this.drawing);
    const drawn = this.body.rows.length;
    const wanted = Math.min(this.visible.length, this.limit);
    const end = Math.min(wanted, drawn + Math.max(SLICE, drawn));
    this.drawUpTo(end);
    if (end < wanted) this.drawing = requestAnimationFrame(() => this.drawSlice());
  }

  drawUpTo(end) {
    for (const item of this.visible.slice(this.body.rows.length, end)) this.body.append(this.rowOf(item));
  }

  showMore(limit) {
    const before = this.body.rows.length;
    this.limit = limit;
    this.draw();
    one("a", this.body.rows[before]).focus(); // the button may be gone, and reading continues here
  }

  // Draws the row that the address names, if it is not drawn yet.
  reveal(hash) {
    const place = this.visible.findIndex(({ key }) => hash === `#${addressOf(key)}`);
    if (place < 0 || this.body.rows[place]) return;
    this.limit = Math.max(this.limit, place + 1);
    this.drawUpTo(place + 1);
    this.draw();
    this.body.rows[place].scrollIntoView();
  }
}
