/* Opens logs in the browser: loads Python and the toolkit once, seals the page, and shows what the worker answers. */

import { all, element, one, startEach, words } from "../../../theme/scripts/dom.js";
import { saveText } from "../../../theme/scripts/files.js";
import { chosen, dropped } from "./picking.js";
import { loaded, totals } from "./archives.js";
import { Toolkit } from "./toolkit.js";

// Added to the policy of the page before a log is opened; a page cannot take it back. The worker inherits it.
const SEALED = "connect-src 'none'; script-src 'wasm-unsafe-eval'; worker-src blob:; img-src data:; form-action 'none'";

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

function seal() {
  if (one("meta[data-sealed]")) return;
  document.head.append(element("meta", { "http-equiv": "Content-Security-Policy", content: SEALED, "data-sealed": "" }));
  document.documentElement.dataset.sealed = ""; // Material's search could not load its index any more
}

class Page {
  constructor(root) {
    this.root = root;
    this.parts = Object.fromEntries(["without", "drop", "said", "busy", "troubles", "runs", "report", "frame", "size"].map((name) => [name, one(`[data-${name}]`, root)]));
    this.folder = new URL(root.dataset.archives + "/", location.href);
    this.shown = null;
  }

  say(text) { this.parts.said.textContent = text; }

  progress(share) {
    const bar = one("progress", this.parts.busy);
    if (share === undefined) bar.removeAttribute("value"); else bar.value = share;
  }

  async start() {
    try {
      const bytes = await totals(this.folder);
      this.parts.size.textContent = `Loads Python and the toolkit when the first log is opened: ${megabytes(bytes)}.`;
    } catch {
      one("p", this.parts.without).prepend("This copy of the site was built without Python for browsers. ");
      return;
    }
    this.parts.without.hidden = true;
    this.parts.drop.hidden = false;
    one("[data-folder]", this.root).webkitdirectory = true; // no attribute of the standard
    for (const input of all("[data-files]", this.root)) input.addEventListener("change", () => this.open(chosen(input)));
    for (const button of all("[data-example]", this.root)) button.addEventListener("click", () => this.openExample(button.dataset.example));
    for (const button of all("[data-save]", this.root)) button.addEventListener("click", () => this.save(button));
    one("[data-stop]", this.root).addEventListener("click", () => this.toolkit?.end("Stopped."));
    const drop = this.parts.drop;
    drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop", async (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      this.open(await dropped(event.dataTransfer));
    });
  }

  // Does one thing at a time, shows that it is at work, and says why it failed.
  async busy(text, work) {
    if (!this.parts.busy.hidden) return;
    this.say(text);
    this.progress();
    this.parts.busy.hidden = false;
    this.root.setAttribute("aria-busy", "true");
    try {
      await work();
    } catch (error) {
      this.say(error.message);
    } finally {
      this.parts.busy.hidden = true;
      this.root.removeAttribute("aria-busy");
    }
  }

  async ready() {
    if (!this.files) {
      this.say("Loading Python and the toolkit …");
      this.files = await loaded(this.folder, (share) => this.progress(share));
      this.progress();
    }
    seal();
    this.toolkit ||= new Toolkit(this.files);
    this.say("Starting Python …");
    await this.toolkit.started();
  }

  openExample(name) {
    return this.busy("Loading …", async () => {
      await this.ready();
      await this.read([{ path: name, file: new Blob([this.files[name]]) }]);
    });
  }

  open(files) {
    if (!files.length) {
      this.say("Nothing was chosen, or the folder is empty.");
      return undefined;
    }
    return this.busy("Loading …", async () => {
      await this.ready();
      await this.read(files);
    });
  }

  async read(files) {
    const size = files.reduce((sum, { file }) => sum + file.size, 0);
    this.say(`Reading ${words(files.length, "file")}, ${megabytes(size)} …`);
    this.parts.report.hidden = this.parts.runs.hidden = this.parts.troubles.hidden = true;
    // a folder is opened whole, since its files may belong together
    const paths = [...new Set(files.map(({ path }) => path.split("/")[0]))];
    const rows = await this.toolkit.ask("open", { files, paths });
    const runs = rows.filter((row) => "trace" in row), troubles = rows.filter((row) => "trouble" in row);
    this.parts.troubles.replaceChildren(...troubles.map((row) => element("li", {}, row.trouble)));
    this.parts.troubles.hidden = !troubles.length;
    this.parts.runs.hidden = runs.length < 2;
    one("tbody", this.parts.runs).replaceChildren(...runs.map((row) => this.line(row)));
    if (runs.length) await this.show(runs[0]);
    const importers = [...new Set(runs.map((row) => row.importer).filter(Boolean))];
    this.say(runs.length ? `${words(runs.length, "run")}${importers.length ? ` (${importers.join(", ")})` : ""}.` : "No run was found.");
  }

  line(row) {
    const open = () => this.busy(`Measuring ${row.id} …`, async () => { await this.show(row); this.say(`Shown: ${row.id}.`); });
    const number = (value) => element("td", { class: "number" }, value.toLocaleString("en"));
    return element("tr", { "data-run": row.trace },
      element("th", { scope: "row" }, element("button", { type: "button", onclick: open }, row.id)),
      number(row.agents), number(row.events), number(row.errors), number(row.warnings));
  }

  async show(row) {
    this.say(`Measuring ${row.id} …`);
    const report = await this.toolkit.ask("save", { trace: row.trace, format: "html" });
    this.shown = { row, report };
    for (const line of all("tr[data-run]", this.parts.runs)) line.toggleAttribute("aria-current", Number(line.dataset.run) === row.trace);
    this.parts.report.hidden = false;
    this.parts.frame.contentWindow.postMessage(new TextDecoder().decode(report), "*");
  }

  save({ dataset: { save: format, ending } }) {
    const { row, report } = this.shown;
    const name = `${row.id.replace(/[^\w.-]+/g, "-").slice(0, 60)}${ending}`;
    return this.busy(`Writing ${name} …`, async () => {
      const bytes = format === "html" ? report : await this.toolkit.ask("save", { trace: row.trace, format });
      saveText(bytes, name, ending.endsWith("html") ? "text/html" : "application/json");
      this.say(`Saved ${name}.`);
    });
  }
}

startEach("[data-open-log]", (root) => new Page(root).start());
