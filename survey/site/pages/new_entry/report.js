/* What is wrong or missing, shown: beside each field, in two lists, and in one sentence. */

import { all, element, one, words } from "../../theme/scripts/dom.js";
import { workBy, workLink } from "../../theme/scripts/works.js";
import { near } from "./works.js";

const SHOWN = 3; // works that the entry may be

// A text that stays as it is is not written again: else it would be read out again.
export const say = (node, text) => { if (node.textContent !== text) node.textContent = text; };

// "found" are all problems. Those of a field that the reader has not left yet are shown as missing at most.
export function showProblems(root, parts, form, found, state) {
  const told = found.filter(({ field, sure }) => sure || form.left.has(field));
  const wrong = told.filter(({ missing }) => !missing);
  const missing = found.filter((problem) => problem.missing);
  for (const place of all("[id$='-wrong']", root)) {
    const field = place.id.slice(2, -6);
    const messages = told.filter((problem) => problem.field === field).map(({ message }) => message);
    say(place, messages.join("; "));
    for (const control of form.controlsOf(field)) control.setAttribute("aria-invalid", messages.length > 0);
  }
  say(parts.status, summary(found, wrong.length, missing.length, state));
  say(parts.state, parts.status.textContent);
  parts.state.hash = `#f-${(wrong[0] || missing[0] || { field: "key" }).field}`;
  list(parts.wrong, wrong);
  list(one("ul", parts.missing), missing);
  parts.missing.hidden = !missing.length;
  say(one("summary", parts.missing), `${words(missing.length, "field")} still to fill in`);
}

function summary(found, wrong, missing, { known, suspected }) {
  if (!found.length && !known) return "Nothing is missing or wrong; whether the work is there already could not be looked up.";
  if (!found.length) return suspected ? "Nothing is missing or wrong, if it is not the work that is near it." : "Nothing is missing or wrong: survey check will accept it.";
  if (wrong) return `${words(wrong, "thing")} to mend, ${missing} missing.`;
  return missing ? `Nothing is wrong so far, ${missing} missing.` : "Nothing is missing; the field you are in is not right yet.";
}

function list(node, problems) {
  if (!differs(node, problems.map(({ field, message }) => `${field}: ${message}`).join("\n"))) return;
  node.replaceChildren(...problems.map(({ field, message }) => element("li", {}, element("a", { href: `#f-${field}` }, field), ` ${message}`)));
}

// Shows the works that the entry is ("there") and those with a title like its own. Whether there are any.
export function showNear(node, there, title, known, places) {
  const others = known ? near(title, known).map(({ work }) => work).filter((work) => !there.includes(work)) : [];
  const some = [...new Set([...there, ...others])].slice(0, SHOWN);
  if (differs(node, `${there.length}: ${some.map(({ key }) => key).join(" ")}`)) {
    node.replaceChildren(...some.length ? [
      element("p", {}, there.length ? "The survey has this already:" : "The survey has something near this. Is it the same work?"),
      element("ul", { class: "works" }, ...some.map((work) => element("li", {}, workLink(work, places), " ", workBy(work), standing(work)))),
    ] : []);
  }
  return some.length > 0;
}

function standing({ kind, why }) {
  if (kind === "records") return element("small", {}, ` Looked at and left out: ${why}`);
  return kind === "background" ? element("small", {}, " Cited as background.") : "";
}

// Whether something else is to be shown than what the node shows already.
function differs(node, shown) {
  if (node.dataset.shown === shown) return false;
  node.dataset.shown = shown;
  return true;
}
