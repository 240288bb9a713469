// The table of runs: sorted by a click on a column, and sifted. What is chosen is kept in the address.
(() => {
  const table = document.querySelector(".runs");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const sieve = document.querySelector(".sieve");
  const said = sieve.querySelector("output");
  const texts = rows.map((row) => row.textContent.toLowerCase());
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
    body.append(...rows.toSorted((a, b) => compare(keys.get(a), keys.get(b))));
    heads.forEach((head, place) => {
      if (place === order.place) head.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  };
  const sift = () => {
    const words = sieve.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const outcome = sieve.outcome?.value ?? "";
    let left = 0;
    rows.forEach((row, place) => {
      const fits = words.every((word) => texts[place].includes(word))
        && (!outcome || row.cells[1].dataset.n === outcome)
        && (!sieve.notable.checked || row.cells[row.cells.length - 1].textContent !== "");
      row.hidden = !fits;
      left += fits;
    });
    said.textContent = left === rows.length ? `${left.toLocaleString("en")} runs` : `${left.toLocaleString("en")} of ${rows.length.toLocaleString("en")} runs`;
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
      keep();
    });
    head.replaceChildren(button);
  });
  sieve.hidden = false;
  sieve.addEventListener("submit", (event) => event.preventDefault());
  sieve.addEventListener("input", () => {
    sift();
    keep();
  });
  recall();
  if (order.place >= 0) sort();
  sift();
  // What is folded away belongs on paper.
  const opened = [];
  addEventListener("beforeprint", () => {
    for (const closed of document.querySelectorAll("details:not([open])")) {
      closed.open = true;
      opened.push(closed);
    }
  });
  addEventListener("afterprint", () => {
    for (const closed of opened.splice(0)) closed.open = false;
  });
})();
