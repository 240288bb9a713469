/* The controls above the table: the search box, the values of every axis with counts, the active filters, the export formats. */

import { all, element, one, words } from "../../theme/scripts/dom.js";
import { Sheet } from "./sheet.js";

const FORMS = [["bib", "BibTeX"], ["ris", "RIS"], ["csv", "CSV"]];
const hueOf = (axis) => `--hue: var(--hue-${axis}, var(--hue-other))`;

const OPEN = ".facets > details[open]";

// Closes the open list of values, and returns to its button.
function closed(root) {
  const open = one(OPEN, root);
  if (!open) return;
  open.open = false;
  one("summary", open).focus();
}

document.addEventListener("pointerdown", ({ target }) => {
  for (const open of all(OPEN)) if (!open.contains(target) && !open.closest("dialog")) open.open = false;
});

export class Controls {
  // "save" is called with the name of a format, "summaries" to show or hide them.
  constructor(root, facets, selection, { save, summaries }) {
    Object.assign(this, { root, facets, selection, save, summaries });
  }

  show() {
    const { root, facets, selection } = this;
    const hint = "Search titles, authors, tags";
    this.search = element("input", { type: "search", placeholder: hint, "aria-label": hint, oninput: (event) => selection.search(event.target.value) });
    this.search.value = selection.text;
    this.panels = facets.map((facet) => this.panelOf(facet));
    const saves = FORMS.map(([form, name]) => element("button", { type: "button", "data-export": form, onclick: () => this.save(form) }, name));
    this.about = element("button", { type: "button", "aria-pressed": "false", onclick: () => this.summaries() }, "Show summaries");
    const filters = element("div", { class: "facets" }, ...this.inOrder());
    this.sheet = new Sheet(filters, () => this.clear());
    const box = element("div", { onkeydown: (event) => event.key === "Escape" && closed(root) });
    this.sheet.show(box);
    root.append(
      this.search,
      box,
      element("div", { class: "chosen" }),
      element("div", { class: "act" }, this.about, " Export these rows as ", ...saves),
    );
    root.hidden = false;
  }

  // The main axes come first, the others open from one more button.
  inOrder() {
    const main = new Set(this.facets.filter((facet) => facet.main).map(({ axis }) => axis));
    const shown = (which) => this.panels.filter(({ axis }) => main.has(axis) === which).map(({ details }) => details);
    this.further = this.popover(element("details", {}, element("summary", {}, "More filters"), element("div", { class: "further" }, ...shown(false))));
    return [...shown(true).map((details) => this.popover(details)), this.further];
  }

  // Near the right edge its list opens to the left.
  popover(details) {
    details.addEventListener("toggle", () => {
      const list = details.lastElementChild;
      list.classList.toggle("left", details.getBoundingClientRect().left + list.offsetWidth > this.root.getBoundingClientRect().right);
    });
    return details;
  }

  hide() {
    this.root.hidden = true;
  }

  // Creates the values of an axis, each with a checkbox and a count.
  panelOf({ axis, label, words }) {
    const boxes = words.map(([word, text]) => {
      const input = element("input", { type: "checkbox", onchange: (event) => this.selection.choose(axis, word, event.target.checked) });
      const number = element("span", { class: "n" });
      return { word, input, number, line: element("label", { class: word.includes(": ") && "how" }, input, text, number) };
    });
    const fieldset = element("fieldset", { "aria-label": label }, ...boxes.map(({ line }) => line));
    const details = element("details", { style: hueOf(axis) }, element("summary", {}, label), fieldset);
    return { axis, boxes, details };
  }

  // Unchanged counts are not rewritten: each write triggers a layout of its line.
  showCounts(numbers) {
    for (const [n, { axis, boxes, details }] of this.panels.entries()) {
      const chosen = this.selection.chosen.get(axis);
      for (const [place, box] of boxes.entries()) {
        const number = numbers[n][place];
        box.input.checked = Boolean(chosen?.has(box.word));
        if (number === box.shown) continue;
        box.shown = number;
        box.number.textContent = number;
        box.line.classList.toggle("none", number === 0);
      }
      details.toggleAttribute("data-active", Boolean(chosen));
    }
    this.further.toggleAttribute("data-active", Boolean(one("[data-active]", this.further)));
  }

  // Says how many entries match, and whether their summaries are shown.
  showFound(number) {
    this.sheet.say(`Show ${words(number, "entry", "entries")}`);
    this.about.setAttribute("aria-pressed", this.selection.summaries);
  }

  // Shows the active filters, each as a button that removes it.
  showChosen() {
    const { facets, selection } = this;
    const buttons = facets.flatMap(({ axis, label, labels }) => [...selection.chosen.get(axis) || []].map((word) => {
      const name = labels.get(word) || word;
      return element("button", { type: "button", style: hueOf(axis), onclick: () => selection.choose(axis, word, false), "aria-label": `Remove ${label}: ${name}` }, `${name} ×`);
    }));
    if (buttons.length > 1 || (buttons.length && selection.text)) buttons.push(element("button", { type: "button", onclick: () => this.clear() }, "Clear all"));
    one(".chosen", this.root).replaceChildren(...buttons);
  }

  clear() {
    this.search.value = "";
    this.selection.clear();
  }
}
