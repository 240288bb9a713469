// What the whole report needs of a script.
(() => {
  // A link to a definition opens it.
  const open = () => {
    const closed = document.getElementById(location.hash.slice(1))?.closest("details:not([open])");
    if (!closed) return;
    closed.open = true;
    closed.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
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
