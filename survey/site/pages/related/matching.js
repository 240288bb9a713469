/* Which works of a list the survey knows: by DOI, else by arXiv number, else by title. */

import { arxivOf, doiOf } from "./identifiers.js";
import { readable, reduced } from "./titles.js";

const KINDS = ["entries", "records", "background"];

// Every work of the survey under each of its marks; each work gets its kind and its reduced title.
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

// Each work of a list with what the survey knows it as, if it does, by which mark, and whether their titles differ.
export function matched(works, marks) {
  return works.map((work) => {
    const title = work.fields.title || "";
    const own = { doi: doiOf(work.fields), arxiv: arxivOf(work.fields), title: reduced(title) };
    const by = Object.keys(marks).find((mark) => own[mark] && marks[mark].has(own[mark]));
    const known = by && marks[by].get(own[by]);
    return { ...work, title: readable(title), arxiv: own.arxiv, known, by, other: Boolean(known && title && own.title !== known.reduced) };
  });
}
