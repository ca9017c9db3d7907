"use strict";
// Position p is the state after p steps. Whatever comes from the model is put in as text.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const word = number => number < 0 ? null : data.words[number];
const last = data.rows.length;
const make = (name, kind, ...children) => {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  element.append(...children);
  return element;
};
const drawn = (name, attributes, text) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
};
const cut = (text, most) => { const all = [...text]; return all.length <= most ? text : all.slice(0, most - 1).join("") + "…"; };
const wide = text => [...text].length;
let at = 0;

// A list of which only the rows in sight exist; `render` makes some of them.
class List {
  constructor(box, height, render, above = 0) {
    Object.assign(this, { box, height, render, above, count: 0, shown: "" });
    this.space = make("div");
    box.append(this.space);
    box.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(box);
  }
  resize(count, below = 0) {
    this.count = count;
    this.space.style.height = `${count * this.height + this.above + below}px`;
  }
  draw(anew = false) {
    const from = Math.max(0, Math.floor((this.box.scrollTop - this.above) / this.height) - 5);
    const to = Math.min(this.count, from + Math.ceil(this.box.clientHeight / this.height) + 12);
    if (!anew && this.shown === `${from} ${to}`) return;
    this.shown = `${from} ${to}`;
    this.render(from, to, this.above + from * this.height);
  }
  see(row) {
    const { box, height, above } = this;
    const top = row * height;
    if (top < box.scrollTop + height) box.scrollTop = Math.max(0, top - box.clientHeight / 3);
    else if (top + height > box.scrollTop + box.clientHeight - above - height) box.scrollTop = top + height - (box.clientHeight - above) * 2 / 3;
  }
}
// A list of lines of text.
const lines = (box, line) => {
  const rows = make("div", "rows");
  box.append(rows);
  return new List(box, 22, (from, to, top) => {
    rows.style.top = `${top}px`;
    rows.replaceChildren(...Array.from({ length: to - from }, (_, i) => line(from + i)));
  });
};

// What it is about.
document.title = `${data.model}: ${data.shows}`;
$("model").textContent = data.model;
$("question").textContent = data.question;
$("shows").textContent = data.shows;

// Where in the run we are. Of a lasso the end is where the cycle starts, so it goes on there.
const cyclic = data.cycle !== null && data.cycle < last;
const still = data.cycle !== null && data.cycle === last;
const next = () => at < last ? at + 1 : cyclic ? data.cycle + 1 : at;
$("slider").max = last;
if (data.cycle !== null) {
  const part = step => last ? step / last : 0;
  // The thumb's middle does not reach the ends of the track.
  const x = step => `calc(8px + (100% - 16px) * ${part(step)})`;
  Object.assign($("loop").style, { display: "block", left: x(data.cycle), width: `calc((100% - 16px) * ${1 - part(data.cycle)})` });
  $("loop").title = cyclic ? `steps ${data.cycle + 1} to ${last} again and again` : "from here on nothing moves";
}

// The table: the column of each step's number, then the columns of the terminal.
const columns = data.columns.map((name, column) => {
  let most = name.length;
  for (let row = 0; row < last; row += Math.ceil(last / 2000)) most = Math.max(most, wide(word(data.rows[row][column])));
  return Math.min(most, 60);
});
// Places are short and stay whole; what is long gives way.
const grid = `${String(last).length + 3}ch ` + columns.map(most => most > 24 ? `minmax(12ch, ${most}fr)` : `${most + 0.5}ch`).join(" ");
$("columns").style.gridTemplateColumns = grid;
$("columns").append(make("span", "number", "#"), ...data.columns.map(name => make("span", "", name)));
let found = [];
let hits = new Set();
const table = lines($("table"), position => {
  const cells = position ? data.rows[position - 1].map(cell => { const span = make("span", "", word(cell)); span.title = word(cell); return span; }) : [make("span", "whole", "the initial state")];
  const repeated = data.cycle !== null && (position > data.cycle || still && position === last);
  const row = make("div", "row" + (position === at ? " now" : "") + (repeated ? " loop" : "") + (cyclic && position === data.cycle + 1 ? " first" : "") + (hits.has(position) ? " hit" : ""), make("span", "number", (cyclic && position === data.cycle + 1 ? "↻ " : "") + position), ...cells);
  row.style.gridTemplateColumns = grid;
  row.addEventListener("click", () => go(position));
  return row;
});
table.resize(last + 1);

