/* What pages can do beyond being read: copy a citation, filter the table of entries.
   Everything is there without this script; it only adds. */
(() => {
  "use strict";

  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  function element(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (value !== false) node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children);
    return node;
  }

  // ------------------------------------------------------------------ copying

  function copies() {
    for (const button of all("button[data-copy]")) {
      const label = button.textContent;
      button.onclick = async () => {
        const text = one(`#${button.dataset.copy}`).textContent.trim();
        await navigator.clipboard.writeText(`${text}\n`);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = label; }, 1500);
      };
    }
  }

  // ------------------------------------------------------------------- charts

  // what survey/site/drawing.py draws in, and the variables of the palette that these stand for
  const STAND_INS = {
    "#010101": "--ink", "#020202": "--muted", "#030303": "--rule", "#040404": "--paper", "#050505": "--hue", "#060606": "--hue-credit", "#070707": "--hue-reward",
    "#080808": "--hue-decision", "#090909": "--hue-topology", "#0a0a0a": "--hue-algorithm", "#0b0b0b": "--hue-scenario",
  };
  let runtime;

  function loaded(address) {
    runtime ||= new Promise((resolve, reject) => {
      document.head.append(element("script", { src: address, onload: () => resolve(window.surveyChart), onerror: reject }));
    });
    return runtime;
  }

  async function live(picture) {
    const address = new URL(picture.dataset.spec, location.href);
    const [embed, text] = await Promise.all([loaded(new URL(picture.dataset.runtime, location.href)), fetch(address).then((answer) => answer.text())]);
    const draw = async () => {
      const style = getComputedStyle(picture);
      const coloured = text.replace(/"(#0[1-9ab]0[1-9ab]0[1-9ab])"/g, (_, colour) => JSON.stringify(style.getPropertyValue(STAND_INS[colour]).trim() || colour));
      const spec = JSON.parse(coloured);
      for (const row of spec.data.values) if (row.href) row.href = new URL(row.href, address).href;
      picture.removeAttribute("role");
      picture.dataset.live = "";
      await embed(picture, spec, { actions: false, renderer: "svg", ast: true, defaultStyle: false, tooltip: { disableDefaultStyle: true } }); // no style elements, no eval: the policy of the site forbids both
    };
    await draw();
    new MutationObserver(() => document.contains(picture) && draw()).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  }

  function charts() {
    for (const picture of all("[data-spec]:not([data-ready])")) {
      picture.dataset.ready = "";
      const button = element("button", { type: "button", onclick: async () => { button.disabled = true; try { await live(picture); button.remove(); } catch { button.textContent = "The chart stays as it is: its script could not be loaded"; } } }, "Make it interactive");
      one("figcaption", picture.closest("figure")).after(element("p", { class: "act turn" }, button));
    }
  }

  // ----------------------------------------------------------------- explorer

  // Rows drawn by a step itself, and as many again in the frame that shows it: a screenful, so
  // that the result is there at once. Each further frame doubles them, since every one lays out
  // the whole table again.
  const SLICE = 10;

  // The page brings the first rows of the table, rows.json every row as data, whatever the size
  // of the pool: one way to filter, not one for rows on the page and one for the others. A row
  // becomes a node when it is first drawn, since laying out ten thousand takes seconds; the
  // rows that the page brought stay as they are and are used again.
  async function explorer(root) {
    const facets = JSON.parse(root.dataset.explorer).map((facet) => ({ ...facet, labels: new Map(facet.words), places: new Map(facet.words.map(([word], place) => [word, place])) }));
    const body = one("tbody", root);
    const tools = one(".explorer-tools", root);
    const matches = one(".matches", root);
    const said = matches.textContent;
    const heads = all("thead th", root);
    const portion = body.rows.length;
    const state = { text: "", parts: [], chosen: new Map(), sort: "", down: false, limit: portion };
    const boxes = new Map();
    let items; // every entry, once they are here
    let visible = []; // those that match, as they are sorted
    let held; // the width of the page for which the columns have theirs
    let drawing; // the frame in which the next slice of them is drawn

    // ------------------------------------------------- the entries and their rows

    async function load() {
      const answer = await fetch(root.dataset.rows);
      if (!answer.ok) throw new Error(`${answer.status} for ${answer.url}`);
      const brought = new Map([...body.rows].map((row) => [row.id, row]));
      return (await answer.json()).map(([key, title, by, year, cells]) => {
        const words = facets.map(({ places }, n) => withoutHow(cells[n]).map((word) => places.get(word)).filter((place) => place !== undefined));
        const work = `${title} ${by}`.toLowerCase();
        const labels = facets.flatMap((facet, n) => facet.main ? cells[n].map((cell) => facet.labels.get(cell)) : []);
        return { key, title, by, year, cells, words, work, text: `${work} ${year} ${labels.join(" ").toLowerCase()}`, row: brought.get(key) };
      });
    }

    // a filter may ask for "stop: learned" or for "stop", however it is done
    const withoutHow = (cells) => cells.some((cell) => cell.includes(": ")) ? [...new Set(cells.flatMap((cell) => [cell, cell.split(": ")[0]]))] : cells;

    // the same row as explore.md.j2 writes; text from the pool is only ever text here
    function rowOf(item) {
      item.row ||= element("tr", { id: item.key },
        element("th", { scope: "row" }, element("a", { href: `${root.dataset.entries}${item.key}/` }, item.title), " ", element("span", { class: "work-by" }, item.by)),
        element("td", { class: "number" }, item.year),
        ...facets.flatMap((facet, n) => facet.main ? [element("td", { "data-axis": facet.axis }, ...item.cells[n].map((cell) => element("span", { class: facet.hollow.includes(cell) ? "word hollow" : "word" }, facet.labels.get(cell))))] : []));
      return item.row;
    }

    // The columns keep the widths that they have with the rows of the page: they do not jump from
    // filter to filter, and a table whose widths are given is laid out in a third of the time.
    function hold() {
      const table = body.parentNode;
      const room = table.parentNode.clientWidth;
      if (room === held) return; // the rows have become more or fewer
      held = room;
      delete table.dataset.held;
      for (const node of [table, ...heads]) node.style.width = "";
      const widths = [table, ...heads].map((node) => node.getBoundingClientRect().width);
      if (!heads[0].offsetWidth) return; // on a phone the rows are no table
      for (const [n, node] of [table, ...heads].entries()) node.style.width = `${widths[n]}px`;
      table.dataset.held = "";
    }

    // ------------------------------------------------------- the state in the address

    function read() {
      const query = new URLSearchParams(location.search);
      state.text = (query.get("text") || "").toLowerCase(); // at "q" the theme opens its own search
      state.sort = heads.find(({ dataset }) => dataset.sort === query.get("sort")) ? query.get("sort") : "";
      state.down = query.get("order") === "down";
      state.chosen.clear();
      for (const { axis } of facets) {
        const words = query.getAll(axis).flatMap((value) => value.split(","));
        if (words.length) state.chosen.set(axis, new Set(words));
      }
    }

    function write() {
      const query = new URLSearchParams();
      if (state.text) query.set("text", state.text);
      for (const [axis, words] of state.chosen) query.set(axis, [...words].join(","));
      if (state.sort) query.set("sort", state.sort);
      if (state.sort && state.down) query.set("order", "down");
      const search = query.toString().replace(/%2C/g, ",").replace(/%3A\+/g, ":+");
      history.replaceState(history.state, "", `${location.pathname}${search ? `?${search}` : ""}${location.hash}`);
    }

    function changed() {
      state.limit = portion;
      write();
      update();
    }

    // -------------------------------------------------------------- what matches

    const matchesText = (item) => state.parts.every((part) => item.text.includes(part));

    // what is chosen: the place of each axis that is asked about, with a mark for each of its words
    function asked() {
      const entries = [...facets.entries()].filter(([, { axis }]) => state.chosen.has(axis));
      return entries.map(([n, { axis, words }]) => [n, words.map(([word]) => state.chosen.get(axis).has(word))]);
    }

    function matchesAxis(item, n, marks) {
      for (const place of item.words[n]) if (marks[place]) return true;
      return false;
    }

    // what matches, and how many would match each word with all other filters kept: one pass over
    // numbers, since an entry counts for an axis if it fails nowhere else
    function sift() {
      state.parts = state.text ? state.text.split(/\s+/) : [];
      const axes = asked();
      const numbers = facets.map(({ words }) => new Uint32Array(words.length));
      const found = [];
      for (const item of items) {
        if (!matchesText(item)) continue;
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

    function sorted(found) {
      if (!state.sort) return found;
      const column = facets.findIndex(({ axis }) => axis === state.sort);
      const place = (item) => column < 0 ? item[state.sort] : Math.min(...item.cells[column].map((cell) => facets[column].places.get(cell)));
      const sign = state.down ? -1 : 1;
      const placed = found.map((item) => [place(item), item]);
      return placed.sort(([x], [y]) => x < y ? -sign : x > y ? sign : 0).map(([, item]) => item);
    }

    function advice() {
      const axes = asked();
      const without = (left) => items.filter((item) => (left === "q" || matchesText(item)) && axes.every(([n, marks]) => n === left || matchesAxis(item, n, marks))).length;
      const tries = axes.map(([n]) => [without(n), facets[n].label]);
      if (state.text) tries.push([without("q"), "the search"]);
      const [n, name] = tries.sort((a, b) => b[0] - a[0])[0];
      return n ? `Without ${name}: ${n}.` : "Take away more than one filter.";
    }

    // ------------------------------------------------------------ what is shown

    function update() {
      chips();
      arrows();
      if (!items) return;
      const { found, numbers } = sift();
      visible = sorted(found);
      draw();
      counts(numbers);
      const filtered = state.text || state.chosen.size;
      matches.textContent = said.replace(/^\d+/, filtered ? `${visible.length} of ${items.length}` : items.length);
      if (!visible.length && filtered) matches.append(element("span", {}, `. ${advice()}`));
    }

    function draw() {
      const rows = [...body.rows];
      let same = 0;
      while (same < Math.min(visible.length, state.limit, rows.length) && rows[same] === visible[same].row) same += 1;
      for (const row of rows.slice(same)) row.remove();
      drawSlice();
      const left = Math.max(visible.length - state.limit, 0);
      more.hidden = every.hidden = !left;
      more.textContent = `Show ${Math.min(portion, left)} more`;
      every.textContent = `Show all ${visible.length}`;
    }

    function drawSlice() {
      cancelAnimationFrame(drawing);
      const wanted = Math.min(visible.length, state.limit);
      const end = Math.min(wanted, body.rows.length + Math.max(SLICE, body.rows.length));
      drawUpTo(end);
      if (end < wanted) drawing = requestAnimationFrame(drawSlice);
    }

    function drawUpTo(end) {
      for (const item of visible.slice(body.rows.length, end)) body.append(rowOf(item));
    }

    function showMore(limit) {
      const before = body.rows.length;
      state.limit = limit;
      draw();
      one("a", body.rows[before]).focus(); // the button may be gone, and reading goes on here
    }

    // an address may name an entry that is not among the rows drawn so far
    function reveal() {
      const place = visible.findIndex(({ key }) => location.hash === `#${key}`);
      if (place < 0 || body.rows[place]) return;
      state.limit = Math.max(state.limit, place + 1);
      drawUpTo(place + 1);
      draw();
      body.rows[place].scrollIntoView();
    }

    // what did not change is left alone: to write the same number again lays out its line again
    function counts(numbers) {
      for (const [place, { axis }] of facets.entries()) {
        const chosen = state.chosen.get(axis);
        for (const [word, box] of boxes.get(axis)) {
          const n = numbers[place][facets[place].places.get(word)];
          box.input.checked = Boolean(chosen?.has(word));
          if (n === box.shown) continue;
          box.shown = n;
          box.number.textContent = n;
          box.label.classList.toggle("none", n === 0);
        }
        boxes.get(axis).details.toggleAttribute("data-active", Boolean(chosen));
      }
    }

    function chips() {
      const made = [];
      for (const { axis, label, labels } of facets) {
        for (const word of state.chosen.get(axis) || []) {
          const name = labels.get(word) || word;
          made.push(element("button", { type: "button", style: `--hue: var(--hue-${axis}, var(--hue-other))`, onclick: () => choose(axis, word, false), "aria-label": `Remove ${label}: ${name}` }, `${name} ×`));
        }
      }
      if (made.length > 1 || (made.length && state.text)) made.push(element("button", { type: "button", onclick: clear }, "Clear all"));
      one(".chosen", tools).replaceChildren(...made);
    }

    function arrows() {
      for (const head of heads) {
        if (head.dataset.sort === state.sort) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      }
    }

    // ----------------------------------------------------------- what a reader does

    function choose(axis, word, on) {
      const words = state.chosen.get(axis) || new Set();
      if (on) words.add(word); else words.delete(word);
      if (words.size) state.chosen.set(axis, words); else state.chosen.delete(axis);
      changed();
    }

    function clear() {
      state.text = "";
      state.chosen.clear();
      one("input[type=search]", tools).value = "";
      changed();
    }

    function sort(column) {
      state.down = state.sort === column && !state.down;
      state.sort = column;
      changed();
    }

    async function exported(form) {
      if (!items) return;
      const { header, entries } = await (await fetch(root.dataset.exports)).json();
      const text = (form === "csv" ? header : "") + visible.map(({ key }) => entries[key][form]).join(form === "bib" ? "\n" : "");
      const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" })), download: `entries.${form}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    }

    // ------------------------------------------------------------------ the tools

    function build() {
      const search = element("input", { type: "search", placeholder: "Search titles, authors, tags", "aria-label": "Search titles, authors, tags", oninput: (event) => { state.text = event.target.value.toLowerCase().trim(); changed(); } });
      search.value = state.text;
      const panel = element("div", { class: "facets" });
      for (const { axis, label, words } of facets) {
        const own = new Map();
        const fieldset = element("fieldset", { "aria-label": label });
        for (const [word, text] of words) {
          const input = element("input", { type: "checkbox", onchange: (event) => choose(axis, word, event.target.checked) });
          const number = element("span", { class: "n" });
          const line = element("label", {}, input, text, number);
          own.set(word, { input, number, label: line });
          fieldset.append(line);
        }
        own.details = element("details", { style: `--hue: var(--hue-${axis}, var(--hue-other))` }, element("summary", {}, label), fieldset);
        boxes.set(axis, own);
        panel.append(own.details);
      }
      const save = element("div", { class: "act" }, "What is shown, as ");
      for (const [form, name] of [["bib", "BibTeX"], ["ris", "RIS"], ["csv", "CSV"]]) save.append(element("button", { type: "button", "data-export": form, onclick: () => exported(form) }, name));
      tools.append(search, panel, element("div", { class: "chosen" }), save);
      tools.hidden = false;
      for (const head of heads) head.replaceChildren(element("button", { type: "button", onclick: () => sort(head.dataset.sort) }, head.textContent));
    }

    // without the data there is nothing to filter: the page is again what it is without this script
    function giveUp() {
      tools.hidden = true;
      for (const head of heads) head.replaceChildren(head.textContent);
      matches.append(". The filters could not be loaded: reload the page to try again.");
    }

    const more = element("button", { type: "button", hidden: true, onclick: () => showMore(state.limit + portion) });
    const every = element("button", { type: "button", hidden: true, onclick: () => showMore(Infinity) });
    read();
    build();
    new ResizeObserver(hold).observe(one(".wide", root));
    update();
    root.setAttribute("aria-busy", "true");
    try { items = await load(); } catch { giveUp(); return; } finally { root.removeAttribute("aria-busy"); }
    one(".pages", root)?.remove();
    one(".wide", root).after(element("p", { class: "act" }, more, every));
    update();
    reveal();
  }

  // tables and formulas wider than a phone scroll: then they must be reachable by keyboard
  function scrollers() {
    for (const [number, wrap] of all(".md-typeset__scrollwrap, .formula").entries()) {
      if (wrap.scrollWidth <= wrap.clientWidth) continue;
      const label = `${wrap.matches(".formula") ? "Formula" : "Table"} ${number + 1}`;
      for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", label]]) wrap.setAttribute(name, value);
    }
  }

  function start() {
    setTimeout(scrollers);
    copies();
    charts();
    for (const root of all("[data-explorer]:not([data-ready])")) {
      root.dataset.ready = "";
      explorer(root);
    }
  }

  // Material swaps the content of pages without loading them; document$ tells of each
  if (window.document$) window.document$.subscribe(start);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
