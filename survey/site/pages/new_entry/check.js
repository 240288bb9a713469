/* Checks of an entry, with the messages of `survey check`.
   Follows survey/literature/pool/entries.py and tags.py; a test compares the two.
   An entry is { type, key, fields, tags }: the texts by field, and by axis its tags { word, how, number }. */

import { arxivDate, anyText, fieldProblems, isDay, oneKey, oneOf, PARTIAL, quoted } from "./fields.js";

const ABSENT = ["na", "none", "unknown"];

// Returns every problem as { field, message, missing }, in the order of the fields.
export function problems(entry, vocabulary) {
  const { order } = vocabulary;
  const found = [...keyProblems(entry), ...texts(entry, vocabulary), ...together(entry, vocabulary), ...sourced(entry, vocabulary), ...tagged(entry, vocabulary), ...excluded(entry, vocabulary)];
  const place = ({ field }) => field === "key" ? -2 : field === "type" ? -1 : order.indexOf(field);
  return found.map((problem) => ({ missing: problem.message.startsWith("is missing") || /has no key/.test(problem.message), ...problem })).sort((a, b) => place(a) - place(b));
}

// The tags of an axis in the notation of the pool.
export const tagText = (tags) => tags.map(({ word, how, number }) => how || number ? `${word}: ${how || number}` : word).join("; ");

function* keyProblems({ key, type }) {
  if (!key) yield { field: "key", message: `@${type} has no key (expected @${type}{key, ...)` };
  else for (const message of oneKey(key)) yield { field: "key", message };
}

function* texts({ fields }, vocabulary) {
  const tags = new Set(vocabulary.axes.flatMap(({ field, why }) => [field, why]));
  for (const [field, text] of fields) {
    for (const message of anyText(text)) yield { field, message };
    if (!tags.has(field)) for (const message of fieldProblems(field, text, vocabulary)) yield { field, message };
  }
}

function* together({ type, fields }, { types, required, addressed, edition }) {
  const has = (name) => fields.has(name);
  for (const field of required) if (!has(field)) yield { field, message: "is missing" };
  for (const field of types[type]) if (!has(field)) yield { field, message: `is missing (an @${type} needs it)` };
  if (addressed && !["url", "doi", "eprint"].some(has)) yield { field: "url", message: "is missing (an entry needs a url, a doi or an eprint)" };
  if (has("volume") && has("number") && type !== "article") yield { field: "number", message: "cannot stand beside volume (styles print only one of them; keep one)" };
  yield* dates(fields, edition);
}

function* dates(fields, edition) {
  const eprint = fields.get("eprint") || "";
  const posted = arxivDate(eprint);
  const year = /^[0-9]{4}$/.test(fields.get("year")) ? Number(fields.get("year")) : 0;
  const published = fields.has("journal") || fields.has("booktitle");
  if (posted && year && (year < posted[0] || (year > posted[0] && !published))) {
    const why = year < posted[0] ? "before it" : "after it, yet no journal or booktitle explains that";
    yield { field: "year", message: `${year} contradicts eprint ${eprint} of ${posted[0]}: ${why}` };
  }
  yield* firstDates(fields, eprint, posted);
  if (fields.has("version") && !fields.has("eprint")) yield { field: "version", message: "is that of a preprint (delete it, or say which with eprint)" };
  const added = fields.get("added") || "";
  if (isDay(added) && year > Number(added.slice(0, 4)) + 1) yield { field: "year", message: `${year} lies after the entry was added (${added})` };
  for (const field of ["submitted", "announced"]) {
    const text = fields.get(field) || "";
    if (isDay(added) && PARTIAL.test(text) && text > added.slice(0, text.length)) yield { field, message: `${text} is later than added = ${added}` };
  }
  const listed = (name) => (fields.get(name) || "").split(" ").filter(Boolean);
  const both = listed("sources").filter((url) => listed("third-party").includes(url)).sort();
  if (both.length) yield { field: "third-party", message: `${quoted(both[0])} stands in sources too (keep one)` };
  if (isDay(added) && added <= edition) yield { field: "added", message: `${added} is not after the edition of ${edition}, which was published without it (expected a later day)` };
}

// An arXiv id is assigned after the first version was handed in and before it is announced.
function* firstDates(fields, eprint, posted) {
  const [submitted, announced] = ["submitted", "announced"].map((name) => fields.get(name) || "");
  if (submitted && announced && submitted.slice(0, announced.length) > announced) yield { field: "announced", message: `${announced} is before submitted = ${submitted}` };
  if (!posted) return;
  const month = `${posted[0]}-${String(posted[1]).padStart(2, "0")}`;
  if (submitted && submitted.slice(0, 7) > month) yield { field: "submitted", message: `${submitted} is later than eprint ${eprint} says` };
  if (announced && announced < month.slice(0, announced.length)) yield { field: "announced", message: `${announced} is before eprint ${eprint} was assigned` };
  if (announced && month.startsWith(announced)) yield { field: "announced", message: `${announced} says no more than eprint ${eprint} (expected the day, or no announced)` };
}

// ------------------------------------------------------------------- sources

