/* In the copy of the site that is opened from a file manager: what a browser does not do for files.
   The pages' own scripts do not know of it. */
(() => {
  "use strict";

  if (location.protocol !== "file:") return;
  const root = new URL("../", document.currentScript.src).href;

  // A browser shows the listing of a folder and not the page in it. Links in the pages are whole;
  // this is for those that scripts make, just before one is used.
  function whole({ target }) {
    const link = target.closest?.("a[href]");
    if (link?.protocol === "file:" && link.pathname.endsWith("/")) link.pathname += "index.html";
  }
  for (const kind of ["pointerdown", "focusin", "contextmenu", "click"]) addEventListener(kind, whole, true);

  // A page from a file may not fetch another. Each file that a script asks for lies here as a
  // script as well, which leaves its text in this object.
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

  // Nor may it start a worker: the one that searches runs in a frame of the page.
  window.Worker = class extends EventTarget {
    constructor(address) {
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
