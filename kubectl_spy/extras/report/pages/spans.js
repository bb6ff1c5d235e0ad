// Draws the spans that stand in this page as JSON. Everything in them may have been
// written by anyone in the cluster: it is only ever set as textContent.
(() => {
"use strict";
const data = JSON.parse(document.getElementById("spans").textContent);
const byId = (id) => document.getElementById(id);
const HEIGHT = 22, SHORTEST = 10;
const spans = data.spans.map(
  ([id, trace, parent, depth, kind, name, object, service, start, length, error, attributes, links], index) =>
    ({ id, trace, parent, depth, kind, name, object, service, start, length, error, attributes, links,
       index, children: 0, below: 0, folded: false, end: length < 0 ? data.length : start + length,
       what: attributes.find(([key]) => key === "k8s.change.what")?.[1] }));
for (const span of spans) if (span.parent >= 0) spans[span.parent].children++;
for (let i = spans.length - 1; i >= 0; i--) {  // children stand behind their parents
  const { parent, error, below } = spans[i];
  if (parent >= 0) spans[parent].below += below + (error ? 1 : 0);
}
const failed = spans.filter((span) => span.error);

// Each trace has a scale of its own: one of a month ago would leave no room for today's.
const traces = new Map();
for (const span of spans) {
  const known = traces.get(span.trace);
  if (known) { known.start = Math.min(known.start, span.start); known.end = Math.max(known.end, span.end); }
  else traces.set(span.trace, { start: span.start, end: span.end, first: span });
  span.scale = traces.get(span.trace);
}
function fit() {  // all of them
  for (const scale of traces.values()) {
    const length = scale.end - scale.start;
    scale.full = [scale.start - length * 0.01 - 1, scale.end + length * 0.12 + SHORTEST];
    [scale.from, scale.to] = scale.full;
  }
}
fit();
const nothing = { start: 0, end: 0, full: [-1, SHORTEST], from: -1, to: SHORTEST };
let current = spans[0]?.scale ?? nothing;  // the one that the ruler shows, and that is zoomed
let shown = spans, context = new Set(), chosen = null, kept = false, waiting = false;
const scroll = byId("scroll"), space = byId("space"), ticks = byId("ticks");
const search = byId("search"), onlyErrors = byId("only-errors"), details = byId("details");
const hint = details.firstElementChild, overview = byId("overview");

function make(tag, name, text) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
}
// Five colours that the colour-blind can tell apart, then the same ones with stripes.
function paint(element, service) {
  element.dataset.colour = service % 5;
  element.classList.toggle("striped", service % 10 > 4);
}

function lasting(us) {
  if (us < 1000) return `${Math.round(us)}µs`;
  if (us < 999500) return `${+(us / 1000).toPrecision(3)}ms`;
  const s = us / 1e6;
  if (s < 60) return `${+s.toFixed(s < 10 ? 2 : 1)}s`;
  const whole = Math.round(s), h = Math.floor(whole / 3600), m = Math.floor(whole / 60) % 60;
  const two = (n) => String(n).padStart(2, "0");
  return h ? `${h}h${two(m)}m${two(whole % 60)}s` : `${m}m${two(whole % 60)}s`;
}
function moment(us) {  // in local time, exact to the microsecond, which Date is not
  const whole = data.base + us, ms = Math.floor(whole / 1000);
  const east = -new Date(ms).getTimezoneOffset(), size = Math.abs(east);
  const [hours, minutes] = [Math.floor(size / 60), size % 60].map((n) => String(n).padStart(2, "0"));
  const [day, time] = new Date(ms + east * 60000).toISOString().slice(0, -1).split("T");
  const exact = time + String(whole - ms * 1000).padStart(3, "0");
  return { day, time: exact, zone: `${east < 0 ? "-" : "+"}${hours}:${minutes}` };
}
const exactly = (us) => Object.values(moment(us)).join(" ");
const roughly = (us) => exactly(us).replace(/\.\d+/, "");

// Of traces of several days each shows its date.
const lastDay = moment([...traces.values()].reduce((last, scale) => Math.max(last, scale.start), 0)).day;
const began = (us) => {
  const { day, time } = moment(us);
  return day === lastDay ? ["", time.slice(0, 8)] : [`${day} `, time.slice(0, 5)];
};
function turnTo(scale) {
  if (!scale || scale === current) return;
  current = scale;
  draw();
}

// What is shown: by search, by errors, or by what is folded away.
function choose() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  context = new Set();
  let matches = spans.length;
  if (words.length || onlyErrors.checked) {
    const found = spans.filter((span) => {
      if (onlyErrors.checked && !span.error) return false;
      span.text ??= [span.name, span.object, data.services[span.service], span.kind, span.error,
        span.id, span.trace, ...span.attributes.flat(), ...span.links].join("\n").toLowerCase();
      return words.every((word) => span.text.includes(word));
    });
    matches = found.length;
    const wanted = new Set(found);
    for (const span of found)
      for (let up = span.parent; up >= 0; up = spans[up].parent) {
        if (wanted.has(spans[up]) || context.has(spans[up])) break;
        context.add(spans[up]);
      }
    shown = spans.filter((span) => wanted.has(span) || context.has(span));
  } else {
    const hidden = new Uint8Array(spans.length);
    shown = spans.filter((span) => {
      const up = span.parent;
      if (up >= 0) hidden[span.index] = hidden[up] || spans[up].folded ? 1 : 0;
      return !hidden[span.index];
    });
  }
  byId("count").textContent = `${matches} of ${spans.length} spans`;
  document.body.dataset.matches = matches;
  draw();
}

