/* The form for a new entry: filled in, checked and written in this browser. Once the list of known works
   is loaded, no server is contacted, and nothing is ever sent. Input is never parsed as HTML. */

import { all, element, one, startEach, words } from "../../theme/scripts/dom.js";
import { loadJson, loadTypefaces } from "../../theme/scripts/files.js";
import { entryText, fileName } from "./bibtex.js";
import { problems } from "./check.js";
import { copy, issue, save } from "./delivery.js";
import { fieldOf, Form } from "./form.js";
import { say, showNear, showProblems } from "./report.js";
import { register, same } from "./works.js";

const PARTS = ["status", "wrong", "missing", "near", "state", "bib", "command", "said", "issue"];

class NewEntry {
  constructor(root) {
    this.root = root;
    this.vocabulary = JSON.parse(root.dataset.vocabulary);
    this.form = new Form(one("form", root), this.vocabulary);
    this.parts = Object.fromEntries(PARTS.map((name) => [name, one(`[data-${name}]`, root)]));
    this.known = undefined; // the works that the survey knows, once they are loaded
    this.text = ""; // the BibTeX
    this.found = []; // every problem in it
    this.listen();
  }

  async start() {
    const { form, parts, root } = this;
    form.restore();
    form.arrange();
    if (form.published.some((box) => box.closest("details") && form.text(box.dataset.field))) one("[data-published]", root).open = true;
    this.update();
    one("[data-without]", root).remove();
    form.form.hidden = false;
    try {
      const [works, rare] = await Promise.all([loadJson(root.dataset.works), loadJson(root.dataset.commands), loadTypefaces()]);
      Object.assign(this.vocabulary.commands, rare);
      this.known = register(works);
      this.update();
    } catch { say(parts.said, "The list of known works could not be loaded: only survey check can tell whether the survey has this work already."); }
  }

  // ---------------------------------------------------------------- showing

  update() {
    const { root, vocabulary, form, parts, known } = this;
    const entry = form.entry();
    this.text = entryText(entry, vocabulary.order);
    const there = known ? [...same(entry, known, vocabulary)] : [];
    this.found = [...there.map(({ field, message }) => ({ field, message, missing: false, sure: true })), ...problems(entry, vocabulary)];
    say(parts.bib, this.text);
    say(parts.command, `{ echo; cat ${fileName(entry.key)}; } >> bib/pool.bib\nsurvey check`);
    form.ranks();
    form.follows(entry);
    const suspected = showNear(parts.near, there.map(({ work }) => work), form.control("title").value, known, root.dataset);
    showProblems(root, parts, form, this.found, { known, suspected });
    if (parts.issue) parts.issue.href = this.issue().address;
  }

  changed() {
    this.update();
    this.form.keep();
  }

  // From here on, every missing field shows its message.
  reveal() {
    for (const { field } of this.found) this.form.left.add(field);
    this.changed();
  }

  issue() {
    return issue(this.root.dataset.issues, this.form.entry().key, this.text);
  }

  tell(done) {
    const { found } = this;
    say(this.parts.said, found.length ? `${done} ${words(found.length, "problem")} in it ${found.length === 1 ? "remains" : "remain"}.` : done);
  }

  // ------------------------------------------------------------ the reader's actions

  listen() {
    const { form, parts } = this;
    form.form.addEventListener("input", ({ target }) => {
      if (target.id === "f-eprint") form.follow();
      parts.said.replaceChildren(); // the message about an earlier state
      this.changed();
    });
    form.form.addEventListener("change", ({ target }) => {
      form.tick(target);
      if (target.id === "f-type") form.arrange();
      if (fieldOf(target)) form.left.add(fieldOf(target));
      this.changed();
    });
    form.form.addEventListener("focusout", ({ target, relatedTarget }) => {
      const field = fieldOf(target);
      if (!field || !target.matches("input, textarea, select") || (relatedTarget && fieldOf(relatedTarget) === field)) return;
      form.left.add(field);
      this.changed();
    });
    form.form.addEventListener("submit", (event) => { event.preventDefault(); this.reveal(); });
    form.form.addEventListener("click", (event) => {
      const target = event.target.closest("a, button");
      if (target) this.click(target, event);
    });
  }

  click(target, event) {
    if (target.matches("[data-first]")) this.makeFirst(target);
    if (target.matches("[data-meanings]")) showMeanings(target);
    if (target.matches("[data-copy-bib]")) { this.reveal(); this.copy("Copied."); }
    if (target.matches("[data-clear]")) this.clear();
    if (target.matches("[data-save]")) this.save();
    if (target.matches("[data-pull]")) { this.reveal(); this.copy("Copied: paste it at the end of the file that opened, and propose the change."); }
    if (target.matches("[data-issue]")) { this.reveal(); if (this.issue().long) this.copy("Copied, to be pasted into the issue."); }
    if (target.hash?.startsWith("#f-")) { event.preventDefault(); event.stopPropagation(); this.go(target.hash.slice(3)); } // Material would go there too
  }

  makeFirst(button) {
    this.form.first(button);
    this.changed();
    one(`input[value="${button.dataset.first}"]`, button.parentNode).focus();
  }

  async copy(done) {
    if (await copy(this.text)) this.tell(done);
    else say(this.parts.said, "The browser did not allow copying: select the text above.");
  }

  save() {
    this.reveal();
    this.tell(`Saved as ${save(this.form.entry().key, this.text)}.`);
  }

  clear() {
    const { form, parts } = this;
    const before = form.snapshot();
    form.form.reset();
    form.empty();
    form.forget();
    form.arrange();
    this.update();
    const back = element("button", { type: "button", onclick: () => { form.bringBack(before); form.arrange(); this.changed(); say(parts.said, "Restored."); } }, "Undo");
    parts.said.replaceChildren("The form is empty. ", back);
  }

  go(field) {
    const [control] = this.form.controlsOf(field);
    for (let fold = control.closest("details"); fold; fold = fold.parentNode.closest("details")) fold.open = true;
    control.focus({ preventScroll: true });
    control.closest(".field, fieldset").scrollIntoView({ block: "center" });
  }
}

function showMeanings(button) {
  const open = button.getAttribute("aria-expanded") !== "true";
  button.setAttribute("aria-expanded", open);
  const place = button.closest("fieldset");
  place.classList.toggle("told-all", open);
  for (const meaning of all(".meaning", place)) meaning.hidden = !open;
}

startEach("[data-new-entry]", (root) => new NewEntry(root).start());
