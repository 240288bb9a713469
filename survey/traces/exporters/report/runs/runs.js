// The table of runs: sorted by a click on a column, and sifted. What is chosen is kept in the address.
(() => {
  const table = document.querySelector(".runs");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const sieve = document.querySelector(".sieve");
  const said = sieve.querySelector("output");
  const texts = new Map(rows.map((row) => [row, `${row.cells[0].title} ${row.cells[0].textContent} ${row.cells[row.cells.length - 1].textContent}`.toLowerCase()]));
  const more = document.querySelector(".more");
  const STEP = 200;
  let ordered = rows;
  const value = (row, place) => {
    const cell = row.cells[place];
    const given = cell.dataset.n ?? cell.textContent.trim();
    return cell.classList.contains("number") ? (given === "" ? null : Number(given)) : given;
  };
  const order = { place: -1, down: false };

  const compare = (a, b) => {
    if (a === b) return 0;
    if (a === null || a === "") return 1; // what is not known comes last, whichever way
    if (b === null || b === "") return -1;
    const more = typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
    return order.down ? -more : more;
  };
  const sort = () => {
    const keys = new Map(rows.map((row, place) => [row, order.place < 0 ? place : value(row, order.place)]));
    ordered = rows.toSorted((a, b) => compare(keys.get(a), keys.get(b)));
    body.append(...ordered);
    heads.forEach((head, place) => {
      if (place === order.place) head.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  };
  const fitting = () => {
    const words = sieve.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const outcome = sieve.outcome?.value ?? "";
    return ordered.filter((row) => words.every((word) => texts.get(row).includes(word))
      && (!outcome || row.cells[1].dataset.n === outcome)
      && (!sieve.notable.checked || row.cells[row.cells.length - 1].textContent !== ""));
  };
  // A browser lays out some hundred rows at once, and takes seconds for thousands: the others wait for a click.
  const show = (most = STEP) => {
    const left = fitting();
    const shown = new Set(left.slice(0, most));
    for (const row of rows) row.hidden = !shown.has(row);
    const count = (number) => number.toLocaleString("en");
    said.textContent = left.length === rows.length ? `${count(rows.length)} runs` : `${count(left.length)} of ${count(rows.length)} runs`;
    more.hidden = left.length <= most;
    more.textContent = `Show ${count(Math.min(STEP, left.length - most))} more`;
    more.onclick = () => show(most + STEP);
  };

  const keep = () => {
    const kept = new URLSearchParams();
    if (sieve.text.value) kept.set("text", sieve.text.value);
    if (sieve.outcome?.value) kept.set("outcome", sieve.outcome.value);
    if (sieve.notable.checked) kept.set("notable", "1");
    if (order.place >= 0) kept.set("sort", `${order.down ? "-" : ""}${order.place}`);
    history.replaceState(null, "", `#${kept.size ? `runs?${kept}` : ""}`);
  };
  const recall = () => {
    const kept = new URLSearchParams(location.hash.replace(/^#runs\?/, ""));
    if (!location.hash.startsWith("#runs?")) return;
    sieve.text.value = kept.get("text") ?? "";
    if (sieve.outcome) sieve.outcome.value = kept.get("outcome") ?? "";
    sieve.notable.checked = kept.has("notable");
    const chosen = kept.get("sort") ?? "";
    const place = Number(chosen.replace("-", ""));
    if (chosen && heads[place]) Object.assign(order, { place, down: chosen.startsWith("-") });
  };

  heads.forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => {
      const numbers = head.classList.contains("number");
      if (order.place !== place) Object.assign(order, { place, down: numbers }); // the largest first
      else if (order.down === numbers) order.down = !order.down;
      else order.place = -1; // and the third time as the files are
      sort();
      show();
      keep();
    });
    head.replaceChildren(button);
  });
  sieve.hidden = false;
  sieve.addEventListener("submit", (event) => event.preventDefault());
  sieve.addEventListener("input", () => {
    show();
    keep();
  });
  recall();
  if (order.place >= 0) sort();
  show();
  addEventListener("hashchange", () => {
    recall();
    sort();
    show();
  });
  // What is folded away belongs on paper.
  const opened = [];
  addEventListener("beforeprint", () => {
    show(Infinity);
    for (const closed of document.querySelectorAll("details:not([open])")) {
      closed.open = true;
      opened.push(closed);
    }
  });
  addEventListener("afterprint", () => {
    for (const closed of opened.splice(0)) closed.open = false;
    show();
  });
})();