// Only the rows in sight are in the document: 5,000 of them would be slow.
function draw() {
  if (!waiting) { waiting = true; requestAnimationFrame(drawNow); }
}
function drawNow() {
  waiting = false;
  const width = ticks.clientWidth || 1;
  space.style.height = `${shown.length * HEIGHT}px`;
  const first = Math.max(0, Math.floor(scroll.scrollTop / HEIGHT) - 4);
  const last = Math.min(shown.length, Math.ceil((scroll.scrollTop + scroll.clientHeight) / HEIGHT) + 4);
  const top = Math.ceil(scroll.scrollTop / HEIGHT);
  if (shown.length && !shown.slice(top, last).some((span) => span.scale === current))
    current = shown[Math.min(top, shown.length - 1)].scale;
  document.body.dataset.from = current.from;
  document.body.dataset.to = current.to;
  drawTicks(width, width / (current.to - current.from));
  // nth-child stripes must not change while scrolling
  const even = first - (first % 2), rows = [];
  for (let i = even; i < last; i++) rows.push(row(shown[i], i, width));
  const focused = document.activeElement?.classList.contains("fold")
    ? document.activeElement.dataset.index : null;
  space.replaceChildren(...rows);
  if (focused !== null) space.querySelector(`[data-index="${Number(focused)}"] .fold`)?.focus();
}
function row(span, position, width) {
  const { from, to } = span.scale, scale = width / (to - from);
  const element = make("div", `row kind-${span.kind}`);
  element.style.top = `${position * HEIGHT}px`;
  element.dataset.index = span.index;
  element.setAttribute("role", "treeitem");
  element.setAttribute("aria-level", span.depth + 1);
  element.setAttribute("aria-selected", String(span === chosen));
  element.classList.toggle("failed", Boolean(span.error));
  element.classList.toggle("unfinished", span.length < 0);
  element.classList.toggle("context", context.has(span));
  element.classList.toggle("chosen", span === chosen);
  element.classList.toggle("hides-errors", span.folded && span.below > 0);
  const label = make("div", "label");
  label.style.setProperty("--depth", Math.min(span.depth, 14));
  const fold = make(span.children ? "button" : "span", "fold", span.children ? (span.folded ? "▸" : "▾") : "");
  if (span.children) {
    element.setAttribute("aria-expanded", String(!span.folded));
    fold.type = "button";
    fold.tabIndex = -1;
    fold.dataset.index = span.index;
    fold.setAttribute("aria-label", span.folded ? "Unfold" : "Fold");
  }
  label.append(fold, make("span", "name", span.name), make("span", "object", span.object));
  const failures = span.below + (span.error ? 1 : 0);
  if (span.scale.first === span && failures) {
    element.classList.add("fails");
    label.append(make("span", "failures", `✗ ${failures}`));
  }
  if (traces.size > 1 && span.scale.first === span) {
    element.classList.add("trace");
    const when = make("span", "when"), [day, clock] = began(span.scale.start);
    when.append(make("span", "day", day), make("span", "clock", clock));
    when.title = exactly(span.scale.start);
    label.append(when);
  }
  const lane = make("div", "lane"), bar = make("div", "bar");
  // A bar far longer than the window would be more pixels than browsers draw.
  const left = Math.max(-20, Math.min(width + 20, (span.start - from) * scale));
  const right = Math.max(-20, Math.min(width + 20, (span.end - from) * scale));
  bar.style.left = `${left}px`;
  bar.style.width = `${right - left}px`;
  paint(bar, span.service);
  const lasts = make("span", "lasts", span.length === 0 ? ""  // a moment
    : lasting(span.end - span.start) + (span.length < 0 ? " so far" : ""));
  const room = 8 * lasts.textContent.length;  // behind the bar, else before it, else none
  if (right <= width - room) lasts.style.left = `${Math.max(right, left + 2)}px`;
  else if (left >= room) lasts.style.right = `${width - left + 5}px`;
  else lasts.hidden = true;
  lane.append(bar, lasts);
  if (span.what) {  // the bar of a root says nothing, so it makes room
    const who = data.services[span.service];
    lane.title = who ? `${span.what}  (${who})` : span.what;
    lane.append(make("span", "what", lane.title));
    element.classList.add("says");
  }
  element.append(label, lane);
  return element;
}
function drawTicks(width, scale) {
  const { from, to, start } = current;
  if (traces.size > 1) byId("whose").textContent = `from ${roughly(start)}`;
  const least = 90 / scale;
  let step = 10 ** Math.floor(Math.log10(least));
  if (least < 1e7) step = [1, 2, 5, 10].map((n) => n * step).find((n) => n >= least);
  else step = [15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400]
    .map((n) => n * 1e6).find((n) => n >= least) ?? Math.ceil(least / 864e8) * 864e8;
  const marks = [];
  for (let at = Math.ceil((from - start) / step) * step; at < to - start && marks.length < 100; at += step) {
    const tick = make("div", "tick", at < 0 ? "" : Math.round(at) ? `+${lasting(at)}` : "0");
    tick.style.left = `${(at + start - from) * scale}px`;
    marks.push(tick);
  }
  ticks.replaceChildren(...marks);
}

