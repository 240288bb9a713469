/* Filtering: the entries that match a selection, their order, and the counts of each further value. */

import { stem, wordsOf } from "../../theme/scripts/words.js";

const partsOf = (text) => wordsOf(text).map(stem);

const matchesText = (item, parts) => parts.every((part) => item.text.includes(part));

// Returns the index of each filtered axis, with a flag for each of its words.
function asked(facets, chosen) {
  const entries = [...facets.entries()].filter(([, { axis }]) => chosen.has(axis));
  return entries.map(([n, { axis, words }]) => [n, words.map(([word]) => chosen.get(axis).has(word))]);
}

function matchesAxis(item, n, marks) {
  for (const place of item.words[n]) if (marks[place]) return true;
  return false;
}

// Returns the entries that match, and how many would match each word with all other filters kept. One pass
// suffices, since an entry counts for an axis if it fails on no other.
export function counted(items, facets, { text, chosen }) {
  const parts = partsOf(text);
  const axes = asked(facets, chosen);
  const numbers = facets.map(({ words }) => new Uint32Array(words.length));
  const found = [];
  for (const item of items) {
    if (!matchesText(item, parts)) continue;
    let failed = 0;
    let last;
    for (const [n, marks] of axes) {
      if (!matchesAxis(item, n, marks)) {
        failed += 1;
        last = n;
      }
    }
    if (failed > 1) continue;
    if (!failed) found.push(item);
    for (let n = failed ? last : 0; n < (failed ? last + 1 : facets.length); n += 1) {
      for (const place of item.words[n]) numbers[n][place] += 1;
    }
  }
  return { found, numbers };
}

// Sorts by the column of works or years, or by an axis in the order of its words.
export function sorted(found, facets, { sort, down }) {
  if (!sort) return found;
  const column = facets.findIndex(({ axis }) => axis === sort);
  const place = (item) => column < 0 ? item[sort] : Math.min(...item.cells[column].map((cell) => facets[column].places.get(cell)));
  const sign = down ? -1 : 1;
  const placed = found.map((item) => [place(item), item]);
  return placed.sort(([x], [y]) => x < y ? -sign : x > y ? sign : 0).map(([, item]) => item);
}

// Suggests the filter to remove when nothing matches.
export function advice(items, facets, { text, chosen }) {
  const parts = partsOf(text);
  const axes = asked(facets, chosen);
  const without = (left) => items.filter((item) => (left === "text" || matchesText(item, parts)) && axes.every(([n, marks]) => n === left || matchesAxis(item, n, marks))).length;
  const tries = axes.map(([n]) => [without(n), facets[n].label]);
  if (text) tries.push([without("text"), "the search"]);
  const [n, name] = tries.sort((a, b) => b[0] - a[0])[0];
  return n ? `Without ${name}: ${n}.` : "Remove more than one filter.";
}
