// The drawing on a canvas: all slices, at any width. It takes its lines and signs from the drawing, which stays for paper
// and for readers without scripts.
(() => {
  const frame = document.querySelector(".frame");
  const scroller = frame.querySelector(".scroller");
  const svg = scroller.querySelector(".plane > svg");
  const detail = document.getElementById("detail");
  const { lefts, widths, gaps, gapKinds, times, places, folds, top, row, bar, lanes, timed } = run.drawing;
  const WHOLE = 20000;
  const CLOSEST = 20; // units of the axis across the screen
  const MARGIN = 12; // pixels at the end of the axis, for the signs there
  const height = Number(svg.getAttribute("height"));
  const made = (name) => {
    const canvas = document.createElement("canvas");
    canvas.className = name;
    scroller.append(canvas);
    return canvas;
  };
  const canvas = made("lanes");
  const overview = made("overview idle");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", svg.getAttribute("aria-label"));
  overview.setAttribute("aria-hidden", "true");
  scroller.setAttribute("aria-describedby", "lanes-help");
  canvas.style.height = `${height}px`;
  frame.classList.add("drawn");

  // ------------------------------------------------------------------ what is drawn

  const inLane = Array.from({ length: lanes }, () => []);
  for (const [lane, left, width, kind, title, place] of gaps) inLane[lane].push({ lane, left: left / 100, right: (left + width) / 100, kind: gapKinds[kind], title, place });
  const ofEvent = new Map();
  run.ids.forEach((_, place) => {
    if (widths[place] < 0 || run.agents[place] >= lanes) return;
    const left = lefts[place] / 100;
    const slice = { lane: run.agents[place], left, right: left + widths[place] / 100, kind: run.names.kinds[run.kinds[place]], place };
    inLane[slice.lane].push(slice);
    ofEvent.set(place, slice);
  });
  for (const own of inLane) own.sort((a, b) => a.left - b.left);
  for (const own of inLane) for (const slice of own) if (slice.title && slice.place >= 0) ofEvent.set(slice.place, slice);
  const middle = (lane) => top + row * (lane + 0.5);
  const THIN = { waiting: 4, asked: 2, permission: 4, idle: 1 };
  const tall = (kind) => THIN[kind] ?? bar;
  const told = (slice) => {
    if (slice.title) return slice.title;
    const { place } = slice;
    const status = run.names.statuses[run.statuses[place]];
    return `${run.names.agents[slice.lane]}: ${[named(place), run.took[place], status === "ok" ? "" : status,
      run.path[place] ? "on the critical path" : ""].filter(Boolean).join(", ")} (${run.ids[place]})`;
  };
  const outline = (name) => new Path2D(svg.querySelector(`path.${name}`)?.getAttribute("d") ?? "");
  const LINES = [["hands", "--muted", 1, []], ["returns", "--muted", 1, [2, 2]], ["messages", "--accent", 1, []]]
    .map(([name, ...look]) => [outline(name), ...look]);
  const PATH = [["thread", "--path", 1, []], ["weight", "--path", 3.5, []]].map(([name, ...look]) => [outline(name), ...look]);
  const curve = outline("curve");
  const shape = (id) => new Path2D(svg.querySelector(`defs path#${id}`).getAttribute("d"));
  const round = (radius) => {
    const path = new Path2D();
    path.arc(0, 0, radius, 0, 2 * Math.PI);
    return path;
  };
  const SIGNS = {
    arrival: [round(2.4), "--muted", true], failed: [shape("failed"), "--bad", false], person: [shape("person"), "--person", true],
    guard: [shape("guard"), "--bad", true], labelled: [round(7), "--bad", false],
  };
  const signs = [...svg.querySelectorAll("use")].map((use) => ({
    x: Number.parseFloat(use.getAttribute("x")) * WHOLE / 100, y: Number(use.getAttribute("y")),
    kind: use.getAttribute("href").slice(1), title: use.querySelector("title").textContent,
  }));

  // ------------------------------------------------------------------ the part in sight

  let from = 0;
  let to = WHOLE;
  let width = 0; // in pixels, from the one to the other
  let end = WHOLE; // the last unit in sight
  const x = (unit) => ((unit - from) / (to - from)) * width;
  const unit = (pixel) => from + (pixel / width) * (to - from);
  const show = (left, span) => {
    const wide = Math.min(Math.max(span, CLOSEST), WHOLE);
    from = Math.min(Math.max(left, 0), WHOLE - wide);
    to = from + wide;
    const factor = WHOLE / wide;
    for (const radio of document.querySelectorAll(".zoom")) radio.checked = Number(radio.id.slice(5)) === Math.round(factor * 1000) / 1000;
    overview.classList.toggle("idle", wide === WHOLE);
    draw();
  };
  const zoom = (factor, at = (from + to) / 2) => show(at - (at - from) / factor, (to - from) / factor);
  const focus = () => (current?.kind in KINDS ? current : ofEvent.get(chosen))?.left; // what stays in its place
  const move = (units) => show(from + units, to - from);
  const bring = (slice) => {
    if (slice.right < from || slice.left > to) move((slice.left + slice.right - from - to) / 2);
  };

  // ------------------------------------------------------------------ the axis

  const LADDER = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 43200, 86400, 172800, 604800];
  const whole = times[times.length - 1];
  const along = (value, these, those) => {
    let k = these.findIndex((bound) => bound > value) - 1;
    if (k < 0) k = value <= these[0] ? 0 : these.length - 2;
    const span = these[k + 1] - these[k];
    return span ? those[k] + ((value - these[k]) / span) * (those[k + 1] - those[k]) : those[k];
  };
  const two = (number) => String(number).padStart(2, "0");
  const clock = (seconds, step) => {
    const digits = step < 1 ? Math.ceil(-Math.log10(step)) : 0;
    if (!timed) return Math.round(seconds).toLocaleString("en");
    if (whole < 100) return seconds.toFixed(digits);
    const rounded = Number(seconds.toFixed(digits));
    const rest = (rounded % 60).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
    const minutes = Math.floor(rounded / 60);
    return whole < 3600 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
  };
  const ticks = () => {
    const widest = Math.max(...places.slice(1).map((place, k) => (place - places[k]) / (times[k + 1] - times[k] || 1)));
    const pixels = (widest * width) / (to - from); // of a second where nothing is folded
    const ladder = timed ? LADDER : LADDER.filter((step) => step >= 1);
    const step = ladder.find((one) => one * pixels >= 80) ?? whole;
    const found = [];
    const last = along(Math.min(end, WHOLE), places, times);
    for (let k = Math.ceil(along(from, places, times) / step - 1e-9); k * step <= last + 1e-9 && found.length < 200; k++) {
      const at = x(along(k * step, times, places));
      if (found.length && at - found[found.length - 1][0] < 60) continue;
      if (folds.some(([left, wide]) => at > x(left) + 1 && at < x(left + wide) - 1)) continue;
      found.push([at, clock(k * step, step)]);
    }
    return found;
  };

  // ------------------------------------------------------------------ drawing

  let colours = {};
  const colour = (name) => (colours[name] ??= getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  const KINDS = { waiting: ["--rule"], asked: ["--person", 0.55], permission: ["--person", 0.3], idle: ["--rule"], model: ["--model"], tool: ["--tool"], other: ["--other"] };
  let current = null; // what is pointed at: a slice or a sign
  let chosen = -1;
  const sized = (element, tallness) => {
    const scale = devicePixelRatio * tallness > 16000 ? 1 : devicePixelRatio;
    const [wide, high] = [Math.round(element.clientWidth * scale), Math.round(tallness * scale)];
    if (element.width !== wide || element.height !== high) Object.assign(element, { width: wide, height: high });
    const pen = element.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, element.clientWidth, tallness);
    return pen;
  };
  const stroke = (pen, [path, name, wide, dashes]) => {
    const placed = new Path2D();
    placed.addPath(path, new DOMMatrix([width / (to - from), 0, 0, 1, x(0), 0]));
    pen.strokeStyle = colour(name);
    pen.lineWidth = wide;
    pen.setLineDash(dashes);
    pen.stroke(placed);
    pen.setLineDash([]);
  };
  // One lane: of slices within a pixel, one is drawn.
  const strip = (pen, own, y, thin) => {
    const until = {};
    for (const slice of own) {
      if (slice.right < from || slice.left > end || (slice.kind in THIN) !== thin) continue;
      const left = Math.max(x(slice.left), -2);
      const right = Math.min(Math.max(x(slice.right), left + 1), width + MARGIN + 2);
      if (right <= (until[slice.kind] ?? -9)) continue;
      const start = Math.max(left, until[slice.kind] ?? -9);
      until[slice.kind] = right;
      const [name, alpha = 1] = KINDS[slice.kind];
      pen.globalAlpha = alpha;
      pen.fillStyle = colour(name);
      pen.fillRect(start, y - tall(slice.kind) / 2, right - start, tall(slice.kind));
    }
    pen.globalAlpha = 1;
  };
  const framed = (pen, slice, wide) => {
    const [left, right, high] = [x(slice.left), Math.max(x(slice.right), x(slice.left) + 2), Math.max(tall(slice.kind), 4)];
    pen.strokeStyle = colour("--ink");
    pen.lineWidth = wide;
    pen.strokeRect(left - 1, middle(slice.lane) - high / 2 - 1, right - left + 2, high + 2);
  };
  const paint = () => {
    queued = 0;
    width = canvas.clientWidth - MARGIN;
    if (width <= 0) return;
    end = unit(canvas.clientWidth);
    const pen = sized(canvas, height);
    const bottom = height - 24;
    for (const [left, wide] of folds) hatched(pen, x(left), x(left + wide), bottom);
    const marks = ticks();
    pen.fillStyle = colour("--hair");
    for (const [at] of marks) pen.fillRect(Math.round(at), 24, 1, bottom - 24);
    for (let lane = 0; lane < lanes; lane++) pen.fillRect(0, Math.round(middle(lane)), x(WHOLE), 1);
    const area = new Path2D();
    area.addPath(curve, new DOMMatrix([width / (to - from), 0, 0, 1, x(0), 0]));
    pen.globalAlpha = 0.75;
    pen.fillStyle = colour("--other");
    pen.fill(area);
    pen.globalAlpha = lanes > 40 ? 0.3 : 1;
    for (const line of LINES) stroke(pen, line);
    pen.globalAlpha = 1;
    inLane.forEach((own, lane) => strip(pen, own, middle(lane), true));
    inLane.forEach((own, lane) => strip(pen, own, middle(lane), false));
    for (const line of PATH) stroke(pen, line);
    for (const sign of signs) {
      if (sign.x < from || sign.x > end) continue;
      const [path, name, filled] = SIGNS[sign.kind];
      pen.save();
      pen.translate(x(sign.x), sign.y);
      pen.fillStyle = pen.strokeStyle = colour(name);
      pen.lineWidth = 2;
      if (filled) pen.fill(path);
      else pen.stroke(path);
      pen.restore();
    }
    if (ofEvent.has(chosen)) framed(pen, ofEvent.get(chosen), 2);
    if (current?.kind in KINDS) framed(pen, current, 1);
    pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    pen.fillStyle = colour("--muted");
    for (const y of lanes > 10 ? [15, bottom + 16] : [15]) {
      for (const [at, text] of marks) {
        const half = pen.measureText(text).width / 2;
        pen.fillText(text, Math.min(Math.max(at - half, 0), width + MARGIN - 2 * half), y);
      }
    }
    pen.font = `italic ${pen.font}`;
    let free = 0;
    for (const [left, wide, text] of folds) {
      const half = pen.measureText(text).width / 2;
      const at = x(left + wide / 2);
      if (at + half < 0 || at - half > width || at - half < free) continue;
      pen.fillText(text, Math.min(at - half, width + MARGIN - 2 * half), lanes > 10 ? 36 : bottom + 16);
      free = at + half + 8;
    }
    paintOverview();
  };
  const hatched = (pen, left, right, bottom) => {
    if (right < 0 || left > width) return;
    pen.save();
    pen.beginPath();
    pen.rect(left, 24, right - left, bottom - 24);
    pen.clip();
    pen.strokeStyle = colour("--rule");
    pen.lineWidth = 1;
    pen.beginPath();
    const first = Math.max(left, 0) - bottom;
    for (let at = first - (first % 8); at < Math.min(right, width); at += 8) {
      pen.moveTo(at, bottom);
      pen.lineTo(at + bottom, 0);
    }
    pen.globalAlpha = 0.6;
    pen.stroke();
    pen.restore();
  };
  const paintOverview = () => {
    if (to - from === WHOLE) return;
    const pen = sized(overview, 22);
    const wide = overview.clientWidth - MARGIN;
    const area = new Path2D();
    area.addPath(curve, new DOMMatrix([wide / WHOLE, 0, 0, 0.5, 0, -10])); // from the heights of the drawing
    pen.fillStyle = colour("--other");
    pen.fill(area);
    pen.strokeStyle = colour("--ink");
    pen.lineWidth = 1.5;
    pen.strokeRect((from / WHOLE) * wide, 1, Math.max(((to - from) / WHOLE) * wide, 3), 20);
  };
  let queued = 0;
  const draw = () => {
    queued ||= requestAnimationFrame(paint);
  };

  // ------------------------------------------------------------------ pointing and choosing

  const ask = "Point at a slice, or focus the drawing and use the arrow keys. A click, or Enter, chooses the event; Ctrl with the wheel zooms.";
  const point = (found) => {
    current = found;
    detail.textContent = found ? found.title ?? told(found) : ask;
    canvas.classList.toggle("at-slice", found?.place >= 0);
    draw();
  };
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    const [here, y] = [unit(event.clientX - box.left), event.clientY - box.top];
    const near = (6 * (to - from)) / width;
    const sign = signs.findLast((one) => one.kind !== "arrival" && Math.abs(one.x - here) < near && Math.abs(one.y - y) < 8);
    if (sign) return sign;
    const own = inLane[Math.floor((y - top) / row)] ?? [];
    let best = null;
    for (const slice of own) {
      if (slice.left > here + near / 2) break;
      if (slice.right < here - near / 2) continue;
      const inside = slice.left <= here && slice.right >= here;
      const rank = (slice.kind in THIN ? 2 : 0) + (inside ? 0 : 1);
      if (!best || rank < best.rank || (rank === best.rank && slice.right - slice.left <= best.slice.right - best.slice.left)) best = { slice, rank };
    }
    return best?.slice ?? null;
  };
  const touching = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    touching.set(event.pointerId, event);
    moved = 0;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = touching.get(event.pointerId);
    if (!before) {
      point(at(event));
      return;
    }
    const other = [...touching.values()].find((one) => one.pointerId !== event.pointerId);
    const box = canvas.getBoundingClientRect();
    const units = (to - from) / width;
    if (other) {
      const [apart, wasApart] = [event, before].map((one) => Math.max(Math.abs(one.clientX - other.clientX), 8));
      zoom(apart / wasApart, unit((event.clientX + other.clientX) / 2 - box.left));
    } else {
      moved += Math.abs(event.clientX - before.clientX);
      canvas.classList.toggle("moving", moved > 4);
      if (moved > 4) move((before.clientX - event.clientX) * units);
    }
    touching.set(event.pointerId, event);
  });
  const release = (event) => {
    touching.delete(event.pointerId);
    canvas.classList.remove("moving");
  };
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerup", (event) => {
    release(event);
    const found = moved > 4 ? null : at(event);
    if (found) point(found);
    if (found?.place >= 0) chooseEvent(found.place);
  });
  canvas.addEventListener("pointerleave", () => {
    if (!touching.size) point(null);
  });
  canvas.addEventListener("wheel", (event) => {
    const sideways = event.shiftKey ? event.deltaX + event.deltaY : event.deltaX;
    if (event.ctrlKey || event.metaKey) zoom(2 ** (-event.deltaY / 200), unit(event.clientX - canvas.getBoundingClientRect().left));
    else if (to - from < WHOLE && Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) move((sideways * (to - from)) / width);
    else return;
    event.preventDefault();
  }, { passive: false });
  overview.addEventListener("pointerdown", (event) => {
    const follow = (one) => show((one.offsetX / (overview.clientWidth - MARGIN)) * WHOLE - (to - from) / 2, to - from);
    follow(event);
    overview.setPointerCapture(event.pointerId);
    overview.onpointermove = follow;
    overview.onpointerup = overview.onpointercancel = () => (overview.onpointermove = null);
  });
  for (const radio of document.querySelectorAll(".zoom")) {
    radio.addEventListener("change", () => zoom((Number(radio.id.slice(5)) * (to - from)) / WHOLE, focus()));
  }

  // ------------------------------------------------------------------ the keyboard

  const first = () => inLane.find((own) => own.length)?.[0] ?? null;
  const beside = (slice, step) => inLane[slice.lane][inLane[slice.lane].indexOf(slice) + step] ?? null;
  const across = (slice, step) => {
    const here = (slice.left + slice.right) / 2;
    for (let lane = slice.lane + step; lane >= 0 && lane < lanes; lane += step) {
      const far = (one) => Math.max(one.left - here, here - one.right, 0);
      if (inLane[lane].length) return inLane[lane].reduce((best, one) => (far(one) < far(best) ? one : best));
    }
    return null;
  };
  const KEYS = {
    ArrowRight: (slice) => beside(slice, 1), ArrowLeft: (slice) => beside(slice, -1),
    ArrowDown: (slice) => across(slice, 1), ArrowUp: (slice) => across(slice, -1),
  };
  scroller.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const sideways = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "+" || event.key === "=") zoom(2, focus());
    else if (event.key === "-") zoom(1 / 2, focus());
    else if (event.key === "0") show(0, WHOLE);
    else if (event.shiftKey && sideways) move((sideways * (to - from)) / 5);
    else if (event.key in KEYS) {
      const found = current?.kind in KINDS ? KEYS[event.key](current) : first();
      if (found) {
        point(found);
        bring(found);
      }
    } else if (event.key === "Escape") point(null);
    else if (event.key === "Enter" && current?.place >= 0) chooseEvent(current.place);
    else return;
    event.preventDefault();
  });
  choice.addEventListener("chosen", ({ detail: place }) => {
    chosen = place;
    if (ofEvent.has(place)) bring(ofEvent.get(place));
    draw();
  });

  detail.hidden = false;
  point(null);
  new ResizeObserver(draw).observe(scroller);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    colours = {};
    draw();
  });
})();