function look(start, end) {
  const { full } = current, length = Math.max(SHORTEST, Math.min(end - start, full[1] - full[0]));
  current.from = Math.max(full[0], Math.min(start, full[1] - length));
  current.to = current.from + length;
  draw();
}
function fitAll() {
  fit();
  draw();
}
function zoom(factor, at = (current.from + current.to) / 2) {
  look(at - (at - current.from) * factor, at + (current.to - at) * factor);
}
function along(part) {
  const by = (current.to - current.from) * part;
  look(current.from + by, current.to + by);
}
const timeAt = (x) => {
  const box = ticks.getBoundingClientRect();
  return current.from + (Math.max(0, Math.min(box.width, x - box.left)) / box.width) * (current.to - current.from);
};

function detail(span) {
  details.classList.toggle("kept", kept);
  if (!span) return;
  const list = make("dl");
  const add = (name, value) => list.append(make("dt", "", name), make("dd", "", value));
  if (data.services[span.service]) add("service", data.services[span.service]);
  add("duration", lasting(span.end - span.start) + (span.length < 0 ? ", unfinished" : ""));
  add("start", `${exactly(span.start)}  (+${lasting(span.start - span.scale.start)})`);
  if (span.length >= 0) add("end", `${exactly(span.end)}  (+${lasting(span.end - span.scale.start)})`);
  for (const [name, value] of span.attributes) add(name, value);
  if (span.parent >= 0) add("caused by", `${spans[span.parent].name} ${spans[span.parent].object}`);
  for (const link of span.links) add("link", link);
  add("kind", span.kind);
  add("trace id", span.trace);
  add("span id", span.id);
  const parts = [make("h2", "", `${span.name} ${span.object}`)];
  if (span.error) parts.push(make("p", "error", span.error));
  details.replaceChildren(...parts, list, hint);
}
function pick(span, keep) {
  chosen = span;
  kept = keep;
  turnTo(span?.scale);
  detail(span);
  draw();
}
function fold(span) {
  if (!span.children) return;
  span.folded = !span.folded;
  choose();
}
function step(by) {
  const at = chosen ? shown.indexOf(chosen) : -1;
  const next = Math.max(0, Math.min(shown.length - 1, at + by));
  if (!shown.length) return;
  const top = next * HEIGHT;
  if (top < scroll.scrollTop) scroll.scrollTop = top;
  if (top + HEIGHT > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = top + HEIGHT - scroll.clientHeight;
  pick(shown[next], true);
}

const spanOf = (event) => {
  const element = event.target.closest?.(".row");
  return element ? spans[Number(element.dataset.index)] : null;
};
space.addEventListener("pointerover", (event) => {
  const span = spanOf(event);
  if (!drag) turnTo(span?.scale);
  if (span && !kept && !drag) detail(span);
});
space.addEventListener("click", (event) => {
  const span = spanOf(event);
  if (!span || dragged) return;
  if (event.target.closest("button.fold")) fold(span);
  else if (kept && span === chosen) pick(null, false);
  else pick(span, true);
});
space.addEventListener("dblclick", (event) => {
  const span = spanOf(event), edge = span ? Math.max(SHORTEST, (span.end - span.start) * 0.05) : 0;
  if (span && !event.target.closest("button.fold")) look(span.start - edge, span.end + edge);
});

let drag = null, dragged = false;
const selection = byId("selection");
byId("chart").addEventListener("pointerdown", (event) => {
  dragged = false;
  if (event.button || !event.target.closest(".lane, #ticks")) return;
  turnTo(spanOf(event)?.scale);
  drag = { x: event.clientX, shift: event.shiftKey, from: current.from, to: current.to };
});
addEventListener("pointermove", (event) => {
  if (!drag || (!dragged && Math.abs(event.clientX - drag.x) < 4)) return;
  dragged = true;
  const box = ticks.getBoundingClientRect();
  if (drag.shift) {
    const by = ((drag.x - event.clientX) / box.width) * (drag.to - drag.from);
    look(drag.from + by, drag.to + by);
    return;
  }
  const chart = byId("chart").getBoundingClientRect().left;
  const [left, right] = [drag.x, Math.max(box.left, Math.min(box.right, event.clientX))].sort((a, b) => a - b);
  selection.hidden = false;
  selection.style.left = `${left - chart}px`;
  selection.style.width = `${right - left}px`;
});
addEventListener("pointerup", (event) => {
  if (drag && dragged && !drag.shift) {
    const [start, end] = [timeAt(drag.x), timeAt(event.clientX)].sort((a, b) => a - b);
    look(start, end);
  }
  drag = null;
  selection.hidden = true;
});
addEventListener("pointercancel", () => { drag = null; selection.hidden = true; });
byId("chart").addEventListener("wheel", (event) => {
  const ruler = event.target.closest("#ruler");
  if (!ruler) turnTo(spanOf(event)?.scale);
  const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
  if (event.shiftKey || sideways) along(Math.sign(sideways ? event.deltaX : event.deltaY) * 0.08);
  else if (ruler || event.ctrlKey || event.altKey || event.metaKey) zoom(event.deltaY < 0 ? 0.8 : 1.25, timeAt(event.clientX));
  else return;
  event.preventDefault();
}, { passive: false });
addEventListener("keydown", (event) => {
  if (event.key === "Escape") { search.value = ""; search.blur(); pick(null, false); choose(); return; }
  if (event.ctrlKey || event.altKey || event.metaKey || event.target === search) return;
  if ("Enter ".includes(event.key) && event.target.closest("input, button")) return;  // it is pressed
  const keys = {
    "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), "0": fitAll,
    ArrowLeft: () => along(-0.15), ArrowRight: () => along(0.15),
    ArrowUp: () => step(-1), ArrowDown: () => step(1), PageUp: () => step(-20), PageDown: () => step(20),
    Home: () => step(-spans.length), End: () => step(spans.length),
    Enter: () => chosen && fold(chosen), " ": () => chosen && fold(chosen), "/": () => search.focus(),
  };
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});
const foldAll = (folded) => { for (const span of spans) span.folded = folded && span.children > 0; choose(); };
byId("expand").addEventListener("click", () => foldAll(false));
byId("collapse").addEventListener("click", () => foldAll(true));
byId("zoom-in").addEventListener("click", () => zoom(0.6));
byId("zoom-out").addEventListener("click", () => zoom(1 / 0.6));
byId("fit").addEventListener("click", fitAll);
byId("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
});
search.addEventListener("input", () => { scroll.scrollTop = 0; choose(); });
onlyErrors.addEventListener("change", () => { scroll.scrollTop = 0; choose(); });
scroll.addEventListener("scroll", draw, { passive: true });
addEventListener("resize", draw);

