/* The shim of the offline edition: replaces what a browser does not do for pages opened as files.
   The pages' own scripts are unaware of it. */
(() => {
  "use strict";

  if (location.protocol !== "file:") return;
  const root = new URL("../", document.currentScript.src).href;

  // A browser shows the listing of a folder instead of its page. Links in the pages are complete;
  // this completes the links that scripts create, just before one is used.
  function whole({ target }) {
    const link = target.closest?.("a[href]");
    if (link?.protocol === "file:" && link.pathname.endsWith("/")) link.pathname += "index.html";
  }
  for (const kind of ["pointerdown", "focusin", "contextmenu", "click"]) addEventListener(kind, whole, true);

  // A page opened as a file must not fetch another file. Each file that scripts fetch is stored as a
  // script instead, which puts its text into this object.
  const texts = window.surveyTexts = {};
  const online = window.fetch;
  window.fetch = (asked, ...options) => {
    const { protocol, href } = new URL(asked.url || asked, location.href);
    if (protocol !== "file:") return online(asked, ...options);
    const address = href.split(/[?#]/)[0];
    const name = decodeURI(address.slice(root.length));
    return new Promise((answer, refuse) => {
      const script = document.createElement("script");
      script.src = `${address}.js`;
      script.onload = () => { script.remove(); answer(new Response(texts[name])); };
      script.onerror = () => { script.remove(); refuse(new TypeError(`${name} is not in this folder`)); };
      document.head.append(script);
    });
  };

  // Nor may it start a worker from a file: the search worker runs in a frame of the page.
  const Threaded = window.Worker;
  window.Worker = class extends EventTarget {
    constructor(address, options) {
      if (String(address).startsWith("blob:")) return new Threaded(address, options);
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "Search";
      document.body.append(frame);
      this.inside = frame.contentWindow;
      const page = this.inside.document;
      page.open();
      page.close();
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = new Promise((started, failed) => {
        const script = page.createElement("script");
        script.src = address;
        script.onload = started;
        script.onerror = failed;
        page.head.append(script);
      });
    }

    async postMessage(data) {
      await this.ready;
      this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
})();
