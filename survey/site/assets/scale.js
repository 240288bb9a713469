/* Lays a run of the reader's own over the pictures of scale: from the report of a trace, read here and sent nowhere. */
(() => {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg";
  // which measure of a report belongs to which picture
  const MEASURES = { agents: "agents", steps: "steps", parallel: "sub_agents_at_once" };

  function mark(quantity, number, decades, width) {
    const svg = document.querySelector(`#chart-scale-${quantity} svg`);
    const frame = svg?.querySelector(".role-frame > g");
    if (!frame) return false;
    svg.querySelector(".own")?.remove();
    const x = Math.min(Math.max(Math.log10(number) / decades, 0), 1) * width;
    const own = document.createElementNS(SVG, "g");
    own.setAttribute("class", "own");
    const height = frame.querySelector("path.background")?.getBBox().height || 170;
    const line = document.createElementNS(SVG, "line");
    for (const [name, v] of [["x1", x], ["x2", x], ["y1", 0], ["y2", height]]) line.setAttribute(name, v);
    own.append(line);
    frame.append(own);
    return true;
  }

  async function read(root, file) {
    const said = root.querySelector("[data-own-said]");
    let report;
    try {
      report = JSON.parse((await file.text()).split("\n{")[0]); // of several reports, the first
    } catch {
      said.textContent = `${file.name} is not JSON. Expected what "survey trace report run.jsonl --format json" prints.`;
      return;
    }
    if (!report?.measures) {
      said.textContent = `${file.name} is JSON, but no report of a trace: it has no measures.`;
      return;
    }
    const decades = Number(root.dataset.decades), width = Number(root.dataset.width);
    const parts = [];
    for (const [quantity, name] of Object.entries(MEASURES)) {
      const number = report.measures[name]?.value;
      if (!(number > 0)) parts.push(`${quantity}: the report does not say`);
      else if (mark(quantity, number, decades, width)) parts.push(`${quantity}: ${number.toLocaleString("en")}`);
    }
    said.textContent = `Laid over the pictures as a dashed line: ${parts.join("; ")}.`;
  }

  // Material runs the scripts of a page again whenever it swaps the page in: this then finds the new one
  for (const root of document.querySelectorAll("[data-own-run]:not([data-ready])")) {
    root.dataset.ready = "";
    root.hidden = false;
    const picker = root.querySelector("input");
    picker.addEventListener("change", () => picker.files.length && read(root, picker.files[0]));
    if (picker.files.length) read(root, picker.files[0]); // chosen before the script was there
  }
})();