// Values at a position, from the nearest state that was kept.
const KEPT = 256;
const kept = [data.first.slice()];
{
  const now = data.first.slice();
  data.changes.forEach((changes, step) => {
    for (let i = 0; i < changes.length; i += 2) now[changes[i]] = changes[i + 1];
    if ((step + 1) % KEPT === 0) kept.push(now.slice());
  });
}
const state = position => {
  const now = kept[Math.floor(position / KEPT)].slice();
  for (let step = Math.floor(position / KEPT) * KEPT; step < position; step++) {
    const changes = data.changes[step] ?? [];
    for (let i = 0; i < changes.length; i += 2) now[changes[i]] = changes[i + 1];
  }
  return now;
};
const moves = new Set(data.changes.flatMap(changes => changes.filter((_, i) => i % 2 === 0)));
if (!moves.size) $("moving").checked = false;
let named = [], present = [], changed = new Set();
const values = lines($("values"), row => {
  const name = named[row];
  const value = word(present[name]);
  return make("div", "row" + (changed.has(name) ? " changed" : "") + (value === null ? " gone" : ""), make("span", "", data.names[name]), make("span", "", value ?? "not there"));
});
$("values").style.setProperty("--names", `${Math.min(40, Math.max(0, ...data.names.map(wide))) + 1}ch`);
const name = () => {
  named = data.names.map((_, i) => i).filter(i => !$("moving").checked || moves.has(i));
  values.resize(named.length);
};
$("moving").addEventListener("change", () => { name(); values.draw(true); });
name();

