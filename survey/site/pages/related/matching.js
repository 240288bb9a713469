/* Matching of a list's works with the survey: by DOI, else by arXiv number, else by title. */

import { arxivOf, doiOf } from "./identifiers.js";
import { readable, reduced } from "./titles.js";

const KINDS = ["entries", "records", "background"];

// Indexes every work of the survey by each of its identifiers; each work gets its kind and its normalised title.
export function register(survey) {
  const marks = { doi: new Map(), arxiv: new Map(), title: new Map() };
  for (const kind of KINDS) {
    for (const work of survey[kind]) {
      work.kind = kind;
      work.reduced = reduced(work.title);
      const own = { doi: doiOf(work), arxiv: arxivOf(work), title: work.reduced };
      for (const [by, mark] of Object.entries(own)) if (mark && !marks[by].has(mark)) marks[by].set(mark, work);
    }
  }
  return marks;
}

// Returns each work of a list with the matching work of the survey, the identifier that matched, and whether the titles differ.
export function matched(works, marks) {
  return works.map((work) => {
    const title = work.fields.title || "";
    const own = { doi: doiOf(work.fields), arxiv: arxivOf(work.fields), title: reduced(title) };
    const by = Object.keys(marks).find((mark) => own[mark] && marks[mark].has(own[mark]));
    const known = by && marks[by].get(own[by]);
    return { ...work, title: readable(title), arxiv: own.arxiv, known, by, other: Boolean(known && title && own.title !== known.reduced) };
  });
}
