// The events of the run: a list to search and sift, and the chosen event with its causes and effects.
// Only the rows in sight are in the page. What is chosen is kept in the address.
(() => {
  const section = document.querySelector(".explorer");
  const store = document.getElementById("run-events");
  const sieve = section.querySelector(".sieve");
  const said = sieve.querySelector("output");
  const list = section.querySelector(".list");
  const all = section.querySelector(".all");
  const panel = section.querySelector(".event");
  const count = run.ids.length;
  const ROW = 26;
  const LINKS = 40;
  const { agents, activities, types, statuses, links, kinds } = run.names;
  const numbers = (number) => number.toLocaleString("en");
  const made = (name, text, kind = "") => {
    const element = document.createElement(name);
    if (kind) element.className = kind;
    element.append(text ?? "");
    return element;
  };

  const recorded = (place) => {
    const causes = run.causes[place] || [];
    return Array.from({ length: causes.length / 2 }, (_, k) => [place - causes[2 * k], links[causes[2 * k + 1]]]);
  };
  // what follows from each event, and what the same agent did before
  const effects = Array.from({ length: count }, () => []);
  const before = new Array(count).fill(-1);
  const last = new Map();
  for (let place = 0; place < count; place++) {
    for (const [cause, link] of recorded(place)) effects[cause].push([place, link]);
    before[place] = last.get(run.agents[place]) ?? -1;
    last.set(run.agents[place], place);
  }
  const linked = (found, own) => (own < 0 || found.some(([place]) => place === own) ? found : [...found, [own, "same agent"]]);
  const causesOf = (place) => linked(recorded(place), before[place]);
  const next = new Map();
  before.forEach((earlier, place) => next.set(earlier, place));
  const effectsOf = (place) => linked(effects[place], next.get(place) ?? -1);

  let texts = null;
  const textOf = (place) => {
    texts ??= run.ids.map((id, at) => [id, agents[run.agents[at]], activities[run.activities[at]], types[run.types[at]],
      statuses[run.statuses[at]], ...(run.facts[at] || [])].join("\n").toLowerCase());
    return texts[place];
  };

  let fitting = [];
  let chosen = -1;
  const sift = () => {
    const words = sieve.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const agent = Number(sieve.agent.value || -1);
    const activity = Number(sieve.activity.value || -1);
    fitting = [];
    for (let place = 0; place < count; place++) {
      if (agent >= 0 && run.agents[place] !== agent) continue;
      if (activity >= 0 && run.activities[place] !== activity) continue;
      if (sieve.failed.checked && run.statuses[place] === run.ok) continue;
      if (sieve.path.checked && !run.path[place]) continue;
      if (words.length && !words.every((word) => textOf(place).includes(word))) continue;
      fitting.push(place);
    }
    said.textContent = fitting.length === count ? `${numbers(count)} events` : `${numbers(fitting.length)} of ${numbers(count)} events`;
    all.style.height = `${fitting.length * ROW}px`;
    all.replaceChildren();
    rows.clear();
    draw();
    mark();
  };

  const row = (index) => {
    const place = fitting[index];
    const element = made("div");
    element.id = `event-${place}`;
    element.setAttribute("role", "option");
    element.setAttribute("aria-selected", place === chosen);
    element.setAttribute("aria-posinset", index + 1);
    element.setAttribute("aria-setsize", fitting.length);
    element.style.top = `${index * ROW}px`;
    element.classList.toggle("on-path", Boolean(run.path[place]));
    element.classList.toggle("not-ok", run.statuses[place] !== run.ok);
    const what = `${named(place)}${run.statuses[place] === run.ok ? "" : `, ${statuses[run.statuses[place]]}`}`;
    element.append(made("span", run.at[place], "at"), made("i", "", kinds[run.kinds[place]]),
      made("span", agents[run.agents[place]], "who"), made("span", what, "what"), made("span", run.took[place], "took"));
    return element;
  };
  const rows = new Map(); // the rows in sight, and a few around them
  const draw = () => {
    const first = Math.max(Math.floor(list.scrollTop / ROW) - 8, 0);
    const end = Math.min(Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 8, fitting.length);
    for (const [index, element] of rows) {
      if (index >= first && index < end) continue;
      element.remove();
      rows.delete(index);
    }
    for (let index = first; index < end; index++) {
      if (rows.has(index)) continue;
      rows.set(index, row(index));
      all.append(rows.get(index));
    }
  };
  const mark = () => {
    for (const element of rows.values()) element.setAttribute("aria-selected", element.id === `event-${chosen}`);
    if (document.getElementById(`event-${chosen}`)) list.setAttribute("aria-activedescendant", `event-${chosen}`);
    else list.removeAttribute("aria-activedescendant");
  };

  const tokens = (spent) => (Array.isArray(spent)
    ? spent.map((amount, kind) => amount && `${numbers(amount)} ${run.names.tokens[kind]}`).filter(Boolean).join(", ")
    : numbers(spent));

  const following = (title, found) => {
    const parts = [made("h4", title)];
    if (!found.length) return [...parts, made("p", "None in this trace.", "source")];
    const buttons = found.slice(0, LINKS).map(([place, link]) => {
      const button = made("button", `${run.at[place]} ${agents[run.agents[place]]}: ${named(place)}`);
      button.type = "button";
      button.addEventListener("click", () => choose(place));
      const item = made("li", button);
      item.append(made("small", link.replaceAll("_", " ")));
      return item;
    });
    const items = made("ul");
    items.append(...buttons);
    const rest = found.length - buttons.length;
    return [...parts, items, ...(rest ? [made("p", `${numbers(rest)} more.`, "source")] : [])];
  };
  const tell = () => {
    choice.dispatchEvent(new CustomEvent("chosen", { detail: chosen }));
    if (chosen < 0) {
      panel.replaceChildren(made("p", "No event is chosen.", "source"));
      return;
    }
    const facts = made("dl");
    const add = (term, value, kind = "") => facts.append(made("dt", term), made("dd", value, kind));
    add("Agent", agents[run.agents[chosen]]);
    add("Type", types[run.types[chosen]].replaceAll("_", " "));
    add(store.dataset.since === "event" ? "Number" : "From", store.dataset.since === "event" ? run.at[chosen] : `${run.at[chosen]} (${store.dataset.since})`);
    if (run.took[chosen]) add("Time", run.took[chosen]);
    add("Critical path", run.path[chosen] ? `${run.path[chosen]} of it` : "not on it");
    add("Status", statuses[run.statuses[chosen]], run.statuses[chosen] === run.ok ? "" : "bad");
    if (run.tokens[chosen]) add("Tokens", tokens(run.tokens[chosen]));
    const more = run.facts[chosen] || [];
    for (let k = 0; k < more.length; k += 2) add(more[k], more[k + 1], ["Text", "Error", "Judged"].includes(more[k]) ? "text" : "");
    add("Event", run.ids[chosen]);
    panel.replaceChildren(made("h3", named(chosen)), facts,
      ...following("Had to wait for", causesOf(chosen)), ...following("Then", effectsOf(chosen)));
    panel.scrollTop = 0;
  };

  const reveal = () => {
    const index = fitting.indexOf(chosen);
    if (index < 0) return;
    const top = index * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
  };
  const keep = () => {
    const kept = new URLSearchParams();
    for (const name of ["text", "agent", "activity"]) {
      const value = name === "text" ? sieve.text.value : sieve[name].selectedOptions[0].dataset.name;
      if (value) kept.set(name, value);
    }
    for (const name of ["failed", "path"]) if (sieve[name].checked) kept.set(name, "1");
    if (chosen >= 0) kept.set("event", run.ids[chosen]);
    try {
      history.replaceState(null, "", `#events${kept.size ? `?${kept}` : ""}`);
    } catch {
      // a frame without an address of its own keeps nothing
    }
  };
  const choose = (place) => {
    chosen = place;
    reveal();
    draw();
    mark();
    tell();
    keep();
  };

  const option = (value, text, name) => {
    const element = made("option", text);
    element.value = value;
    element.dataset.name = name;
    return element;
  };
  const tally = (column, size) => {
    const found = new Array(size).fill(0);
    for (const value of column) found[value]++;
    return found;
  };
  const acts = tally(run.agents, agents.length);
  sieve.agent.append(...agents.map((name, place) => option(place, `${"\u00a0\u00a0".repeat(run.depths[place])}${name} (${numbers(acts[place])})`, name)));
  const often = tally(run.activities, activities.length);
  sieve.activity.append(...activities.map((name, place) => [name, place]).sort((a, b) => often[b[1]] - often[a[1]] || a[0].localeCompare(b[0]))
    .map(([name, place]) => option(place, `${name} (${numbers(often[place])})`, name)));

  const recall = () => {
    const address = location.hash;
    const kept = new URLSearchParams(address.startsWith("#events?") ? address.slice(8) : "");
    sieve.text.value = kept.get("text") ?? "";
    for (const name of ["agent", "activity"]) {
      const found = [...sieve[name].options].find((one) => one.dataset.name === kept.get(name));
      sieve[name].value = found ? found.value : "";
    }
    for (const name of ["failed", "path"]) sieve[name].checked = kept.has(name);
    chosen = kept.has("event") ? run.ids.indexOf(kept.get("event")) : -1;
    sift();
    reveal();
    draw();
    mark();
    tell();
    if (kept.size) section.scrollIntoView();
  };

  list.addEventListener("scroll", () => requestAnimationFrame(() => {
    draw();
    mark();
  }));
  list.addEventListener("click", (event) => {
    const element = event.target.closest("[role=option]");
    if (element) choose(Number(element.id.slice(6)));
  });
  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !fitting.length) return;
    const page = Math.max(Math.floor(list.clientHeight / ROW) - 1, 1);
    const here = fitting.indexOf(chosen);
    const to = { ArrowDown: here + 1, ArrowUp: here < 0 ? 0 : here - 1, PageDown: here + page, PageUp: here - page, Home: 0, End: fitting.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(fitting[Math.min(Math.max(to, 0), fitting.length - 1)]);
  });
  sieve.addEventListener("submit", (event) => event.preventDefault());
  sieve.addEventListener("input", () => {
    list.scrollTop = 0;
    sift();
    keep();
  });
  choice.addEventListener("choose", ({ detail }) => choose(detail));

  section.hidden = false;
  document.querySelector("nav [href='#events']").hidden = false;
  recall();
  addEventListener("hashchange", () => {
    if (location.hash.startsWith("#events?")) recall();
  });
})();
