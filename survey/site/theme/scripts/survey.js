/* The script of every page: copy buttons, interactive charts, the explorer. Pages are readable without it. */

import { startCharts } from "../../charts/live.js";
import { overview } from "../../charts/overview.js";
import { explorer } from "../../pages/explorer/explorer.js";
import { copyButtons } from "./copying.js";
import { startEach } from "./dom.js";
import { menuButton } from "./menu.js";
import { focusableScrollers } from "./scrolling.js";

function start() {
  setTimeout(focusableScrollers);
  copyButtons();
  startEach("label.md-header__button[for=__drawer]", menuButton);
  startCharts();
  startEach("[data-explorer]", explorer);
  startEach("figure.atlas", overview);
}

// Material swaps page contents without a page load; document$ reports each swap.
if (window.document$) window.document$.subscribe(start);
else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
