/* Detection of duplicates: by identifier, by title, and by similar titles.
   The works are those of the page on related work. */

import { addressOf } from "../../theme/scripts/works.js";
import { readable } from "./latex.js";

const FILES = { entries: "pool.bib", records: "excluded.bib", background: "background.bib" };
const NEAR = 0.4; // the least weighted Jaccard similarity of two titles
const SHOWN = 3;

const letters = (title) => title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/ß/g, "ss").match(/[\p{L}\p{N}]+/gu) || [];

const ARXIV = /^(?:(?:https?:\/\/)?(?:www\.)?arxiv\.org\/(?:abs|pdf|html)\/|10\.48550\/arxiv\.)?([0-9]{4}\.[0-9]{4,5}|[a-z-]+(?=[./])(?:\.[a-z]{2})?\/[0-9]{7})(?:v[0-9]+)?(?:\.pdf)?\/?$/;
const DOI = /^(?:https?:\/\/(?:dx\.)?doi\.org\/)?(10\.[0-9]{4,9}\/.+)$/;

// DOI and arXiv id, each with its field. Follows survey/literature/pool/duplicates.py.
function identifiers(texts) {
  const found = new Map();
  for (const field of ["doi", "eprint", "url"]) {
    const text = (texts[field] || "").toLowerCase();
    const arxiv = ARXIV.exec(text)?.[1].replace(/\.[a-z]{2}\//, "/");
    const doi = field === "eprint" ? "" : DOI.exec(text)?.[1];
    const [name, mark] = arxiv ? ["eprint", arxiv] : field === "eprint" ? ["eprint", text] : ["doi", doi];
    if (mark && !found.has(name)) found.set(name, { field, mark });
  }
  return found;
}

// A title as the trigrams of its words, so that a typing error costs little.
function pieces(title) {
  return new Set(letters(title).flatMap((word) => {
    const framed = ` ${word} `;
    return Array.from({ length: Math.max(framed.length - 2, 1) }, (_, at) => framed.slice(at, at + 3));
  }));
}

// Every work with the data it is compared by; trigrams that many titles share have little weight.
export function register(data) {
  const works = Object.keys(FILES).flatMap((kind) => data[kind].map((work) => ({ ...work, kind, plain: letters(work.title).join(""), own: identifiers(work), pieces: pieces(work.title) })));
  const held = new Map();
  for (const work of works) for (const piece of work.pieces) held.set(piece, (held.get(piece) || 0) + 1);
  const weight = (piece) => Math.log(1 + works.length / (held.get(piece) || 1));
  const sum = (some) => [...some].reduce((all, piece) => all + weight(piece), 0);
  return { works, weight, sum: new Map(works.map((work) => [work, sum(work.pieces)])), total: sum };
}

// Yields duplicates of the work or the key, with the messages of `survey check`.
export function* same({ key, fields }, { works }, { commands }) {
  const own = identifiers(Object.fromEntries(fields));
  let told;
  for (const [name, { field, mark }] of own) {
    const first = works.find((work) => work.own.get(name)?.mark === mark);
    if (!first || first === told) continue;
    yield { field, work: first, message: `the same ${name} as ${first.key} (${FILES[first.kind]}): is it the same work?` };
    told = first;
  }
  const title = letters(readable(fields.get("title") || "", commands)).join("");
  const [last] = readable(fields.get("author") || "", commands).split(/,| and /);
  for (const first of title ? works.filter((work) => work.plain === title) : []) {
    if (first === told) break;
    if ([...own].some(([name, { mark }]) => first.own.has(name) && first.own.get(name).mark !== mark) && !isBy(first, last)) continue;
    yield { field: "title", work: first, message: `the same title as ${first.key} (${FILES[first.kind]}): is it the same work?` };
    break;
  }
  const taken = key && works.find((work) => addressOf(work.key).toLowerCase() === addressOf(key).toLowerCase());
  if (!taken) return;
  const alike = taken.key.toLowerCase() === key.toLowerCase();
  if (taken.kind !== "entries") yield { field: "key", work: taken, message: `the same ${alike ? "key" : "address"} as ${taken.key} (${FILES[taken.kind]}): is it the same work?` };
  else if (taken.key === key) yield { field: "key", work: taken, message: "the key is used twice (first in pool.bib)" };
  else yield { field: "key", work: taken, message: `the key ${alike ? `differs from ${taken.key} only in case` : `has the same address as ${taken.key}, ${addressOf(taken.key)}`} (first in pool.bib)` };
}

// Whether the first author has this last name, according to the list.
const isBy = ({ by }, last) => Boolean(last) && [" et al.,", ", ", " and "].some((after) => by.startsWith(`${last}${after}`));

// The works with the most similar titles, the most similar first: computed for each title once, since an edit of any
// field asks again.
export function near(title, known) {
  if (known.asked !== title) Object.assign(known, { asked: title, near: nearest(title, known) });
  return known.near;
}

function nearest(title, { works, weight, sum, total }) {
  const own = pieces(title);
  if (own.size < 6) return [];
  const mine = total(own);
  return works.map((work) => {
    const shared = [...own].reduce((all, piece) => work.pieces.has(piece) ? all + weight(piece) : all, 0);
    return { work, share: shared / (mine + sum.get(work) - shared) };
  }).filter(({ share }) => share >= NEAR).sort((a, b) => b.share - a.share).slice(0, SHOWN);
}
