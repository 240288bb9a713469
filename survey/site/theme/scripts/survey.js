/* The script of every page: copy buttons, live charts, the explorer. Each page can be read without it. */

import { startCharts } from "../../charts/live.js";
import { explorer } from "../../pages/explorer/explorer.js";
import { copyButtons } from "./copying.js";
import { startEach } from "./dom.js";
import { focusableScrollers } from "./scrolling.js";

function start() {
  setTimeout(focusableScrollers);
  copyButtons();
  startCharts();
  startEach("[data-explorer]", explorer);
}

// Material swaps the content of pages without loading them; document$ reports each swap.
if (window.document$) window.document$.subscribe(start);
else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