data.services.slice(0, 16).forEach((service, number) => {
  if (!service) return;
  const button = make("button", "", service);
  button.type = "button";
  button.title = "Search for it";
  paint(button, number);
  button.addEventListener("click", () => { search.value = service; choose(); });
  byId("services").append(button);
});

// All traces on one scale. What is shown of each is its root.
if (traces.size > 1) {
  overview.hidden = false;
  const share = (us) => `${(us / Math.max(data.length, 1)) * 100}%`;
  let number = 0;
  for (const { start, end, first } of traces.values()) {
    const bar = make("div", first.error || first.below ? "fails" : "");
    bar.dataset.index = first.index;
    bar.title = `${first.name} ${first.object}  ${roughly(start)}  ${lasting(end - start)}`;
    bar.style.left = share(start);
    bar.style.width = share(end - start);
    bar.style.top = `${(number++ % 3) * 7 + 3}px`;
    overview.append(bar);
  }
  overview.addEventListener("click", (event) => {
    const root = spans[Number(event.target.dataset.index ?? -1)];
    if (root) show(root, root);
  });
}
function show(root, span) {
  drawNow();  // else there is nothing to scroll yet
  scroll.scrollTop = shown.indexOf(root) * HEIGHT;
  pick(span, false);
}

const made = roughly(Date.parse(data.generated) * 1000 - data.base);
const wrong = [...traces.values()].filter(({ first }) => first.error || first.below).length;
const parts = [`${spans.length} spans, ${failed.length} with errors`,
  traces.size > 1 ? `${traces.size} traces, ${wrong} of them with errors, the first` : lasting(data.length)];
byId("summary").textContent = spans.length
  ? `${parts.join(", ")} from ${roughly(0)}; made ${made}` : `No spans; made ${made}`;

// It opens on what failed; the rest is folded.
for (const span of spans)
  span.folded = span.children > 0 && !span.below && (failed.length > 0 || traces.size > 1);
choose();
const cause = failed.find((span) => !span.below);
if (cause) show(cause.scale.first, cause);
})();
