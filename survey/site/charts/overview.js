/* The overview diagram: a value that is pointed at or focused keeps its bands, and says with what it goes most often. */

import { all, one } from "../theme/scripts/dom.js";

const TOLD = 3;

export function overview(figure) {
  const said = one("[data-goes-with]", figure);
  const bands = all("[data-ends]", figure).map((path) => ({ path, ends: path.dataset.ends.split(" "), number: Number(path.dataset.number) }));
  const nodes = all("a[data-value]", figure);
  const labels = new Map(nodes.map(({ dataset }) => [dataset.value, dataset.label]));
  const invitation = said.textContent;

  function isolate({ dataset: { value, label } }) {
    figure.dataset.isolated = "";
    const own = bands.filter(({ path, ends }) => path.classList.toggle("own", ends.includes(value)));
    const most = own.sort((a, b) => b.number - a.number).slice(0, TOLD);
    const told = most.map(({ ends, number }) => `${labels.get(ends.find((end) => end !== value))} (${number})`);
    said.textContent = told.length ? `${label} goes most often with ${told.join(", ")}.` : `${label} goes with nothing else here.`;
  }

  function restore() {
    delete figure.dataset.isolated;
    said.textContent = invitation;
  }

  said.hidden = false;
  for (const node of nodes) {
    for (const began of ["pointerenter", "focus"]) node.addEventListener(began, () => isolate(node));
    for (const ended of ["pointerleave", "blur"]) node.addEventListener(ended, restore);
  }
}
