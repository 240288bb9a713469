/* Interactive charts: the specification and the runtime are loaded on request. */

import { element, one, startEach } from "../theme/scripts/dom.js";

// The placeholder colours of survey/site/charts/drawing.py, and the palette variables that replace them.
const STAND_INS = {
  "#010101": "--ink", "#020202": "--muted", "#030303": "--rule", "#040404": "--paper", "#050505": "--hue", "#060606": "--teal", "#070707": "--rust",
  "#080808": "--violet", "#090909": "--green", "#0a0a0a": "--crimson", "#0b0b0b": "--ochre",
};
let runtime;

function loadRuntime(address) {
  runtime ||= new Promise((resolve, reject) => {
    document.head.append(element("script", { src: address, onload: () => resolve(window.surveyChart), onerror: reject }));
  });
  return runtime;
}

async function draw(picture, embed, text, address) {
  const style = getComputedStyle(picture);
  const coloured = text.replace(/"(#0[1-9ab]0[1-9ab]0[1-9ab])"/g, (_, colour) => JSON.stringify(style.getPropertyValue(STAND_INS[colour]).trim() || colour));
  const spec = JSON.parse(coloured);
  for (const row of spec.data.values) if (row.href) row.href = new URL(row.href, address).href;
  picture.removeAttribute("role");
  picture.dataset.live = "";
  await embed(picture, spec, { actions: false, renderer: "svg", ast: true, defaultStyle: false, tooltip: { disableDefaultStyle: true } }); // no style elements, no eval: the policy of the site forbids both
}

// Draws the chart, and draws it again whenever the reader changes the palette.
async function makeLive(picture) {
  const address = new URL(picture.dataset.spec, location.href);
  const [embed, text] = await Promise.all([loadRuntime(new URL(picture.dataset.runtime, location.href)), fetch(address).then((answer) => answer.text())]);
  await draw(picture, embed, text, address);
  new MutationObserver(() => document.contains(picture) && draw(picture, embed, text, address)).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
}

async function turnOn(picture, button) {
  button.disabled = true;
  try {
    await makeLive(picture);
    button.remove();
  } catch {
    button.textContent = "The chart stays static: its script could not be loaded";
  }
}

export function startCharts() {
  startEach("[data-spec]", (picture) => {
    const button = element("button", { type: "button", onclick: () => turnOn(picture, button) }, "Make it interactive");
    one("figcaption", picture.closest("figure")).after(element("p", { class: "act turn" }, button));
  });
}
