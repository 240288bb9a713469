/* What Material's search lacks. It runs before Material's own script.

   The index is a megabyte, and Material asks for it on every first page: here that waits until somebody turns to the
   search. Material looks for the beginning of every word typed, the "to" of "when to stop" among them, and finds any
   of the words good enough: here words that say nothing are left out, other forms of a word are found, and pages with
   all of the words come first. */

import { asked, stem, wordsOf } from "./words.js";

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

// Returns what a page is worth: its best section, more if it has all words, and more if its title has them.
function worth(page, stems) {
  const found = new Set(page.flatMap(({ terms }) => Object.keys(terms).filter((term) => terms[term])));
  const title = wordsOf(page[0].title.replace(/<[^>]*>/g, ""));
  const has = stems.filter((one) => found.has(one)).length / stems.length;
  const named = stems.filter((one) => title.some((word) => word.startsWith(one))).length / stems.length;
  return Math.max(...page.map(({ score }) => score)) * (has || 0.1) ** 2 * (1 + named ** 2);
}

function rank(pages, stems) {
  const placed = pages.map((page) => [worth(page, stems), page]).sort(([a], [b]) => b - a);
  pages.splice(0, pages.length, ...placed.map(([, page]) => page));
}

const Plain = window.Worker;

window.Worker = class extends Plain {
  constructor(address, ...rest) {
    super(address, ...rest);
    this.searches = `${address}`.includes("/workers/search.");
    this.stems = [];
    this.addEventListener("message", ({ data }) => {
      if (this.searches && data.type === RESULT && this.stems.length) rank(data.data.items, this.stems);
    });
  }

  postMessage(message, ...rest) {
    if (!this.searches || message.type !== QUERY) return super.postMessage(message, ...rest);
    const words = wordsOf(message.data);
    this.stems = [...new Set(words.map(stem))];
    return super.postMessage({ ...message, data: words.map(asked).join(" ") }, ...rest);
  }
};
