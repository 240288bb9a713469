/* The index of the search is a megabyte, and Material asks for it on every first page: here that waits until somebody
   turns to the search. It runs before Material's own script. */

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
