/* The state of the form, and how it survives a reload of the page. */

import { collapsed } from "./bibtex.js";
import { arxivDate } from "./fields.js";
import { derived, tagText } from "./check.js";
import { escaped } from "./latex.js";
import { say } from "./report.js";

const STORE = "survey-new-entry";
const LISTS = new Set(["author", "editor"]); // one name per line
const RANKS = ["first", "second", "third"];

export class Form {
  constructor(form, vocabulary) {
    this.form = form;
    this.vocabulary = vocabulary;
    this.boxes = [...form.querySelectorAll("[data-field]")];
    this.judged = vocabulary.axes.filter(({ steps }) => !steps.length);
    this.axes = new Map(this.judged.map((axis) => [axis.id, form.querySelector(`[data-axis="${axis.id}"]`)]));
    this.empty();
    this.control("added").defaultValue = today();
  }

  control(name) {
    return this.form.querySelector(`#f-${CSS.escape(name)}`);
  }

  // Returns the controls of a field: its text box, or the options of an axis.
  controlsOf(name) {
    const place = this.control(name);
    return place.tagName === "FIELDSET" ? [...place.querySelectorAll(".options input:not([data-how])")] : [place];
  }

  // Resets the ticks of each axis (in order), the values filled in automatically, and the fields that were left once.
  empty() {
    this.ticked = new Map(this.judged.map(({ id }) => [id, []]));
    this.filled = {};
    this.left = new Set();
  }

  // ------------------------------------------------------------- input

  entry() {
    const texts = new Map(this.boxes.map(({ dataset }) => [dataset.field, this.text(dataset.field)]));
    const judged = new Map(this.judged.map((axis) => [axis.id, this.tags(axis)]));
    const tags = new Map(this.vocabulary.axes.map((axis) => [axis.id, axis.steps.length ? derived(axis, judged) : judged.get(axis.id)]));
    for (const { id, field } of this.judged) texts.set(field, tags.get(id).map((tag) => this.written(tag)).join("; "));
    if (texts.get("eprint")) texts.set("archiveprefix", "arXiv");
    const fields = new Map(this.vocabulary.order.filter((name) => texts.get(name)).map((name) => [name, texts.get(name)]));
    return { type: texts.get("type"), key: texts.get("key"), fields, tags };
  }

  text(name) {
    const { value } = this.control(name);
    const text = LISTS.has(name) ? value.split("\n").map(collapsed).filter(Boolean).join(" and ") : collapsed(value);
    return this.vocabulary.latex.includes(name) ? escaped(text, this.vocabulary) : text;
  }

  tags({ id, shape, values, qualifiers }) {
    const place = this.axes.get(id);
    const words = this.ticked.get(id).map((word) => ({ word, how: qualifiers.length ? place.querySelector(`[data-how="${word}"]:checked`)?.value || "" : "" }));
    if (shape !== "quantity") return words;
    const numbers = values.map((word) => ({ word, number: collapsed(place.querySelector(`[data-number="${word}"]`).value) }));
    return [...numbers.filter(({ number }) => number), ...words];
  }

  written({ word, how, number }) {
    return how || number ? `${word}: ${how || number}` : word;
  }

  // --------------------------------------------------- reactions to input

  // Records a tick or a choice, in the order of the ticks, since the first value is the primary one.
  tick(input) {
    const axis = input.closest("[data-axis]");
    if (!axis || !["radio", "checkbox"].includes(input.type)) return;
    const { id } = this.vocabulary.axes.find((known) => known.id === axis.dataset.axis);
    const word = input.dataset.how || input.value;
    if (input.dataset.how) axis.querySelector(`input[type=checkbox][value="${word}"]`).checked = true;
    else if (!input.checked) for (const how of axis.querySelectorAll(`[data-how="${word}"]`)) how.checked = false;
    const others = input.type === "radio" && !input.dataset.how ? [] : this.ticked.get(id).filter((other) => other !== word || input.dataset.how);
    this.ticked.set(id, input.checked && !others.includes(word) ? [...others, word] : others);
  }