function* sourced({ fields }, { sourcing: { preprint, thirdParties, saidAs } }) {
  for (const field of preprint) if (fields.has("eprint") && !fields.has(field)) yield { field, message: "is missing (an entry with eprint needs it)" };
  for (const url of (fields.get("sources") || "").split(" ")) {
    const host = URL.canParse(url) ? new URL(url).hostname : "";
    if (thirdParties.some((other) => host === other || host.endsWith(`.${other}`))) yield { field: "sources", message: `${quoted(url)} is a third party's page (move it to third-party)` };
  }
  if (!saidAs || fields.has("third-party")) return;
  for (const [field, text] of fields) if (field.startsWith("why-") && text.toLowerCase().includes(saidAs)) yield { field, message: "rests on a third party's page, yet third-party names none" };
}

// -------------------------------------------------------------------- tags

function* tagged({ fields, tags }, { axes }) {
  for (const axis of axes) {
    const own = tags.get(axis.id);
    const { field, why } = axis;
    if (!own.length && axis.steps.length) {
      const parts = axis.parts.map((id) => axes.find((other) => other.id === id));
      const last = parts.at(-1);
      if (parts.every(({ id }) => tags.get(id).length)) yield { field: last.field, message: `no ${axis.id} follows from ${parts.map((part) => `${part.id} = ${quoted(tagText(tags.get(part.id)))}`).join(" and ")} (change one of them)` };
      continue;
    }
    if (!own.length) {
      if (axis.required) yield { field, message: axis.missing || `is missing (expected one of: ${[...axis.values, ...axis.absences].join(", ")})` };
      else if (fields.has(why)) yield { field: why, message: `is evidence for a tag that is not there (${field})` };
      continue;
    }
    for (const message of tagProblems(own, axis)) yield { field, message };
    const support = `(say in your own words what supports ${axis.tag} = ${quoted(tagText(own))}, and where it stands)`;
    if (why && !fields.has(why) && !good(own, axis).some(({ word }) => word === "na")) yield { field: why, message: `is missing ${support}` };
  }
}

const isNumber = (text) => /^[0-9]{1,12}$/.test(text) && Number(text) > 0;

// Whether a tag is valid.
function fits({ word, how, number }, axis) {
  if (ABSENT.includes(word)) return true;
  if (axis.shape === "quantity") return isNumber(number);
  return !axis.qualifiers.length || axis.qualifiers.includes(how);
}

const good = (tags, axis) => tags.filter((tag) => fits(tag, axis));

function* tagProblems(tags, axis) {
  for (const tag of tags) {
    if (fits(tag, axis)) continue;
    const part = quoted(tagText([tag]));
    yield axis.shape === "quantity" ? `${part}: expected a whole number above 0, as in "${tag.word}: 100"` : `${part} does not say how ${oneOf(axis.qualifiers)}`;
  }
  const read = good(tags, axis);
  const open = axis.shape === "ranked" || axis.shape === "set"; // "unknown" may follow values there: there is more
  const alone = read.find(({ word }, place) => ABSENT.includes(word) && !(open && place && word === "unknown"));
  if (read.length > 1 && alone) yield `"${alone.word}" cannot stand beside a value: ${quoted(tagText(read))}`;
}

// The tags that follow from those on other axes, in the order of the steps.
export function derived({ steps, shape, values }, tags) {
  const holds = ([part, words]) => tags.get(part).some(({ word }) => words.includes(word));
  const found = [...new Set(steps.filter(({ when }) => when.every(holds)).map(({ gives }) => gives))];
  const [known, missing] = [found.filter((word) => values.includes(word)), found.filter((word) => !values.includes(word))];
  if (shape === "one") return [...known, ...missing].slice(0, 1).map((word) => ({ word }));
  const rest = known.length ? missing.filter((word) => word === "unknown") : missing.slice(0, 1);
  return [...known, ...rest].map((word) => ({ word }));
}

// ------------------------------------------------- impossible combinations

function* excluded({ tags }, { axes, rules, impossible }) {
  const byId = new Map(axes.map((axis) => [axis.id, axis]));
  const read = (id) => good(tags.get(id), byId.get(id));
  for (const { when, only, because } of rules) {
    if (!Object.entries(when).every(([id, words]) => read(id).some(({ word }) => words.includes(word)))) continue;
    for (const [id, words] of Object.entries(only)) {
      const wrong = read(id).find(({ word }) => !words.includes(word));
      if (wrong) yield { field: byId.get(id).field, message: `${quoted(wrong.word)} cannot be: ${because} (expected ${words.map((word) => quoted(word)).join(" or ")})` };
    }
  }
  for (const { cells, why } of impossible) {
    const here = Object.entries(cells).map(([id, wrong]) => [id, counted(read(id), byId.get(id)).find((cell) => wrong.includes(cell))]);
    if (!here.every(([, cell]) => cell)) continue;
    const [last, cell] = here.pop();
    const beside = here.map(([id, other]) => `${id} = ${quoted(other)}`).join(" and ");
    yield { field: byId.get(last).field, message: `${quoted(cell)} cannot stand beside ${beside}: ${why} (change one of them)` };
  }
}

// The cells in which tables count an entry.
function counted(tags, axis) {
  const cells = tags.map(({ word, how }) => how ? `${word}: ${how}` : word);
  return axis.shape === "ranked" ? cells.slice(0, 1) : cells;
}
