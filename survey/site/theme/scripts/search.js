/* What Material's search lacks. It runs before Material's own script.

   The index is a megabyte, and Material asks for it on every first page: here that waits until somebody turns to the
   search. Material looks for the beginning of every word typed, the "to" of "when to stop" among them, and finds any
   of the words good enough: here words that say nothing are left out, other forms of a word are found, and pages with
   all of the words come first. */

import { asked, isPlain, stem, wordsOf } from "./words.js";

const QUERY = 2; // kinds of messages to and from Material's worker
const RESULT = 3;

// ------------------------------------------------- the index comes late

const { open, send } = XMLHttpRequest.prototype;

const wanted = new Promise((resolve) => {
  addEventListener("focusin", ({ target }) => target.matches("[data-md-component=search-query]") && resolve());
  if (/[?&][hq]=/.test(location.search)) resolve(); // a link to results, or to a page with its finds marked
});

XMLHttpRequest.prototype.open = function (method, url, ...rest) {
  this.waits = `${url}`.endsWith("/search/search_index.json");
  return open.call(this, method, url, ...rest);
};

XMLHttpRequest.prototype.send = function (...body) {
  if (this.waits) wanted.then(() => send.apply(this, body));
  else send.apply(this, body);
};

// ------------------------------------------------- queries and ranks

const foundIn = (page) => new Set(page.flatMap(({ terms }) => Object.keys(terms).filter((term) => terms[term])));

// Whether a word of a script without spaces stands in a section.
const stands = (word, { title, text, tags }) => [title, text, ...(tags || [])].join(" ").includes(word);

// Orders pages by their best section, raised if a page has all words, and if its names have them. A rare word counts more.
function rank(pages, words) {
  for (const section of pages.flat()) { // Material lists as missing what is not found in the very form that was typed
    section.terms = Object.fromEntries(words.map((word) => [word, isPlain(word) ? Boolean(section.terms[word] || section.terms[stem(word)]) : stands(word, section)]));
  }
  const found = new Map(pages.map((page) => [page, foundIn(page)]));
  const rarity = words.map((one) => Math.log(1 + pages.length / (1 + pages.filter((page) => found.get(page).has(one)).length)));
  const whole = rarity.reduce((sum, own) => sum + own, 0);
  const share = (has) => words.reduce((sum, one, n) => sum + (has(one) ? rarity[n] : 0), 0) / whole;
  const worth = (page) => {
    const top = page.find(({ location }) => !location.includes("#")) || page[0];
    const names = wordsOf([top.title, ...(top.tags || [])].join(" ").replace(/<[^>]*>/g, ""));
    const named = share((one) => names.some((name) => name.startsWith(stem(one))));
    return Math.max(...page.map(({ score }) => score)) * share((one) => found.get(page).has(one)) * (named > 0.999 ? 6 : 1 + 2 * named);
  };
  const placed = pages.map((page) => [worth(page), page]).sort(([a], [b]) => b - a);
  pages.splice(0, pages.length, ...placed.map(([, page]) => page));
}

const Plain = window.Worker;

window.Worker = class extends Plain {
  constructor(address, ...rest) {
    super(address, ...rest);
    this.searches = `${address}`.includes("/workers/search.");
    this.words = [];
    this.addEventListener("message", ({ data }) => {
      if (this.searches && data.type === RESULT && this.words.length) rank(data.data.items, this.words);
    });
  }

  postMessage(message, ...rest) {
    if (!this.searches || message.type !== QUERY) return super.postMessage(message, ...rest);
    this.words = [...new Set(wordsOf(message.data))];
    return super.postMessage({ ...message, data: this.words.map(asked).join(" ") }, ...rest);
  }
};
