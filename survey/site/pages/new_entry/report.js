/* Display of problems: at each field, in two lists, and as a one-sentence summary. */

import { all, element, one, words } from "../../theme/scripts/dom.js";
import { workBy, workLink } from "../../theme/scripts/works.js";
import { near } from "./works.js";

const SHOWN = 3; // possible duplicates

// Writes a text only if it has changed: screen readers would read it out again.
export const say = (node, text) => { if (node.textContent !== text) node.textContent = text; };

// "found" are all problems. Those of a field that the reader has not left yet appear at most as missing.
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
  if (!found.length && !known) return "Nothing is missing or wrong; whether the survey has the work already could not be checked.";
  if (!found.length) return suspected ? "Nothing is missing or wrong, unless it is the similar work shown here." : "Nothing is missing or wrong: survey check will accept it.";
  if (wrong) return `${words(wrong, "error")}, ${missing} missing.`;
  return missing ? `Nothing is wrong so far, ${missing} missing.` : "Nothing is missing; the field you are editing is not valid yet.";
}

function list(node, problems) {
  if (!differs(node, problems.map(({ field, message }) => `${field}: ${message}`).join("\n"))) return;
  node.replaceChildren(...problems.map(({ field, message }) => element("li", {}, element("a", { href: `#f-${field}` }, field), ` ${message}`)));
}

// Shows duplicates of the entry ("there") and works with a similar title. Returns whether there are any.
export function showNear(node, there, title, known, places) {
  const others = known ? near(title, known).map(({ work }) => work).filter((work) => !there.includes(work)) : [];
  const some = [...new Set([...there, ...others])].slice(0, SHOWN);
  if (differs(node, `${there.length}: ${some.map(({ key }) => key).join(" ")}`)) {
    node.replaceChildren(...some.length ? [
      element("p", {}, there.length ? "The survey has this work already:" : "The survey has a similar work. Is it the same?"),
      element("ul", { class: "works" }, ...some.map((work) => element("li", {}, workLink(work, places), " ", workBy(work), standing(work)))),
    ] : []);
  }
  return some.length > 0;
}

function standing({ kind, why }) {
  if (kind === "records") return element("small", {}, ` Screened and excluded: ${why}`);
  return kind === "background" ? element("small", {}, " Cited as background.") : "";
}

// Returns whether the node shows something else so far, and notes what it shows now.
function differs(node, shown) {
  if (node.dataset.shown === shown) return false;
  node.dataset.shown = shown;
  return true;
}
