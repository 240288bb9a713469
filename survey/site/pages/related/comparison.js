/* Comparison of a reader's list with the survey: shared works, values that the list misses, works that the survey lacks. */

import { words } from "../../theme/scripts/dom.js";
import { parsed } from "./bibtex.js";
import { cover, coverage } from "./coverage.js";
import { matched } from "./matching.js";

// "sources" are the texts { name, text } of a list; if there are several, each work and passage names its source.
export function compared(sources, survey, marks) {
  const several = sources.length > 1;
  const parts = sources.map(({ name, text }) => ({ file: several ? name : "", ...parsed(text) }));
  const unread = parts.flatMap(({ file, unread: some }) => some.map((passage) => ({ ...passage, file })));
  const works = matched(parts.flatMap(({ file, found }) => found.map((work) => ({ ...work, file }))), marks);
  const known = (kind) => works.filter((work) => work.known?.kind === kind);
  const entries = known("entries");
  const mine = new Set(entries.map((work) => work.known));
  const axes = coverage(survey.axes, survey.entries, mine);
  const values = axes.flatMap(({ cells }) => cells).filter(({ having }) => having.length);
  const missed = values.filter(({ own }) => !own);
  return {
    works,
    unread,
    entries,
    records: known("records"),
    background: known("background"),
    lacking: works.filter((work) => !work.known),
    mine, // the entries of the survey that the list has, each once
    axes,
    values, // those that occur in the pool
    missed,
    steps: cover(missed, survey.entries.filter((entry) => !mine.has(entry))),
  };
}

export function summary({ works, unread, records, background, lacking, mine, values, missed }, survey) {
  const parts = [`the survey has ${mine.size} among its ${words(survey.entries.length, "entry", "entries")}`];
  if (records.length) parts.push(`has screened and excluded ${records.length}`);
  if (background.length) parts.push(`cites ${background.length} as background`);
  parts.push(`does not have ${lacking.length}`);
  const last = parts.pop();
  return `Of ${words(works.length, "work")} in your list, ${parts.join(", ")} and ${last}. Your list has ${values.length - missed.length} of the ${values.length} values that occur on ${survey.axes.length} axes.${unread.length ? ` ${words(unread.length, "passage")} could not be read.` : ""}`;
}
