/* Draws the reader's own run into the scale charts, from the report of a trace. The file is read here and sent nowhere. */

import { one, startEach } from "../../theme/scripts/dom.js";

const SVG = "http://www.w3.org/2000/svg";
const share = (number, decades) => Math.min(Math.max(Math.log10(number) / decades, 0), 1);

// Draws a shape into the chart of one quantity; returns false if there is no such chart.
function lay(picture, tag, attributes) {
  const svg = one(`#chart-scale-${picture} svg`);
  const frame = svg?.querySelector(".role-frame > g");
  if (!frame) return false;
  svg.querySelector(".own")?.remove();
  const own = document.createElementNS(SVG, "g");
  own.setAttribute("class", "own");
  const shape = document.createElementNS(SVG, tag);
  const background = frame.querySelector("path.background")?.getBBox();
  for (const [name, v] of Object.entries(attributes(background?.width, background?.height))) shape.setAttribute(name, v);
  own.append(shape);
  frame.append(own);
  return true;
}

function mark(quantity, number, decades, width) {
  const x = share(number, decades) * width;
  return lay(quantity, "line", (_, height) => ({ x1: x, x2: x, y1: 0, y2: height || 170 }));
}

// Draws the run as a ring into the chart of two quantities against each other, if the report has both.
function ring([size, width], reach) {
  if (!(size > 0 && width > 0)) return;
  lay("abreast", "circle", (w, h) => ({ cx: share(size, reach) * w, cy: (1 - share(width, reach)) * h, r: 7 }));
}

async function read(root, file) {
  const said = one("[data-own-said]", root);
  let report;
  try {
    report = JSON.parse((await file.text()).split("\n{")[0]); // the first of several reports
  } catch {
    said.textContent = `${file.name} is not JSON. Expected what "survey trace report run.jsonl --format json" prints.`;
    return;
  }
  if (!report?.measures) {
    said.textContent = `${file.name} is JSON, but not a report of a trace: it has no measures.`;
    return;
  }
  const decades = Number(root.dataset.decades), width = Number(root.dataset.width);
  const measures = JSON.parse(root.dataset.measures); // the measure of a report for each quantity
  const numberOf = (quantity) => report.measures[measures[quantity]]?.value;
  const parts = [];
  for (const quantity of Object.keys(measures)) {
    const number = numberOf(quantity);
    if (!(number > 0)) parts.push(`${quantity}: the report does not say`);
    else if (mark(quantity, number, decades, width)) parts.push(`${quantity}: ${number.toLocaleString("en")}`);
  }
  ring(JSON.parse(root.dataset.pair).map(numberOf), Number(root.dataset.reach));
  said.textContent = `Shown in the charts as a dashed line: ${parts.join("; ")}.`;
}

startEach("[data-own-run]", (root) => {
  root.hidden = false;
  const picker = one("input", root);
  picker.addEventListener("change", () => picker.files.length && read(root, picker.files[0]));
  if (picker.files.length) read(root, picker.files[0]); // chosen before the script was loaded
});
