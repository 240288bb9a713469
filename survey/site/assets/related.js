/* A reader's .bib against the survey: read, matched and shown in this browser. After the
   survey's own list has come, nothing is asked of any server, and nothing is ever sent.
   Text from a file is only ever text here: no markup is made from it. */
(() => {
  "use strict";

  const one = (selector, root) => root.querySelector(selector);

  function element(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (value !== false) node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children);
    return node;
  }

  const words = (number, noun, many = `${noun}s`) => `${number} ${number === 1 ? noun : many}`;

  // ------------------------------------------------------------ reading BibTeX

  const SKIPPED = new Set(["comment", "string", "preamble"]);
  const HEAD = /@[^\S\n]*([a-z][\w-]*)\s*([{(])/iy;
  const REMARK = /@[^\S\n]*comment\b/iy; // without a brace it is a word that BibTeX passes over
  const NEXT = /\n[^\S\n]*@[^\S\n]*[a-z][\w-]*\s*[{(]/gi; // where another entry begins, at the start of a line
  const BRACE = /[{}]|\n[^\S\n]*@[^\S\n]*[a-z][\w-]*\s*[{(]/gi;
  const QUOTE = /["{}]|\n[^\S\n]*@[^\S\n]*[a-z][\w-]*\s*[{(]/gi;

  class Unread extends Error {
    constructor(message, at) {
      super(message);
      this.at = at;
    }
  }

  // the match of a sticky pattern at a place, or null
  function match(pattern, text, at) {
    pattern.lastIndex = at;
    return pattern.exec(text);
  }

  // Every entry of a text with the fields that matching looks at, and every passage that could
  // not be read. An entry that is not closed ends where, at the start of a line, another begins.
  function parsed(source) {
    const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
    const lineOf = lines(text);
    const found = [];
    const unread = [];
    let at = text.indexOf("@");
    while (at >= 0) {
      const head = match(HEAD, text, at);
      if (!head) {
        if (!match(REMARK, text, at) && /(^|\n)[^\S\n]*$/.test(text.slice(Math.max(at - 200, 0), at))) unread.push({ line: lineOf(at), why: "this begins no entry: an @ is followed by a type and a brace", text: lineAt(text, at) });
        at = text.indexOf("@", at + 1);
        continue;
      }
      const body = at + head[0].length;
      try {
        if (SKIPPED.has(head[1].toLowerCase())) at = head[2] === "{" ? closed(text, body, BRACE) : parenthesis(text, body);
        else {
          const entry = fieldsOf(text, body, head[2] === "{" ? "}" : ")");
          if (entry.fields.title || identified(entry.fields)) found.push({ ...entry, line: lineOf(at) });
          else unread.push({ line: lineOf(at), why: "it has neither title nor number to compare by", text: lineAt(text, at) });
          at = entry.end;
        }
      } catch (error) {
        if (!(error instanceof Unread)) throw error;
        const next = match(NEXT, text, body);
        const until = next ? next.index + 1 : text.length;
        unread.push({ line: lineOf(at), why: `line ${lineOf(Math.min(error.at, text.length))}: ${error.message}; left out up to line ${lineOf(Math.max(until - 1, at))}`, text: lineAt(text, at) });
        at = until;
      }
      at = text.indexOf("@", at);
    }
    return { found, unread };
  }

  function lines(text) {
    const starts = [0];
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    return (place) => {
      let low = 0;
      let high = starts.length;
      while (low + 1 < high) {
        const middle = (low + high) >> 1;
        if (starts[middle] <= place) low = middle; else high = middle;
      }
      return low + 1;
    };
  }

  function lineAt(text, at) {
    const end = text.indexOf("\n", at);
    return text.slice(at, end < 0 ? text.length : end).trim().slice(0, 80);
  }

  const KEY = /\s*([^,{}="\n]*)/y;
  const GAP = /[\s,]*/y;
  const NAME = /[^\s=,{}()"#%@]+/y;
  const SPACE = /\s*/y;
  const BARE = /[^\s,{}()"#@=]+/y;

  function fieldsOf(text, body, close) {
    const fields = Object.create(null);
    const [opening, written] = match(KEY, text, body);
    const keyless = text[body + opening.length] === "="; // then what stands here is a field
    const key = keyless ? "" : written.trim();
    let at = keyless ? body : body + opening.length;
    for (;;) {
      at += match(GAP, text, at)[0].length;
      if (at >= text.length) throw new Unread("the file ends before the entry does", at);
      if (text[at] === close) return { key, fields, end: at + 1 };
      if (text[at] === "@") throw new Unread("another entry begins before this one ends", at);
      const name = match(NAME, text, at);
      if (!name) throw new Unread(`expected the name of a field, found ${JSON.stringify(text[at])}`, at);
      at += name[0].length;
      at += match(SPACE, text, at)[0].length;
      if (text[at] !== "=") throw new Unread(`expected = after ${JSON.stringify(name[0].slice(0, 30))}`, at);
      const [value, end] = valueOf(text, at + 1);
      const field = name[0].toLowerCase();
      if (!(field in fields)) fields[field] = value;
      at = end;
    }
  }

  function valueOf(text, start) {
    const parts = [];
    let at = start;
    for (;;) {
      at += match(SPACE, text, at)[0].length;
      const from = at;
      if (text[at] === "{") {
        at = closed(text, at + 1, BRACE);
        parts.push(text.slice(from + 1, at - 1));
      } else if (text[at] === '"') {
        at = closed(text, at + 1, QUOTE);
        parts.push(text.slice(from + 1, at - 1));
      } else {
        const bare = match(BARE, text, at);
        if (!bare) throw new Unread("expected a value after =", at);
        parts.push(bare[0]);
        at += bare[0].length;
      }
      at += match(SPACE, text, at)[0].length;
      if (text[at] !== "#") return [parts.join(""), at];
      at += 1;
    }
  }

  // where a value ends whose opening brace or quotation mark was just read
  function closed(text, start, pattern) {
    let depth = 0;
    pattern.lastIndex = start;
    for (let mark = pattern.exec(text); mark; mark = pattern.exec(text)) {
      if (mark[0] === "{") depth += 1;
      else if (mark[0] === "}") {
        if (!depth && pattern === BRACE) return pattern.lastIndex;
        if (!depth) throw new Unread("a quotation mark is not closed", mark.index);
        depth -= 1;
      } else if (mark[0] === '"') {
        if (!depth) return pattern.lastIndex;
      } else throw new Unread("another entry begins before this one ends", mark.index + 1);
    }
    throw new Unread("the file ends before the entry does", start);
  }

  function parenthesis(text, start) {
    const end = text.indexOf(")", start);
    if (end < 0) throw new Unread("the file ends before the entry does", start);
    return end + 1;
  }

  // ------------------------------------------------- what works are compared by

  const ARXIV = "([0-9]{4}\\.[0-9]{4,5}|[a-z-]+(?:\\.[a-z]{2})?/[0-9]{7})(?:v[0-9]+)?(?![0-9])";
  const WHOLE_ARXIV = new RegExp(`^(?:arxiv:)?\\s*${ARXIV}(?:\\s*\\[.*)?$`, "i");
  const ARXIV_INSIDE = new RegExp(`(?:arxiv(?:\\.org)?(?:/(?:abs|pdf|html|format)/|\\s*[:.]\\s*|\\s+)|^abs/)${ARXIV}`, "i");
  const DOI = /10\.[0-9]{4,9}\/[^\s"<>{}\\]+/;
  const WITH_ARXIV = ["eprint", "arxivid", "arxiv", "url", "doi", "journal", "journaltitle", "howpublished", "note", "volume", "number", "publisher", "annote", "pages"];

  function arxivOf(fields) {
    const elsewhere = !/^(arxiv)?$/i.test((fields.archiveprefix || fields.eprinttype || "").trim());
    for (const name of WITH_ARXIV) {
      const text = (fields[name] || "").replace(/[{}\\]/g, "").trim();
      if (!text) continue;
      const bare = name.startsWith("arxiv") || (name === "eprint" && !elsewhere);
      const found = (bare && WHOLE_ARXIV.exec(text)) || ARXIV_INSIDE.exec(text);
      if (found) return found[1].toLowerCase().replace(/^([a-z-]+)\.[a-z]{2}\//, "$1/");
    }
    return "";
  }

  function doiOf(fields) {
    for (const name of ["doi", "url", "ee", "note", "howpublished"]) {
      const text = (fields[name] || "").replace(/\\([_%&#$~])/g, "$1").replace(/[{}\\]/g, "");
      if (!text || (name !== "doi" && !/doi\.org/i.test(text))) continue;
      const found = DOI.exec(decoded(text));
      if (found) return found[0].toLowerCase().replace(/[.,;)]+$/, "");
    }
    return "";
  }

  function decoded(text) {
    try { return decodeURIComponent(text); } catch { return text; }
  }

  const identified = (fields) => Boolean(arxivOf(fields) || doiOf(fields));

  const FONTS = new Set("emph textit textbf textsc texttt textrm textsf textsl textup textnormal text mathrm mathbf mathit mathcal mathsf mathtt mathbb ensuremath mbox hbox url uppercase lowercase it bf sc tt rm em relax".split(" "));
  const SIGNS = new Set("textendash textemdash textquoteright textquoteleft textquotedblleft textquotedblright textquotesingle textbackslash textasciitilde textasciicircum textbar textless textgreater textunderscore textregistered texttrademark copyright dots ldots textellipsis times to rightarrow cdot pm u v h c k b d r t quad qquad space left right".split(" "));
  const LETTERS = { ß: "ss", ẞ: "ss", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", æ: "ae", œ: "oe", ı: "i", ȷ: "j", ŋ: "ng" };
  const COMMANDS = { ss: "ß", o: "ø", l: "ł", dj: "đ", dh: "ð", th: "þ", ae: "æ", oe: "œ", aa: "a", i: "i", j: "j", ng: "ŋ" };
  const GREEK = { α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", ϵ: "epsilon", ζ: "zeta", η: "eta", θ: "theta", κ: "kappa", λ: "lambda", μ: "mu", µ: "mu", ν: "nu", ξ: "xi", π: "pi", ρ: "rho", σ: "sigma", ς: "sigma", τ: "tau", φ: "phi", ϕ: "phi", χ: "chi", ψ: "psi", ω: "omega", "∞": "infty" };

  // LaTeX taken away as far as letters and digits ask for it
  function withoutLatex(text) {
    if (!text.includes("\\")) return text;
    return text.replace(/\\([A-Za-z]+)\s*|\\[^A-Za-z]/g, (whole, command) => {
      if (!command) return whole === "\\&" ? "&" : whole === "\\\\" ? " " : "";
      if (command.toLowerCase() in COMMANDS && command.length < 3) return COMMANDS[command.toLowerCase()];
      if (FONTS.has(command) || SIGNS.has(command) || SIGNS.has(command.toLowerCase()) && command.length === 1) return "";
      return command.replace(/^var(?=[a-z])/, "");
    });
  }

  // a title reduced to what two spellings of it have in common
  function reduced(title) {
    return withoutLatex(title).replace(/&/g, " and ").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
      .replace(/[ßẞøłđðþæœıȷŋ]/g, (letter) => LETTERS[letter])
      .replace(/[α-ωϵϕµ∞]/g, (letter) => GREEK[letter] || letter)
      .replace(/[^\p{L}\p{N}]/gu, "");
  }

  // as near to what it shows as a list of titles asks for
  const readable = (title) => withoutLatex(title.replace(/\\text(en|em)dash\s*|--+/g, "–").replace(/\\(["'`^~=.])\s*\{?\\?([A-Za-z])\}?/g, (_, accent, letter) => `${letter}${{ '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307" }[accent]}`)).replace(/[{}$]/g, "").replace(/\s+/g, " ").trim().normalize("NFC");

  // --------------------------------------------------------------- matching

  const BY = { doi: "DOI", arxiv: "arXiv number", title: "title" };

  function register(known) {
    const marks = { doi: new Map(), arxiv: new Map(), title: new Map() };
    const kinds = [["entry", known.entries], ["record", known.records], ["background", known.background]];
    for (const [kind, works] of kinds) {
      for (const work of works) {
        work.kind = kind;
        work.reduced = reduced(work.title);
        const own = { doi: doiOf(work), arxiv: arxivOf(work), title: work.reduced };
        for (const [by, mark] of Object.entries(own)) if (mark && !marks[by].has(mark)) marks[by].set(mark, work);
      }
    }
    return marks;
  }

  // each work of a list with what the survey knows it as, if it does, and by which mark
  function compared(works, marks) {
    return works.map((work) => {
      const title = work.fields.title || "";
      const own = { doi: doiOf(work.fields), arxiv: arxivOf(work.fields), title: reduced(title) };
      const by = Object.keys(marks).find((mark) => own[mark] && marks[mark].has(own[mark]));
      const known = by && marks[by].get(own[by]);
      return { ...work, title: readable(title), arxiv: own.arxiv, known, by, other: Boolean(known && title && own.title !== known.reduced) };
    });
  }

  // what of each axis the list has, and how many entries of the pool have it
  function coverage(axes, entries, mine) {
    return axes.map((axis, n) => ({
      ...axis,
      cells: axis.cells.map(([cell, label]) => {
        const having = entries.filter((entry) => entry.cells[n].includes(cell));
        return { cell, label, axis, having, own: having.filter((entry) => mine.has(entry)).length };
      }),
    }));
  }

  // entries that together have every value that is missed: again and again the one that adds most,
  // then without those that others have made superfluous
  function filling(missed, entries) {
    const lacking = new Map(entries.map((entry) => [entry, []]));
    for (const value of missed) for (const entry of value.having) lacking.get(entry).push(value);
    const chosen = [];
    const left = new Set(missed);
    while (left.size) {
      let best;
      let most = 0;
      for (const [entry, values] of lacking) {
        const adds = values.filter((value) => left.has(value)).length;
        if (adds > most) [best, most] = [entry, adds];
      }
      chosen.push(best);
      for (const value of lacking.get(best)) left.delete(value);
    }
    for (const entry of [...chosen].reverse()) {
      const others = new Set(chosen.filter((other) => other !== entry).flatMap((other) => lacking.get(other)));
      if (lacking.get(entry).every((value) => others.has(value))) chosen.splice(chosen.indexOf(entry), 1);
    }
    const seen = new Set();
    return chosen.sort((a, b) => a.place - b.place).map((entry) => {
      const adds = lacking.get(entry).filter((value) => !seen.has(value));
      for (const value of adds) seen.add(value);
      return { entry, adds };
    });
  }

  // values as a reader is told them, axis by axis
  function named(values) {
    const byAxis = new Map();
    for (const { axis, label } of values) byAxis.set(axis, [...(byAxis.get(axis) || []), label]);
    return [...byAxis].map(([axis, labels]) => `${axis.label.toLowerCase()}: ${labels.join(" · ")}`).join("; ");
  }

  // how many entries, and how many of a list, stand in each cell of two axes, as tables count them
  function crossed(axes, entries, mine, rows, columns) {
    const numbers = new Map();
    const standing = (entry, n) => axes[n].ranked ? entry.cells[n].slice(0, 1) : entry.cells[n];
    for (const entry of entries) {
      for (const row of standing(entry, rows)) {
        for (const column of standing(entry, columns)) {
          const name = `${row}--${column}`.replaceAll(": ", "-"); // as the page of the pair names its cells
          const number = numbers.get(name) || { all: 0, own: 0 };
          number.all += 1;
          if (mine.has(entry)) number.own += 1;
          numbers.set(name, number);
        }
      }
    }
    return numbers;
  }

  // ---------------------------------------------------------------- the page

  const SHOWN = 100; // lines of a list at first; the rest on request
  const LARGEST = 64 * 2 ** 20;

  async function related(root) {
    const status = one("[role=status]", root);
    const findings = one(".findings", root);
    const form = one("form", root);
    const drop = one(".drop", root);
    const paste = one("textarea", root);
    const picker = one("input[type=file]", root);
    let known;
    let marks;
    try {
      const answer = await fetch(root.dataset.works);
      if (!answer.ok) throw new Error(`${answer.status}`);
      known = await answer.json();
      marks = register(known);
    } catch {
      status.textContent = "The survey's list could not be loaded: reload the page to try again.";
      return;
    }
    one("[data-without]", root).remove();
    form.hidden = false;

    // ------------------------------------------------------------ small parts

    const link = (work) => {
      const address = work.kind === "entry" ? `${root.dataset.entries}${work.key}/` : work.kind === "record" ? `${root.dataset.excluded}#${work.key}` : work.url;
      return element("a", { href: address }, work.title);
    };
    const by = (work) => element("span", { class: "work-by" }, work.by);
    const place = (work) => `${work.key || "without a key"}, ${work.file ? `${work.file} ` : ""}line ${work.line}`;
    const chip = (value, ...more) => {
      const node = element("a", { class: `chip${value.own ? "" : value.having.length ? " hollow" : " nobody"}`, href: `${root.dataset.axes}${value.axis.id}/${value.cell.split(": ")[0]}/` }, value.label, ...more);
      node.style.setProperty("--hue", `var(--hue-${value.axis.id}, var(--hue-other))`);
      return node;
    };

    // a list of which a part is shown, and the rest when it is asked for
    function list(items, made) {
      const all = element("ul", { class: "works" }, ...items.slice(0, SHOWN).map(made));
      if (items.length <= SHOWN) return [all];
      const more = element("button", { type: "button", onclick: () => {
        const first = items.slice(SHOWN).map(made);
        all.append(...first);
        more.parentNode.remove();
        first[0].tabIndex = -1;
        first[0].focus();
      } }, `Show ${items.length - SHOWN} more`);
      return [all, element("p", { class: "act" }, more)];
    }

    const section = (title, ...children) => element("section", {}, element("h2", {}, title), ...children);
    const folded = (title, items, made, ...more) => element("details", { class: "more", open: items.length <= 12 }, element("summary", {}, title), ...list(items, made), ...more);

    function saved(text, name) {
      const address = URL.createObjectURL(new Blob([text], { type: "application/x-bibtex;charset=utf-8" }));
      element("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
    }

    const take = (label, entries, name) => element("button", { type: "button", onclick: () => saved(`% ${known.stamp}\n\n${entries.map((entry) => entry.bib).join("\n")}`, name) }, label);

    // ---------------------------------------------------------------- reading

    async function read(files) {
      const large = files.filter((file) => file.size > LARGEST);
      if (large.length) return tell(`${large[0].name} is larger than 64 megabytes: no list of references is. Nothing was read.`);
      try {
        show(await Promise.all(files.map(async (file) => ({ name: file.name, text: textOf(await file.arrayBuffer()) }))));
      } catch {
        tell("The file could not be read: your browser or your system refused it.");
      }
    }

    function tell(message) {
      findings.replaceChildren();
      status.textContent = message;
    }

    function show(sources) {
      const several = sources.length > 1;
      const parts = sources.map(({ name, text }) => ({ file: several ? name : "", ...parsed(text) }));
      const works = parts.flatMap(({ file, found }) => found.map((work) => ({ ...work, file })));
      const unread = parts.flatMap(({ file, unread: some }) => some.map((passage) => ({ ...passage, file })));
      if (!works.length && !unread.length) return tell("There is no BibTeX entry in this: expected something like @article{key, title = {...}}.");
      const all = compared(works, marks);
      const kind = (name) => all.filter((work) => work.known?.kind === name);
      const matched = kind("entry");
      const mine = new Set(matched.map((work) => work.known));
      const axes = coverage(known.axes, known.entries, mine);
      const values = axes.flatMap(({ cells }) => cells).filter(({ having }) => having.length);
      const missed = values.filter(({ own }) => !own);
      const lacking = all.filter((work) => !work.known);
      status.textContent = summary(all.length, mine.size, kind("record").length, kind("background").length, lacking.length, values.length - missed.length, values.length, unread.length);
      findings.replaceChildren(
        ...covered(axes),
        ...crossing(mine),
        ...filled(filling(missed, known.entries.filter((entry) => !mine.has(entry))), missed),
        ...yours(matched, mine),
        ...leftOut(kind("record"), kind("background")),
        ...unknown(lacking),
        ...notRead(unread),
      );
    }

    function summary(all, mine, records, background, lacking, covered, values, unread) {
      const parts = [`the survey has ${mine} among its ${words(known.entries.length, "entry", "entries")}`];
      if (records) parts.push(`left out ${records} after looking at ${records === 1 ? "it" : "them"}`);
      if (background) parts.push(`cites ${background} as background`);
      parts.push(`does not have ${lacking}`);
      const last = parts.pop();
      return `Of ${words(all, "work")} in your list, ${parts.join(", ")} and ${last}. Your list has ${covered} of the ${values} values that occur on ${known.axes.length} axes.${unread ? ` ${words(unread, "passage")} could not be read.` : ""}`;
    }

    // ---------------------------------------------------------------- showing

    function covered(axes) {
      const rows = axes.flatMap(({ label, cells }) => {
        const present = cells.filter(({ having }) => having.length);
        const own = present.filter((value) => value.own);
        return [
          element("dt", {}, label, " ", element("span", { class: "n" }, `${own.length} of ${present.length}`)),
          element("dd", {}, ...cells.flatMap((value) => [value.having.length ? chip(value, ` ${value.own} of ${value.having.length}`) : chip(value, " none in the pool"), " "])),
        ];
      });
      return [section("Value by value", element("p", {}, "How many of the pool's entries with this value your list has. A solid outline: at least one. Dashed: none, so you miss it. Without an outline: no entry of the pool has it."), element("dl", { class: "values" }, ...rows))];
    }

    function crossing(mine) {
      const axes = known.axes;
      if (axes.length < 2) return [];
      const ranked = axes.flatMap(({ ranked: is }, n) => is ? [n] : []);
      const start = ranked.length > 1 ? ranked : [0, 1];
      const told = element("p", { "aria-live": "polite" });
      const wrap = element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Cells of two axes" });
      const choice = (label, n) => {
        const select = element("select", { onchange: () => draw() }, ...axes.map((axis, place) => element("option", { value: place, selected: place === n }, axis.label)));
        return [select, element("label", {}, `${label} `, select)];
      };
      const [rows, rowsLabel] = choice("Rows", start[0]);
      const [columns, columnsLabel] = choice("Columns", start[1]);
      const draw = () => {
        const [down, across] = [axes[rows.value], axes[columns.value]];
        if (down === across) {
          told.textContent = "Choose two different axes.";
          return wrap.replaceChildren();
        }
        const numbers = crossed(axes, known.entries, mine, Number(rows.value), Number(columns.value));
        const pair = `${root.dataset.pairs}${down.id}-by-${across.id}/#`;
        const cellOf = (row, column) => {
          const name = `${row}--${column}`.replaceAll(": ", "-");
          const number = numbers.get(name);
          if (!number) return element("td", { class: "zero" }, "0");
          return element("td", { class: number.own ? "has" : "miss" }, element("a", { href: pair + name }, `${number.own} of ${number.all}`));
        };
        const head = element("tr", {}, element("td"), ...across.cells.map(([, label]) => element("th", { scope: "col" }, label)));
        const body = down.cells.map(([row, label]) => element("tr", {}, element("th", { scope: "row" }, label), ...across.cells.map(([column]) => cellOf(row, column))));
        wrap.replaceChildren(element("table", { class: "pair" }, element("thead", {}, head), element("tbody", {}, ...body)));
        const held = [...numbers.values()];
        told.textContent = `Your list is in ${held.filter(({ own }) => own).length} of the ${words(held.length, "cell")} that hold entries, by first values; ${down.cells.length * across.cells.length - held.length} hold none in the pool itself.`;
      };
      draw();
      return [section("Cell by cell", element("p", { class: "act" }, rowsLabel, columnsLabel), told, wrap)];
    }

    function filled(steps, missed) {
      if (!missed.length) return [section("What you miss", element("p", {}, "Nothing: your list has every value that occurs in the pool."))];
      const short = `${words(steps.length, "entry", "entries")} would add the ${words(missed.length, "value")} that you miss`;
      const each = missed.map((value) => ({ value, entries: value.having }));
      return [section("What you miss",
        element("p", {}, `${short}. They are found by taking again and again the entry that adds most, so fewer might do; whether they belong in your paper is yours to say.`),
        element("ol", { class: "path" }, ...steps.map(({ entry, adds }) => element("li", {}, link(entry), " ", by(entry), element("br"), element("small", {}, `adds ${named(adds)}`)))),
        element("p", { class: "act" }, take(`${steps.length === 1 ? "This" : `These ${steps.length}`} as BibTeX`, steps.map(({ entry }) => entry), "missed.bib")),
        element("details", { class: "more" }, element("summary", {}, `Every entry for each of the ${words(missed.length, "value")}`),
          ...list(each, ({ value, entries }) => element("li", {}, chip(value), " ", ...entries.slice(0, 8).flatMap((entry, n) => [n ? ", " : "", element("a", { href: `${root.dataset.entries}${entry.key}/` }, entry.key)]), entries.length > 8 ? ` and ${entries.length - 8} more` : ""))),
      )];
    }

    function yours(matched, mine) {
      if (!matched.length) return [];
      const twice = matched.length - mine.size;
      return [section("What you have", folded(`${words(mine.size, "entry", "entries")} of the survey${twice ? `, ${twice} of them listed more than once` : ""}`, matched,
        (work) => element("li", {}, link(work.known), " ", by(work.known), element("br"), element("small", {}, `${place(work)}, by ${BY[work.by]}${work.other ? `; your title: ${work.title}` : ""}`)),
        element("p", { class: "act" }, take("These as the survey cites them", [...mine], "matched.bib"))))];
    }

    function leftOut(records, background) {
      const out = [];
      if (records.length) {
        out.push(section("Looked at and left out", ...list(records, (work) => element("li", {}, link(work.known), " ", by(work.known), element("br"), element("small", {}, `${place(work)}, by ${BY[work.by]}. We looked at it and left it out: ${work.known.why}`)))));
      }
      if (background.length) {
        out.push(section("Cited as background", element("p", {}, "The chapters cite these; they are not counted as entries."), ...list(background, (work) => element("li", {}, link(work.known), " ", by(work.known), element("br"), element("small", {}, `${place(work)}, by ${BY[work.by]}`)))));
      }
      return out;
    }

    function unknown(lacking) {
      if (!lacking.length) return [];
      const commands = element("code", {}, lacking.map((work) => `survey new ${nameOf(work)} >> bib/pool.bib`).join("\n"));
      const copy = element("button", { type: "button", onclick: async () => { await navigator.clipboard.writeText(`${commands.textContent}\n`); copy.textContent = "Copied"; setTimeout(() => { copy.textContent = "Copy the commands"; }, 1500); } }, "Copy the commands");
      return [section("What the survey lacks",
        element("p", {}, "Most of these are about other things. One that trains or evaluates a team of language models may belong in the pool: see ", element("a", { href: root.dataset.protocol }, "what is kept"), " and ", element("a", { href: root.dataset.adding }, "how to add an entry"), "."),
        folded(words(lacking.length, "work"), lacking, (work) => element("li", {}, work.title || "(without a title)", element("br"), element("small", {}, place(work)))),
        element("details", { class: "more" }, element("summary", {}, "A command for each"), element("pre", { tabindex: "0" }, commands), element("p", { class: "act" }, copy)),
      )];
    }

    function notRead(unread) {
      if (!unread.length) return [];
      return [section("What could not be read", ...list(unread, ({ file, line, why, text }) => element("li", {}, `${file ? `${file} ` : ""}line ${line}: `, element("code", {}, text), element("br"), element("small", {}, why))))];
    }

    // ------------------------------------------------------- what a reader does

    picker.addEventListener("change", () => { if (picker.files.length) read([...picker.files]); });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (paste.value.trim()) show([{ name: "", text: paste.value }]);
      else { tell("Nothing is pasted yet."); paste.focus(); }
    });
    form.addEventListener("reset", () => tell(""));
    for (const kind of ["dragenter", "dragover"]) {
      drop.addEventListener(kind, (event) => {
        if (!event.dataTransfer.types.includes("Files")) return; // dragged text goes into the box as ever
        event.preventDefault();
        drop.classList.add("over");
      });
    }
    for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      read([...event.dataTransfer.files]);
    });
    if (picker.files.length) read([...picker.files]); // chosen before the script was there
  }

  // an arXiv number if there is one, else the key as survey new takes it
  function nameOf({ arxiv, key }) {
    return arxiv || key.normalize("NFKD").replace(/[^A-Za-z0-9._+-]/g, "").replace(/^[^A-Za-z]+/, "") || "KEY";
  }

  // UTF-8 unless it says or proves to be something else
  function textOf(buffer) {
    const [a, b] = new Uint8Array(buffer, 0, Math.min(2, buffer.byteLength));
    if ((a === 0xFF && b === 0xFE) || (a === 0xFE && b === 0xFF)) return new TextDecoder(a === 0xFF ? "utf-16le" : "utf-16be").decode(buffer);
    try { return new TextDecoder("utf-8", { fatal: true }).decode(buffer); } catch { return new TextDecoder("windows-1252").decode(buffer); }
  }

  // Material runs the scripts of a page again whenever it swaps the page in: this then finds the new one
  for (const root of document.querySelectorAll("[data-related]:not([data-ready])")) {
    root.dataset.ready = "";
    related(root);
  }
})();