// The texts of the model.
const texts = data.files.map(file => file.text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n"));
const marked = position => { const places = data.places[position - 1] ?? []; const of = new Map(); for (let i = 0; i < places.length; i += 2) of.set(`${places[i]}:${places[i + 1]}`, places[i]); return of; };
let file = 0, standing = new Map(), coming = new Map();
const source = lines($("source"), row => {
  const key = `${file}:${row + 1}`;
  return make("div", "row" + (standing.has(key) ? " now" : coming.has(key) ? " next" : ""), make("span", "number", String(row + 1)), make("span", "", texts[file][row].replaceAll("\t", "    ")));
});
const open = number => { file = number; $("file").value = number; $("source").style.setProperty("--numbers", `${String(texts[number].length).length}ch`); source.resize(texts[file].length); source.draw(true); };
$("text").classList.toggle("empty", !texts.length);
if (!texts.length) $("state").style.gridRow = "1 / 3";
data.files.forEach((file, number) => { const option = make("option", "", file.name); option.value = number; $("file").append(option); });
$("file").addEventListener("change", () => open(Number($("file").value)));
if (texts.length) open(0);

// The chart, as `--chart` draws it.
const rows = data.chart.rows ?? [];
const lifelines = data.chart.lifelines ?? [];
const ROW = 58, LEFT = 38, HEAD = lifelines.some(({ first }) => first) ? 62 : 40;
// The last row that begins at or before a step.
const rowOf = step => { let [low, high] = [0, rows.length]; while (low < high) { const middle = (low + high) >> 1; if (rows[middle][0] <= step) low = middle + 1; else high = middle; } return low - 1; };
const said = (svg, text, x, y) => {
  const width = wide(cut(text, 22)) * 6.7 + 12;
  svg.append(drawn("rect", { class: "state", x: x - width / 2, y, width, height: 17, rx: 8.5 }), drawn("text", { class: "said", x, y: y + 12.5, "text-anchor": "middle" }, cut(text, 22)));
};
function chartRow(number, top) {
  const [from, hidden, action] = rows[number], width = Math.max(data.chart.width, $("chart").clientWidth);
  const y = top + 24, text = word(action), dash = hidden ? " hidden" : "";
  const moved = [];
  for (let i = 3; i < rows[number].length; i += 2) moved.push([lifelines[rows[number][i]].x, word(rows[number][i + 1]), lifelines[rows[number][i]].name]);
  const group = drawn("g", {});
  const band = drawn("rect", { class: "band" + (at > 0 && rowOf(at - 1) === number ? " now" : ""), x: 0, y: top, width, height: ROW });
  band.append(drawn("title", {}, [`${from + 1}. ${text}`, ...moved.map(([, said, name]) => `${name}: ${said}`)].join("\n")));
  band.addEventListener("click", () => go((rows[number + 1]?.[0] ?? last)));
  group.append(band, ...lifelines.map(({ x }) => drawn("line", { class: "life", x1: x, x2: x, y1: top, y2: top + ROW })));
  group.append(drawn("text", { class: "soft", x: LEFT, y: y + 4, "text-anchor": "end" }, String(from + 1)));
  if (data.cycle !== null && from >= data.cycle) group.append(drawn("line", { class: "loop", x1: 2, x2: 2, y1: top, y2: top + ROW }));
  if (from === data.cycle) group.append(drawn("line", { class: "begins", x1: 0, x2: width, y1: top, y2: top }), drawn("text", { class: "again", x: 8, y: top + 12 }, "again and again"));
  if (moved.length === 1) {
    const [x] = moved[0], shown = cut(text, 26), width = wide(shown) * 7.3 + 16;
    group.append(drawn("rect", { class: "act" + dash, x: x - width / 2, y: y - 12, width, height: 22, rx: 3 }), drawn("text", { x, y: y + 3.5, "text-anchor": "middle" }, shown));
  } else if (moved.length) {
    const xs = moved.map(([x]) => x), [left, right] = [Math.min(...xs), Math.max(...xs)], middle = (left + right) / 2, shown = cut(text, 40), width = wide(shown) * 7.3 + 8;
    group.append(drawn("line", { class: "message" + dash, x1: left, x2: right, y1: y, y2: y }), drawn("rect", { class: "back", x: middle - width / 2, y: y - 19, width, height: 15 }), drawn("text", { x: middle, y: y - 7.5, "text-anchor": "middle" }, shown), ...xs.map(x => drawn("circle", { class: "dot", cx: x, cy: y, r: 4.5 })));
  }
  for (const [x, text] of moved) if (text) said(group, text, x, y + 13);
  return group;
}
// The messages that some of these rows have to do with; those of one row are tips only.
const arrows = data.chart.arrows ?? [];
function chartArrows(first, after) {
  const middle = row => (row - first) * ROW + 24;
  return arrows.filter(([from, , to]) => from < after && to >= first).map(([from, by, to, to_, message]) => {
    const [x, end] = [lifelines[by].x, lifelines[to_].x];
    const group = drawn("g", { class: "arrow" });
    if (from === to) {
      const ahead = Math.sign(end - x), tip = end - 5 * ahead, y = middle(to);
      group.append(drawn("path", { class: "tip", d: `M${tip} ${y} l${-9 * ahead} -4.5 v9 Z` }));
      return group;
    }
    const [top, bottom] = [middle(from) + 11, middle(to) - 13], length = Math.max(1, Math.hypot(end - x, bottom - top));
    const [ux, uy] = [(end - x) / length, (bottom - top) / length], [bx, by_] = [end - 10 * ux, bottom - 10 * uy];
    const shown = cut(word(message), 26), width = wide(shown) * 6.7 + 6, at = { x: end - (end - x) / 4, y: bottom - (bottom - top) / 4 - 4 };
    group.append(drawn("line", { x1: x, y1: top, x2: bx, y2: by_ }), drawn("path", { d: `M${end} ${bottom} L${bx - 4.5 * uy} ${by_ + 4.5 * ux} L${bx + 4.5 * uy} ${by_ - 4.5 * ux} Z` }), drawn("rect", { x: at.x - width / 2, y: at.y - 11, width, height: 14 }), drawn("text", { x: at.x, y: at.y, "text-anchor": "middle" }, shown));
    return group;
  });
}
let chart = null;
if (lifelines.length) {
  const names = drawn("svg", { class: "names", width: data.chart.width, height: HEAD });
  for (const { name, first, x } of lifelines) {
    const shown = cut(name, 24), width = wide(shown) * 8.2 + 20;
    names.append(drawn("line", { class: "life", x1: x, x2: x, y1: 32, y2: HEAD }), drawn("rect", { class: "head", x: x - width / 2, y: 4, width, height: 28, rx: 5 }), drawn("text", { class: "name", x, y: 22.5, "text-anchor": "middle" }, shown));
    if (first) said(names, first, x, 40);
  }
  const body = drawn("svg", {});
  chart = new List($("chart"), ROW, (from, to, top) => {
    body.style.top = `${top}px`;
    body.setAttribute("width", Math.max(data.chart.width, $("chart").clientWidth));
    body.setAttribute("height", (to - from) * ROW + 8);
    body.replaceChildren(...Array.from({ length: to - from }, (_, i) => chartRow(from + i, i * ROW)), ...chartArrows(from, to));
  }, HEAD);
  chart.space.style.width = `${data.chart.width}px`;
  $("chart").prepend(names);
  $("chart").append(body);
  // The names stand in the flow before the space that keeps room for the rows.
  chart.space.style.marginTop = `-${HEAD}px`;
  chart.resize(rows.length, 16);
} else $("chart").append(make("p", "note", data.chart.none ?? "no steps: the initial state"));

// All of it at one position.
function go(position) {
  at = Math.max(0, Math.min(last, position));
  $("slider").value = at;
  $("where").replaceChildren(`step ${at} of ${last}`);
  if (cyclic && at > data.cycle) $("where").append(make("span", "loop", ` ↻ ${at - data.cycle} of ${last - data.cycle}`));
  if (still && at === last) $("where").append(make("span", "loop", " ↻ for ever"));
  present = state(at);
  const changes = at ? data.changes[at - 1] ?? [] : [];
  changed = new Set(changes.filter((_, i) => i % 2 === 0));
  const first = named.findIndex(name => changed.has(name));
  if (first >= 0) values.see(first);
  values.draw(true);
  table.see(at);
  table.draw(true);
  [standing, coming] = [marked(at), marked(next() > 0 ? next() : 0)];
  if (at === last && !cyclic) coming = new Map();
  if (texts.length) {
    const here = standing.size ? standing : coming;
    for (const [place, of] of here) {
      if (of !== file) open(of);
      source.see(Number(place.split(":")[1]) - 1);
      break;
    }
    source.draw(true);
  }
  if (chart) {
    chart.see(at ? rowOf(at - 1) : 0);
    chart.draw(true);
  }
}

// Search: every word has to be somewhere in the step.
const lower = data.words.map(text => text.toLowerCase());
$("search").addEventListener("input", () => {
  const wanted = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  found = wanted.length ? data.rows.map((_, step) => step + 1).filter(position => wanted.every(part => data.rows[position - 1].some(cell => lower[cell].includes(part)))) : [];
  hits = new Set(found);
  $("hits").textContent = wanted.length ? `${found.length} of ${last}` : "";
  if (found.length && !hits.has(at)) go(found.find(position => position > at) ?? found[0]);
  else table.draw(true);
});
$("search").addEventListener("keydown", event => {
  if (event.key === "Escape") { $("search").value = ""; $("search").dispatchEvent(new Event("input")); $("table").focus(); }
  if (event.key !== "Enter" || !found.length) return;
  go(event.shiftKey ? found.findLast(position => position < at) ?? found[found.length - 1] : found.find(position => position > at) ?? found[0]);
});

$("slider").addEventListener("input", () => go(Number($("slider").value)));
$("start").addEventListener("click", () => go(0));
$("back").addEventListener("click", () => go(at - 1));
$("forth").addEventListener("click", () => go(next()));
$("end").addEventListener("click", () => go(last));
document.addEventListener("keydown", event => {
  if (event.target.tagName === "SELECT" || event.target === $("search") || event.ctrlKey || event.metaKey || event.altKey) return;
  const page = Math.max(1, Math.floor($("table").clientHeight / 22) - 1);
  const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: next(), ArrowDown: next(), Home: 0, End: last, PageUp: at - page, PageDown: at + page }[event.key];
  if (event.key === "/") $("search").focus();
  else if (to !== undefined) go(to);
  else return;
  event.preventDefault();
});
// A page may be opened at a step: page.html#12.
go(Number(location.hash.slice(1)) || 0);
addEventListener("hashchange", () => go(Number(location.hash.slice(1)) || 0));
document.body.dataset.ready = "yes";