  first(button) {
    const { axis } = button.closest("[data-axis]").dataset;
    const word = button.dataset.first;
    this.ticked.set(axis, [word, ...this.ticked.get(axis).filter((other) => other !== word)]);
  }

  ranks() {
    for (const [id, words] of this.ticked) {
      for (const span of this.axes.get(id).querySelectorAll("[data-rank]")) {
        const place = words.indexOf(span.dataset.rank);
        span.textContent = place < 0 || words.length < 2 ? "" : RANKS[place] || `${place + 1}th`;
        span.nextElementSibling.hidden = place < 1;
      }
    }
  }

  // Shows what follows from the answers.
  follows({ tags }) {
    for (const output of this.form.querySelectorAll("[data-follows]")) say(output, tagText(tags.get(output.dataset.follows)) || "nothing yet");
  }

  // Fills in year, month and address from an arXiv id, unless something else was typed.
  follow() {
    const id = collapsed(this.control("eprint").value);
    const posted = arxivDate(id);
    if (!id) for (const [name, value] of Object.entries(this.filled)) if (this.control(name).value === value) this.control(name).value = "";
    if (!posted) return;
    const months = [...this.control("month").options].map(({ value }) => value);
    for (const [name, value] of [["year", `${posted[0]}`], ["month", months[posted[1]]], ["url", `https://arxiv.org/abs/${id}`]]) {
      const control = this.control(name);
      if (control.value && control.value !== this.filled[name]) continue;
      control.value = this.filled[name] = value;
    }
  }

  // Shows the publication fields that the type requires, and folds the others.
  arrange() {
    const needed = this.form.querySelector("[data-needed]");
    const folded = this.form.querySelector("[data-published] .grid");
    this.published ||= [...folded.children];
    const wanted = this.vocabulary.types[this.control("type").value];
    for (const box of this.published) {
      const home = wanted.includes(box.dataset.field) ? needed : folded;
      if (box.parentNode !== home) home.append(box);
    }
    for (const box of this.published) if (box.parentNode === folded) folded.append(box); // restores their order
  }

  // ------------------------------------------------------------ surviving a reload

  controls() {
    return [...this.form.elements].filter(({ id }) => id);
  }

  snapshot() {
    const values = this.controls().filter(({ type }) => !["radio", "checkbox"].includes(type)).map(({ id, value }) => [id, value]);
    const checked = this.controls().filter((control) => control.checked).map(({ id }) => id);
    return { values: Object.fromEntries(values), checked, ticked: Object.fromEntries(this.ticked), filled: this.filled, left: [...this.left] };
  }

  bringBack({ values, checked, ticked, filled, left }) {
    for (const control of this.controls()) {
      if (["radio", "checkbox"].includes(control.type)) control.checked = checked.includes(control.id);
      else if (control.id in values) control.value = values[control.id];
    }
    for (const id of this.ticked.keys()) this.ticked.set(id, (ticked[id] || []).filter((word) => checked.includes(`f-${this.axes.get(id).id.slice(2)}--${word}`)));
    this.filled = filled;
    this.left = new Set(left);
  }

  keep() {
    try { sessionStorage.setItem(STORE, JSON.stringify(this.snapshot())); } catch { /* the browser has no storage */ }
  }

  forget() {
    try { sessionStorage.removeItem(STORE); } catch { /* nothing was stored */ }
  }

  restore() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(STORE));
      if (kept) this.bringBack(kept);
    } catch { this.forget(); } // stored by an older version of the page
  }
}

// The field to which a control belongs.
export const fieldOf = (node) => node.closest?.("[data-field]")?.dataset.field || node.closest?.("[data-axis]")?.id.slice(2);

function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => `${part}`.padStart(2, "0")).join("-");
}
