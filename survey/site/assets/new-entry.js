/* A new entry: filled in, checked and written in this browser. After the list of known works has
   come nothing is asked of any server, and nothing is ever sent. What is typed is only ever text. */

import { entryText, fileName } from "./new-entry-bibtex.js";
import { problems } from "./new-entry-check.js";
import { Form } from "./new-entry-form.js";
import { near, register, same } from "./new-entry-works.js";

const LONGEST = 8000; // of an address that opens an issue

const one = (selector, root) => root.querySelector(selector);
const made = (tag, properties, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};
const words = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
const say = (node, text) => { if (node.textContent !== text) node.textContent = text; }; // else it would be read out again

async function start(root) {
  const vocabulary = JSON.parse(root.dataset.vocabulary);
  const form = new Form(one("form", root), vocabulary);
  const parts = Object.fromEntries(["status", "wrong", "missing", "near", "state", "bib", "command", "said", "issue"].map((name) => [name, one(`[data-${name}]`, root)]));
  let known;
  let text = "";
  let found = [];
  let suspected = false;

  // ---------------------------------------------------------------- showing

  function update() {
    const entry = form.entry();
    text = entryText(entry, vocabulary.order);
    const there = known ? [...same(entry, known, vocabulary)] : [];
    found = [...there.map(({ field, message }) => ({ field, message, missing: false, sure: true })), ...problems(entry, vocabulary)];
    say(parts.bib, text);
    say(parts.command, `{ echo; cat ${fileName(entry.key)}; } >> bib/pool.bib\nsurvey check`);
    form.ranks();
    showNear(there.map(({ work }) => work));
    showProblems();
    if (parts.issue) parts.issue.href = issue(entry).address;
  }

  function showProblems() {
    const told = found.filter(({ field, sure }) => sure || form.left.has(field));
    const wrong = told.filter(({ missing }) => !missing);
    const missing = found.filter((problem) => problem.missing);
    for (const place of root.querySelectorAll("[id$='-wrong']")) {
      const field = place.id.slice(2, -6);
      const messages = told.filter((problem) => problem.field === field).map(({ message }) => message);
      say(place, messages.join("; "));
      for (const control of controlsOf(field)) control.setAttribute("aria-invalid", messages.length > 0);
    }
    say(parts.status, summary(wrong.length, missing.length));
    say(parts.state, parts.status.textContent);
    parts.state.hash = `#f-${(wrong[0] || missing[0] || { field: "key" }).field}`;
    list(parts.wrong, wrong);
    list(one("ul", parts.missing), missing);
    parts.missing.hidden = !missing.length;
    say(one("summary", parts.missing), `${words(missing.length, "field")} still to fill in`);
  }

  function summary(wrong, missing) {
    if (!found.length && !known) return "Nothing is missing or wrong; whether the work is there already could not be looked up.";
    if (!found.length) return suspected ? "Nothing is missing or wrong, if it is not the work that is near it." : "Nothing is missing or wrong: survey check will accept it.";
    if (wrong) return `${words(wrong, "thing")} to mend, ${missing} missing.`;
    return missing ? `Nothing is wrong so far, ${missing} missing.` : "Nothing is missing; the field you are in is not right yet.";
  }

  function controlsOf(field) {
    const place = form.control(field);
    return place.tagName === "FIELDSET" ? place.querySelectorAll(".options input:not([data-how])") : [place];
  }

  function list(node, some) {
    const shown = some.map(({ field, message }) => `${field}: ${message}`);
    if (node.dataset.shown === shown.join("\n")) return;
    node.dataset.shown = shown.join("\n");
    node.replaceChildren(...some.map(({ field, message }) => made("li", {}, made("a", { href: `#f-${field}` }, field), ` ${message}`)));
  }

  function showNear(there) {
    const others = known ? near(form.control("title").value, known).map(({ work }) => work).filter((work) => !there.includes(work)) : [];
    const some = [...new Set([...there, ...others])].slice(0, 3);
    suspected = some.length > 0;
    const said = `${there.length}: ${some.map(({ key }) => key).join(" ")}`;
    if (parts.near.dataset.shown === said) return;
    parts.near.dataset.shown = said;
    parts.near.replaceChildren(...some.length ? [
      made("p", {}, there.length ? "The survey has this already:" : "The survey has something near this. Is it the same work?"),
      made("ul", { className: "works" }, ...some.map((work) => made("li", {}, link(work), " ", made("span", { className: "work-by" }, work.by), standing(work)))),
    ] : []);
  }

  function link({ kind, key, url, title }) {
    const href = kind === "entries" ? `${root.dataset.entries}${key}/` : kind === "records" ? `${root.dataset.excluded}#${key}` : url;
    return made("a", { href }, title);
  }

  const standing = ({ kind, why }) => kind === "records" ? made("small", {}, ` Looked at and left out: ${why}`) : kind === "background" ? made("small", {}, " Cited as background.") : "";

  // ------------------------------------------------------------- taking it away

  function issue({ key }) {
    const address = (body) => `${root.dataset.issues}${root.dataset.issues.includes("?") ? "&" : "?"}title=${encodeURIComponent(`New entry: ${key || "a work"}`)}&body=${encodeURIComponent(body)}`;
    const whole = address(`A new entry for bib/pool.bib:\n\n\`\`\`bibtex\n${text}\`\`\`\n`);
    if (whole.length <= LONGEST) return { address: whole, long: false };
    return { address: address("A new entry for bib/pool.bib. Paste the BibTeX here: it is longer than an address may be, and was copied when this page was opened.\n\n```bibtex\n\n```\n"), long: true };
  }

  async function copied(done) {
    try {
      await navigator.clipboard.writeText(text);
      tell(done);
    } catch { say(parts.said, "The browser did not allow copying: select the text above."); }
  }

  function tell(done) {
    say(parts.said, found.length ? `${done} ${words(found.length, "thing")} in it ${found.length === 1 ? "is" : "are"} still missing or wrong.` : done);
  }

  // from here on everything that is missing is said beside its field
  function reveal() {
    for (const { field } of found) form.left.add(field);
    update();
    form.keep();
  }

  function save() {
    const name = fileName(form.entry().key);
    const href = URL.createObjectURL(new Blob([text], { type: "application/x-bibtex;charset=utf-8" }));
    made("a", { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10000);
    tell(`Saved as ${name}.`);
  }

  // ------------------------------------------------------------ what a reader does

  const fieldOf = (node) => node.closest?.("[data-field]")?.dataset.field || node.closest?.("[data-axis]")?.id.slice(2);

  function changed() {
    update();
    form.keep();
  }

  form.form.addEventListener("input", ({ target }) => {
    if (target.id === "f-eprint") form.follow();
    parts.said.replaceChildren(); // what was said of an earlier state
    changed();
  });
  form.form.addEventListener("change", ({ target }) => {
    form.tick(target);
    if (target.id === "f-type") form.arrange();
    if (fieldOf(target)) form.left.add(fieldOf(target));
    changed();
  });
  form.form.addEventListener("focusout", ({ target, relatedTarget }) => {
    const field = fieldOf(target);
    if (!field || !target.matches("input, textarea, select") || (relatedTarget && fieldOf(relatedTarget) === field)) return;
    form.left.add(field);
    changed();
  });
  form.form.addEventListener("submit", (event) => { event.preventDefault(); reveal(); });
  form.form.addEventListener("click", (event) => {
    const target = event.target.closest("a, button");
    if (!target) return;
    if (target.matches("[data-first]")) { form.first(target); changed(); one(`input[value="${target.dataset.first}"]`, target.parentNode).focus(); }
    if (target.matches("[data-meanings]")) meanings(target);
    if (target.matches("[data-copy-bib]")) { reveal(); copied("Copied."); }
    if (target.matches("[data-clear]")) clear();
    if (target.matches("[data-save]")) { reveal(); save(); }
    if (target.matches("[data-issue]")) { reveal(); if (issue(form.entry()).long) copied("Copied, to be pasted into the issue."); }
    if (target.hash?.startsWith("#f-")) { event.preventDefault(); event.stopPropagation(); go(target.hash.slice(3)); } // Material would go there too
  });

  function clear() {
    const before = form.snapshot();
    form.form.reset();
    form.empty();
    form.forget();
    form.arrange();
    update();
    const back = made("button", { type: "button" }, "Bring it back");
    back.addEventListener("click", () => { form.bringBack(before); form.arrange(); changed(); say(parts.said, "It is back."); });
    parts.said.replaceChildren("The form is empty. ", back);
  }

  function meanings(button) {
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", open);
    const place = button.closest("fieldset");
    place.classList.toggle("told-all", open);
    for (const meaning of place.querySelectorAll(".meaning")) meaning.hidden = !open;
  }

  function go(field) {
    const [control] = controlsOf(field);
    for (let fold = control.closest("details"); fold; fold = fold.parentNode.closest("details")) fold.open = true;
    control.focus({ preventScroll: true });
    control.closest(".field, fieldset").scrollIntoView({ block: "center" });
  }

  form.restore();
  form.arrange();
  if (form.published.some((box) => box.closest("details") && form.text(box.dataset.field))) one("[data-published]", root).open = true;
  update();
  one("[data-without]", root).remove();
  form.form.hidden = false;
  try {
    const answer = await fetch(root.dataset.works);
    if (!answer.ok) throw new Error(`${answer.status}`);
    known = register(await answer.json());
    update();
  } catch { say(parts.said, "The list of known works could not be loaded: whether this work is there already is only said by survey check."); }
}

function everyForm() {
  for (const root of document.querySelectorAll("[data-new-entry]:not([data-ready])")) {
    root.dataset.ready = "";
    start(root);
  }
}

// Material swaps the content of pages without loading them; document$ tells of each. A module runs once.
if (window.document$) window.document$.subscribe(everyForm);
else everyForm();
