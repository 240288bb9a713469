/* The reader's selection: search text, values, order, and whether summaries are shown. It is stored in the address of the page. */

export class Selection {
  // "columns" are those by which the table can be sorted; "update" is called after each change.
  constructor(facets, columns, update) {
    this.update = update;
    const query = new URLSearchParams(location.search);
    this.text = (query.get("text") || "").toLowerCase(); // the theme uses "q" for its own search
    this.sort = columns.includes(query.get("sort")) ? query.get("sort") : "";
    this.down = query.get("order") === "down";
    this.summaries = query.get("summaries") === "shown";
    this.chosen = new Map(); // axis -> chosen words
    for (const { axis } of facets) {
      const words = query.getAll(axis).flatMap((value) => value.split(","));
      if (words.length) this.chosen.set(axis, new Set(words));
    }
  }

  // Whether any filter is active.
  get filters() {
    return Boolean(this.text || this.chosen.size);
  }

  search(text) {
    this.text = text.toLowerCase().trim();
    this.changed();
  }

  choose(axis, word, on) {
    const words = this.chosen.get(axis) || new Set();
    if (on) words.add(word); else words.delete(word);
    if (words.size) this.chosen.set(axis, words); else this.chosen.delete(axis);
    this.changed();
  }

  clear() {
    this.text = "";
    this.chosen.clear();
    this.changed();
  }

  // Sorting by the same column again reverses the order.
  sortBy(column) {
    this.down = this.sort === column && !this.down;
    this.sort = column;
    this.changed();
  }

  showSummaries(on) {
    this.summaries = on;
    this.changed();
  }

  changed() {
    const query = new URLSearchParams();
    if (this.text) query.set("text", this.text);
    for (const [axis, words] of this.chosen) query.set(axis, [...words].join(","));
    if (this.sort) query.set("sort", this.sort);
    if (this.sort && this.down) query.set("order", "down");
    if (this.summaries) query.set("summaries", "shown");
    const search = query.toString().replace(/%2C/g, ",").replace(/%3A\+/g, ":+");
    history.replaceState(history.state, "", `${location.pathname}${search ? `?${search}` : ""}${location.hash}`);
    this.update();
  }
}
