/* The result of a comparison, section by section. */

import { copyOnClick } from "../../theme/scripts/copying.js";
import { element, words } from "../../theme/scripts/dom.js";
import { addressOf, workBy, workLink } from "../../theme/scripts/works.js";
import { cellByCell } from "./pairs.js";
import { chip, folded, line, list, saveButton, section, standing } from "./parts.js";

const BY = { doi: "DOI", arxiv: "arXiv number", title: "title" };

// "found" is a comparison, "places" the addresses of other pages.
export function findings(found, survey, places) {
  const sections = [valueByValue, cellByCell, missing, present, leftOut, background, lacking, notRead];
  return sections.flatMap((made) => made(found, survey, places));
}

function valueByValue({ axes }, _, places) {
  const rows = axes.flatMap(({ label, cells }) => {
    const occurring = cells.filter(({ having }) => having.length);
    const own = occurring.filter((value) => value.own);
    const said = ({ own: has, having }) => having.length ? ` ${has} of ${having.length}` : " none in the pool";
    return [
      element("dt", {}, label, " ", element("span", { class: "n" }, `${own.length} of ${occurring.length}`)),
      element("dd", {}, ...cells.flatMap((value) => [chip(value, places, said(value)), " "])),
    ];
  });
  return [section("Coverage by value", element("p", {}, "The number of the pool's entries with each value that your list has. Solid outline: at least one. Dashed: none, so you miss the value. No outline: no entry of the pool has it."), element("dl", { class: "values" }, ...rows))];
}

function missing({ missed, steps }, survey, places) {
  const title = "What you miss";
  if (!missed.length) return [section(title, element("p", {}, "Nothing: your list has every value that occurs in the pool."))];
  const short = `${words(steps.length, "entry", "entries")} would add the ${words(missed.length, "value")} that you miss`;
  return [section(title,
    element("p", {}, `${short}. They are a greedy set cover, so fewer might suffice; whether they belong in your paper is for you to decide.`),
    element("ol", { class: "path" }, ...steps.map(({ entry, adds }) => line([workLink(entry, places), " ", workBy(entry)], `adds ${named(adds)}`))),
    element("p", { class: "act" }, saveButton(`${steps.length === 1 ? "This" : `These ${steps.length}`} as BibTeX`, steps.map(({ entry }) => entry), "missed.bib", survey)),
    element("details", { class: "more" }, element("summary", {}, `Every entry for each of the ${words(missed.length, "value")}`), ...list(missed, (value) => havingOf(value, places))),
  )];
}

// Lists values by axis.
function named(values) {
  const byAxis = new Map();
  for (const { axis, label } of values) byAxis.set(axis, [...(byAxis.get(axis) || []), label]);
  return [...byAxis].map(([axis, labels]) => `${axis.label.toLowerCase()}: ${labels.join(" · ")}`).join("; ");
}

function havingOf(value, places) {
  const { having } = value;
  const links = having.slice(0, 8).flatMap(({ key }, n) => [n ? ", " : "", element("a", { href: `${places.entries}${addressOf(key)}/` }, key)]);
  return element("li", {}, chip(value, places), " ", ...links, having.length > 8 ? ` and ${having.length - 8} more` : "");
}

// A work of the list that the survey knows: the survey's data, then its place in the list.
function knownLine(work, places, more = "") {
  return line([workLink(work.known, places), " ", workBy(work.known)], `${standing(work)}, by ${BY[work.by]}${more}`);
}

function present({ entries, mine }, survey, places) {
  if (!entries.length) return [];
  const twice = entries.length - mine.size;
  const title = `${words(mine.size, "entry", "entries")} of the survey${twice ? `, ${twice} of them listed more than once` : ""}`;
  const lineOf = (work) => knownLine(work, places, work.other ? `; your title: ${work.title}` : "");
  const save = saveButton("These as the survey cites them", [...mine], "matched.bib", survey);
  return [section("What you have", folded(title, entries, lineOf, element("p", { class: "act" }, save)))];
}

function leftOut({ records }, _, places) {
  if (!records.length) return [];
  return [section("Screened and excluded", ...list(records, (work) => knownLine(work, places, `. Reason for exclusion: ${work.known.why}`)))];
}

function background({ background: works }, _, places) {
  if (!works.length) return [];
  return [section("Cited as background", element("p", {}, "The chapters cite these works, but they do not count as entries."), ...list(works, (work) => knownLine(work, places)))];
}

function lacking({ lacking: works }, _, places) {
  if (!works.length) return [];
  const commands = works.map((work) => `survey new ${nameOf(work)} >> bib/pool.bib`).join("\n");
  const copy = element("button", { type: "button" }, "Copy the commands");
  copyOnClick(copy, () => commands);
  return [section("What the survey lacks",
    element("p", {}, `Most of these are about other topics. ${places.scope ? `A work on ${places.scope}` : "Some"} may belong in the pool`, ...guides(places), "."),
    folded(words(works.length, "work"), works, (work) => line([work.title || "(without a title)"], standing(work))),
    element("details", { class: "more" }, element("summary", {}, "Commands to add them"), element("pre", { tabindex: "0" }, element("code", {}, commands)), element("p", { class: "act" }, copy)),
  )];
}

// Links to the pages that say which works are retained and how to add one, as far as the survey has them.
function guides({ protocol, adding }) {
  const links = [[protocol, "which works are retained"], [adding, "how to add an entry"]].filter(([href]) => href);
  return links.flatMap(([href, said], n) => [n ? " and " : ": see ", element("a", { href }, said)]);
}

// The arXiv number if there is one, else the key in the form that survey new accepts.
function nameOf({ arxiv, key }) {
  return arxiv || key.normalize("NFKD").replace(/[^A-Za-z0-9._+:/-]/g, "").replace(/^[^A-Za-z]+/, "").replace(/[:/]+(?=[:/]|$)/g, "") || "KEY";
}

function notRead({ unread }) {
  if (!unread.length) return [];
  return [section("What could not be read", ...list(unread, ({ file, line: number, why, text }) => line([`${file ? `${file} ` : ""}line ${number}: `, element("code", {}, text)], why)))];
}
