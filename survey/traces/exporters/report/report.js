// Details of a slice on pointing at it, or with the arrow keys. Without this the drawing's own tooltips
// and the tables say the same.
(() => {
  const scroller = document.querySelector(".scroller");
  const detail = document.getElementById("detail");
  const shapes = [...scroller.querySelectorAll("rect:has(> title), use")];
  const ask = "Point at a slice, or focus the drawing and use the arrow keys. A click, or Enter, chooses the event.";
  if (shapes.length) {
    detail.textContent = ask;
    detail.hidden = false;
  }
  const middle = (shape) => {
    const box = shape.getBoundingClientRect();
    return { left: box.left, x: box.left + box.width / 2, y: box.top + box.height / 2 };
  };
  const slices = shapes.filter((shape) => shape.matches("rect"));
  let current = null;
  const show = (shape) => {
    current?.classList.remove("current");
    current = shape;
    shape?.classList.add("current");
    detail.textContent = shape ? shape.querySelector("title").textContent : ask;
  };
  scroller.addEventListener("pointerover", (event) => {
    const shape = event.target.closest("rect, use");
    if (shape && shapes.includes(shape)) show(shape);
  });
  const nearest = (key) => {
    if (!current || !slices.includes(current)) return slices.toSorted((a, b) => middle(a).y - middle(b).y || middle(a).left - middle(b).left)[0];
    const from = middle(current);
    const sideways = key === "ArrowLeft" || key === "ArrowRight";
    const forwards = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
    let best = null;
    let least = Infinity;
    for (const shape of slices) {
      if (shape === current) continue;
      const at = middle(shape);
      const same = Math.abs(at.y - from.y) < 2;
      const along = (at.left - from.left) * forwards;
      const across = (at.y - from.y) * forwards;
      if (sideways ? !same || along <= 0 : across < 2) continue;
      const far = sideways ? along : across * 1e4 + Math.abs(at.x - from.x);
      if (far < least) [best, least] = [shape, far];
    }
    return best;
  };
  scroller.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(null);
    if (!event.key.startsWith("Arrow") || event.ctrlKey || event.metaKey || event.altKey) return;
    const shape = nearest(event.key);
    if (!shape) return;
    event.preventDefault();
    show(shape);
    shape.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
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
