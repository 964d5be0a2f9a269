"use strict";
// What is chosen is in `chosen`; show() draws all of it. Times are ns.

const run = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const dark = matchMedia("(prefers-color-scheme: dark)");
const kinds = Object.keys(run.heat.kinds);
const KINDS = {busy: "busy share of ports", queue: "longest queue of ports", paused: "paused share of ports"};
const HINTS = {"utilisation.csv": "--utilisation=10us", "queues.csv": "--queues=10us", "rates.csv": "--rates=10us",
               "transport.csv": "--transport=10us", "pauses.csv": "--pauses=10us"};
const ENDS = {flowsDone: "all flows done", stop: "at --stop", safetyLimit: "at --safetyLimit", stalled: "no progress", interrupted: "by a signal"};
const LEFT = 92, BOTTOM = 22, TOP = 8;
const SHOWN = 10;  // slowest flows, pauses
const chosen = {kind: kinds[0] || "", at: -1, port: "", flow: -1, from: 0, to: run.end, box: null};

// ------------------------------------------------------------------------------ texts and elements

const UNITS = {ns: [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]], B: [["GB", 1e9], ["MB", 1e6], ["kB", 1e3], ["B", 1]],
               "bit/s": [["Gbit/s", 1e9], ["Mbit/s", 1e6], ["kbit/s", 1e3], ["bit/s", 1]], share: [["%", 0.01]], "": [["", 1]]};

/** A number in the unit that fits it, or another one of that kind. */
function text(value, unit, like = value) {
  const [name, factor] = UNITS[unit].find(([, least]) => Math.abs(like) >= least) || UNITS[unit].at(-1);
  return `${+(value / factor).toPrecision(4)}${name ? " " + name : ""}`;
}

function unitOf(name) {
  const [word] = name.split(" ");
  return word.endsWith("_bps") ? "bit/s" : word.endsWith("_bytes") ? "B" : word.endsWith("_ns") ? "ns" : word.endsWith("share") ? "share" : "";
}

function element(name, content = "", more = {}) {
  const made = Object.assign(document.createElement(name), more);
  made.append(...[content].flat());
  return made;
}

/** An entry of a legend. */
function key(colour, name) {
  const line = element("i");
  line.style.background = colour;
  return element("span", [line, name], {className: "key"});
}

function table(target, head, rows, pick) {
  target.replaceChildren(element("tr", head.map(h => element("th", h))), ...rows.map((row, i) => element(
    "tr", row.map(cell => element("td", String(cell))), pick ? {className: "pick", onclick: () => pick(i)} : {})));
}

/** What the run did not record, and how it would. */
function missing(...names) {
  const without = names.filter(name => !run.files.includes(name));
  return without.length ? `Not recorded: ${without.map(name => `${name} (${HINTS[name]})`).join(", ")}. ` : "";
}

function names(part) { return part.split(":")[0]; }

// ------------------------------------------------------------------------------------ canvases

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name);
const colours = () => dark.matches ? ["#56B4E9", "#E69F00", "#2BBF8F", "#E28FBF", "#F0E442", "#FF8A3C"]
                                   : ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];

/** Colour of 0 to 1 in the map and on links. */
function heat(value) {
  const stops = dark.matches ? [[45, 48, 52], [108, 29, 90], [222, 88, 48], [252, 240, 160]]
                             : [[236, 236, 236], [254, 217, 118], [253, 120, 50], [150, 0, 30]];
  const place = Math.min(value, 0.9999) * 3, i = Math.floor(place);
  return stops[i].map((c, k) => Math.round(c + (stops[i + 1][k] - c) * (place - i)));
}

function begin(canvas, height) {
  const width = canvas.clientWidth, ratio = devicePixelRatio || 1, ctx = canvas.getContext("2d");
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.height = `${height}px`;
  ctx.scale(ratio, ratio);
  ctx.font = "11px system-ui, 'DejaVu Sans', sans-serif";
  ctx.fillStyle = css("--muted");
  ctx.strokeStyle = css("--line");
  return [ctx, width, height];
}

/** Places of an axis that have a number. */
function ticks(low, high, log, most) {
  if (log) {
    const first = Math.floor(Math.log10(low)), powers = Array.from({length: Math.ceil(Math.log10(high)) - first + 1}, (_, i) => 10 ** (first + i));
    const fine = powers.flatMap(p => [p, 2 * p, 5 * p]).filter(v => v >= low && v <= high), rough = powers.filter(v => v >= low && v <= high);
    if (fine.length > 2 && fine.length <= most) return fine;
    if (rough.length > 1) return rough.filter((_, i) => i % Math.ceil(rough.length / most) === 0);
  }
  const raw = (high - low) / most, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].find(m => m * power >= raw) * power;
  return Array.from({length: Math.floor(high / step) - Math.ceil(low / step) + 1}, (_, i) => (Math.ceil(low / step) + i) * step);
}

/** Axes with their numbers. @return functions from values to pixels, and back */
function axes(ctx, width, height, x, y) {
  const scale = (a, from, to) => {
    const f = a.log ? Math.log : v => v, g = a.log ? Math.exp : v => v, low = f(a.low), span = f(a.high) - low || 1;
    return [v => from + (f(v) - low) / span * (to - from), p => g(low + (p - from) / (to - from) * span)];
  };
  const [px, toX] = scale(x, LEFT, width - 10), [py, toY] = scale(y, height - BOTTOM, TOP);
  ctx.textAlign = "center";
  for (const v of ticks(x.low, x.high, x.log, Math.max(2, (width - LEFT) / 90))) {
    const label = text(v, x.unit, x.log ? v : x.high);
    ctx.fillText(label, Math.min(px(v), width - ctx.measureText(label).width / 2), height - 6);
  }
  ctx.textAlign = "right";
  for (const v of y.rows ? [] : ticks(y.low, y.high, y.log, (height - BOTTOM) / 34)) {
    ctx.fillText(text(v, y.unit, y.log ? v : y.high), LEFT - 6, py(v) + 4);
    ctx.fillRect(LEFT, py(v), width - LEFT - 10, 0.25);
  }
  return {px, py, toX, toY};
}

const timeAxis = () => ({low: chosen.from, high: chosen.to, unit: "ns"});

const band = $("band");

/** Clicks, and boxes that are dragged. A double click ends a zoom. */
function pointer(canvas, on) {
  let from = null;
  const at = event => [event.offsetX, event.offsetY];
  canvas.onpointerdown = event => { from = at(event); };
  canvas.onpointermove = event => {
    if (from === null || !event.buttons || !on.box) return on.move?.(...at(event));
    const [x, y] = at(event), place = canvas.getBoundingClientRect(), top = on.tall ? TOP : Math.min(y, from[1]);
    band.hidden = false;
    Object.assign(band.style, {left: `${scrollX + place.left + Math.min(x, from[0])}px`, top: `${scrollY + place.top + top}px`,
                               width: `${Math.abs(x - from[0])}px`, height: `${on.tall ? place.height - TOP - BOTTOM : Math.abs(y - from[1])}px`});
  };
  canvas.onpointerup = event => {
    const start = from, [x, y] = at(event);
    from = null;
    band.hidden = true;
    if (start && Math.abs(x - start[0]) > 6) on.box?.(Math.min(x, start[0]), Math.min(y, start[1]), Math.max(x, start[0]), Math.max(y, start[1]));
    else on.click?.(x, y);
    show();
  };
  canvas.ondblclick = () => { Object.assign(chosen, {from: 0, to: run.end, box: null}); show(); };
}

function zoomTime(plane, x0, x1) {
  const [from, to] = [plane.toX(x0), plane.toX(x1)].map(t => Math.min(Math.max(t, 0), run.end));
  if (to - from > 1) Object.assign(chosen, {from, to});
}

// ------------------------------------------------------------------------------------- network

const cells = Object.fromEntries(kinds.map(kind => [kind, Uint8Array.from(atob(run.heat.kinds[kind].cells), c => c.charCodeAt(0))]));
const rowOf = Object.fromEntries(kinds.map(kind => [kind, new Map(run.heat.kinds[kind].ports.map((port, i) => [port, i]))]));
const bins = run.heat.bins;

/** A port's row of the map, 0 to 255. */
function row(kind, port) {
  const i = rowOf[kind]?.get(port);
  return i === undefined ? null : cells[kind].subarray(i * bins, (i + 1) * bins);
}

/** Of a port at the time that is chosen, or on average (of queues, the longest). */
function level(port) {
  const values = row(chosen.kind, port);
  if (!values) return 0;
  if (chosen.at >= 0) return values[chosen.at] / 255;
  return (chosen.kind === "queue" ? values.reduce((a, b) => Math.max(a, b), 0) : values.reduce((a, b) => a + b, 0) / bins) / 255;
}

/** Nodes with a place from 0 to 1 in both directions: NICs at the bottom, others by their distance from them, each datacenter apart. */
const network = (() => {
  const nodes = new Map(), links = new Map();
  const node = name => nodes.get(name) || nodes.set(name, {name, tier: /^nic\d+$/.test(name) ? 0 : Infinity, to: new Set(), x: 0}).get(name);
  for (const [a, b] of run.links) {
    const ends = [names(a), names(b)], key = ends.join(" ");
    node(ends[0]).to.add(node(ends[1]));
    node(ends[1]).to.add(node(ends[0]));
    if (!links.has(key)) links.set(key, {a: node(ends[0]), b: node(ends[1]), ports: []});
    links.get(key).ports.push(a, b);
  }
  const group = n => n.name.match(/^dc\d+/)?.[0] ?? (n.tier ? "" : [...n.to][0].name.match(/^dc\d+/)?.[0] ?? "");
  for (let tier = 0, front = [...nodes.values()].filter(n => n.tier === 0); front.length; tier++) {
    front = [...new Set(front.flatMap(n => [...n.to]))].filter(n => n.tier === Infinity);
    for (const n of front) n.tier = tier + 1;
  }
  for (const n of nodes.values()) if (n.tier === Infinity) n.tier = 1;
  const groups = [...new Set([...nodes.values()].map(group))].sort((a, b) => a.localeCompare(b, "en", {numeric: true}));
  const top = Math.max(1, ...[...nodes.values()].map(n => n.tier));
  for (let tier = 0; tier <= top; tier++) {
    for (const [g, name] of groups.entries()) {
      const here = [...nodes.values()].filter(n => n.tier === tier && group(n) === name);
      for (const n of here) {
        const below = [...n.to].filter(m => m.tier < tier);
        n.at = below.reduce((sum, m) => sum + m.x, 0) / (below.length || 1);
      }
      here.sort((a, b) => a.at - b.at || a.name.localeCompare(b.name, "en", {numeric: true}));
      here.forEach((n, i) => Object.assign(n, {x: (g + 0.03 + 0.94 * (i + 0.5) / here.length) / groups.length, y: 1 - tier / top,
                                               room: 0.94 / here.length / groups.length}));
    }
  }
  return {nodes: [...nodes.values()], links: [...links.values()], top};
})();

function drawNetwork() {
  const [ctx, width, height] = begin($("network"), network.nodes.length ? 110 + 75 * network.top : 1);
  const px = n => 8 + n.x * (width - 16), py = n => 30 + n.y * (height - 60);
  for (const link of network.links) {
    const ports = link.ports.filter(port => rowOf[chosen.kind]?.has(port)), value = Math.max(0, ...ports.map(level));
    const picked = link.ports.includes(chosen.port), arc = link.a.tier === link.b.tier ? 26 : 0;
    ctx.strokeStyle = picked ? css("--accent") : value > 0 ? `rgb(${heat(value)})` : css("--idle");
    ctx.lineWidth = picked ? 4 : value > 0 ? 1.2 + 2 * value : 0.6;
    ctx.beginPath();
    ctx.moveTo(px(link.a), py(link.a));
    ctx.quadraticCurveTo((px(link.a) + px(link.b)) / 2, (py(link.a) + py(link.b)) / 2 - arc, px(link.b), py(link.b));
    ctx.stroke();
  }
  ctx.textAlign = "center";
  for (const n of network.nodes) {
    const size = Math.max(1, Math.min(n.tier ? 9 : 7, n.room * width * 0.7)), label = n.name.replace(/^dc\d+-/, "");
    ctx.fillStyle = names(chosen.port) === n.name ? css("--accent") : n.tier ? css("--ink") : css("--muted");
    ctx.fillRect(px(n) - size / 2, py(n) - 4, size, 8);
    ctx.fillStyle = css("--muted");
    for (const said of [n.name, label].filter(word => n.room * width > ctx.measureText(word).width + 4).slice(0, 1)) {
      ctx.fillText(said, px(n), py(n) + (n.tier ? -8 : 17));
    }
  }
}

/** The ports of the link that is nearest, busiest first; a NIC for the lower end of its link. */
function portAt(x, y) {
  const canvas = $("network"), width = canvas.clientWidth, height = canvas.clientHeight;
  const place = n => [8 + n.x * (width - 16), 30 + n.y * (height - 60)];
  let best = null, nearest = 14;
  for (const link of network.links) {
    const [ax, ay] = place(link.a), [bx, by] = place(link.b), length = (bx - ax) ** 2 + (by - ay) ** 2 || 1;
    const t = Math.min(1, Math.max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
    const arc = link.a.tier === link.b.tier ? 26 * 2 * t * (1 - t) : 0;
    const distance = Math.hypot(ax + t * (bx - ax) - x, ay + t * (by - ay) - arc - y);
    if (distance < nearest) [best, nearest] = [link, distance];
  }
  if (!best) return [];
  const nic = best.ports.filter(port => y > height - 45 && port.startsWith("nic"));
  return nic.length ? nic : [...best.ports].sort((a, b) => level(b) - level(a));
}

// ------------------------------------------------------------------------------------ heat map

let map = null;

function drawHeat() {
  const kind = run.heat.kinds[chosen.kind], ports = kind?.ports ?? [];
  const [ctx, width, height] = begin($("heat"), ports.length ? Math.min(440, Math.max(60, 12 * ports.length)) + TOP + BOTTOM : 1);
  map = null;
  $("heatText").textContent = !kind ? missing("utilisation.csv", "queues.csv", "pauses.csv") :
    `${KINDS[chosen.kind]}: ${chosen.kind === "queue" ? `strongest is ${text(kind.most, "B")}` : "strongest is always"}, ${text(run.end / bins, "ns")} a column. ` +
    (kind.never ? `${kind.never} other ports: never. ` : "") + "Click to choose a port and a time. " + missing("utilisation.csv", "queues.csv");
  if (!ports.length) return;
  map = axes(ctx, width, height, timeAxis(), {low: ports.length, high: 0, rows: true});
  const ratio = devicePixelRatio || 1, w = Math.round((width - LEFT - 10) * ratio), h = Math.round((height - TOP - BOTTOM) * ratio);
  const image = ctx.createImageData(w, h), palette = Array.from({length: 256}, (_, i) => heat(i / 255)), data = cells[chosen.kind];
  const column = x => Math.min(bins - 1, Math.floor((chosen.from + x / w * (chosen.to - chosen.from)) / run.end * bins));
  const columns = Array.from({length: w}, (_, x) => [column(x), Math.max(column(x) + 1, column(x + 1))]);
  for (let y = 0; y < h; y++) {
    const first = Math.floor(y / h * ports.length), last = Math.max(first + 1, Math.floor((y + 1) / h * ports.length));
    for (let x = 0; x < w; x++) {
      let most = 0;
      for (let r = first; r < last; r++) for (let b = columns[x][0]; b < columns[x][1]; b++) most = Math.max(most, data[r * bins + b]);
      image.data.set(palette[most], 4 * (y * w + x));
      image.data[4 * (y * w + x) + 3] = 255;
    }
  }
  ctx.putImageData(image, LEFT * ratio, TOP * ratio);
  ctx.textAlign = "right";
  let free = 0;
  ports.forEach((port, i) => {
    const y = map.py(i + 0.5), step = (height - TOP - BOTTOM) / ports.length;
    if (y < free || (step < 11 && i && names(ports[i - 1]) === names(port))) return;
    ctx.fillStyle = port === chosen.port ? css("--accent") : css("--muted");
    ctx.fillText(step < 11 ? names(port) : port, LEFT - 6, y + 4);
    free = y + 11;
  });
  ctx.fillStyle = css("--accent");
  if (chosen.at >= 0) ctx.fillRect(map.px((chosen.at + 0.5) / bins * run.end), TOP, 1.5, height - TOP - BOTTOM);
  if (rowOf[chosen.kind].has(chosen.port)) ctx.fillRect(LEFT - 4, map.py(rowOf[chosen.kind].get(chosen.port) + 0.5) - 3, 4, 6);
}

// ---------------------------------------------------------------------------------------- lines

const linesOf = new Map();
for (const [table, subject, of, name, ns, values] of run.lines) {
  const key = `${subject} ${of}`;
  linesOf.set(key, [...(linesOf.get(key) ?? []), {table, name, ns, values}]);
}

/** Shares of the map as lines of a port. */
function sharesOf(port) {
  const edges = Array.from({length: bins + 1}, (_, i) => i / bins * run.end);
  return ["busy", "paused"].filter(kind => row(kind, port)).map(kind => (
    {table: "share", name: `${kind}_share`, ns: edges, values: [...row(kind, port)].map(v => v / 255).concat(0)}));
}

/** A chart for each table and unit. */
function charts(target, lines) {
  const groups = new Map();
  for (const line of lines) {
    const unit = unitOf(line.name), key = unit ? `${line.table} ${unit}` : `${line.table} ${line.name}`;
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  target.replaceChildren();
  for (const some of groups.values()) {
    const canvas = element("canvas"), legend = element("div");
    target.append(legend, canvas);
    chart(canvas, legend, some);
  }
}

function valueAt(line, time) {
  let low = 0, high = line.ns.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (line.ns[middle] <= time) low = middle + 1; else high = middle;
  }
  return low ? line.values[low - 1] : undefined;
}

function chart(canvas, legend, lines) {
  const unit = unitOf(lines[0].name), palette = colours();
  const seen = lines.flatMap(line => [valueAt(line, chosen.from), ...line.values.filter((_, i) => line.ns[i] >= chosen.from && line.ns[i] <= chosen.to)]);
  const values = seen.filter(v => v !== undefined), low = values.reduce((a, b) => Math.min(a, b), 0), high = values.reduce((a, b) => Math.max(a, b), 0);
  const [ctx, width, height] = begin(canvas, 130);
  const plane = axes(ctx, width, height, timeAxis(), {low, high: unit === "share" ? 1 : high || 1, unit});
  ctx.save();
  ctx.beginPath();
  ctx.rect(LEFT, 0, width - LEFT - 10, height - BOTTOM + 2);
  ctx.clip();
  lines.forEach((line, i) => {
    ctx.strokeStyle = palette[i % palette.length];
    ctx.lineWidth = 1.4;
    ctx.beginPath();
    line.ns.forEach((t, k) => {
      if (k) ctx.lineTo(plane.px(t), plane.py(line.values[k - 1])); else ctx.moveTo(plane.px(t), plane.py(0));
      ctx.lineTo(plane.px(t), plane.py(line.values[k]));
    });
    ctx.stroke();
  });
  ctx.restore();
  const said = time => legend.replaceChildren(...lines.map((line, i) => {
    const value = time === undefined ? undefined : valueAt(line, time), name = line.name.replace(/_(bps|bytes|ns)\b/, "").replaceAll("_", " ");
    return key(palette[i % palette.length], name + (value === undefined ? "" : `: ${text(value, unit)}`));
  }), element("small", time === undefined ? "" : `at ${text(time, "ns")}`));
  said();
  pointer(canvas, {tall: true, move: x => said(plane.toX(x)), box: (x0, _, x1) => zoomTime(plane, x0, x1)});
}

// ---------------------------------------------------------------------------------------- flows

const flows = run.flows;
let plane = null, filtered = [];

function bytes(word, otherwise) {
  const [, number, prefix] = word.trim().match(/^([\d.]+)\s*([kKMG]?)i?B?$/) ?? [];
  return number === undefined ? otherwise : number * {"": 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9}[prefix];
}

function filter() {
  const range = (word, otherwise) => word.includes("-") ? word.split("-") : otherwise(word);
  const scope = $("scope").value, [first, last] = range($("nic").value.replaceAll("nic", ""), word => [word, word]);
  const [low, high] = range($("size").value, word => [word, ""]), least = bytes(low, 0), most = bytes(high, Infinity);
  const near = nic => nic >= +first && nic <= +(last || 1e9);
  filtered = flows.id.map((_, i) => i).filter(i => (scope === "all" || flows.inter[i] === +(scope === "inter")) &&
    (!$("nic").value || near(flows.src[i]) || near(flows.dst[i])) && flows.bytes[i] >= least && flows.bytes[i] <= most);
  chosen.box = null;
}

/** Slowdown; what is not done is slower. */
function slowness(i) { return flows.slowdown[i] ?? Number.MAX_VALUE; }

function drawFlows() {
  const over = $("over").value, drawn = filtered.filter(i => flows.slowdown[i] !== null);
  const slow = drawn.map(i => flows.slowdown[i]).sort((a, b) => a - b), rank = p => slow[Math.max(1, Math.ceil(p * slow.length)) - 1];
  $("flowsText").textContent = `${filtered.length} flows` + (slow.length ? `, slowdown: mean ${(slow.reduce((a, b) => a + b, 0) / slow.length).toFixed(2)}, ` +
    `P50 ${rank(0.5).toFixed(2)}, P99 ${rank(0.99).toFixed(2)}` : "") + (drawn.length < filtered.length ? `; ${filtered.length - drawn.length} not finished` : "") +
    (run.step > 1 ? ` (one flow of ${run.step} is here)` : "");
  const extent = values => values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
  const box = chosen.box ?? {x: over === "start" ? [0, run.end] : extent(drawn.map(i => flows.bytes[i])), y: [Math.min(1, slow[0] ?? 1), (slow.at(-1) ?? 1) * 1.1]};
  const [ctx, width, height] = begin($("flows"), drawn.length ? 300 : 1);
  plane = null;
  if (drawn.length) {
    const wide = chosen.box || over === "start" ? box.x : [box.x[0] / 1.2, box.x[1] * 1.2];
    plane = axes(ctx, width, height, {low: wide[0], high: wide[1], log: over !== "start", unit: over === "start" ? "ns" : "B"},
                 {low: box.y[0], high: box.y[1], log: true, unit: ""});
    const palette = colours(), dot = drawn.length > 5000 ? 2 : 4;
    ctx.save();
    ctx.beginPath();
    ctx.rect(LEFT, 0, width - LEFT, height - BOTTOM + 3);
    ctx.clip();
    ctx.globalAlpha = 0.7;
    for (const i of drawn) {
      ctx.fillStyle = palette[flows.inter[i]];
      ctx.fillRect(plane.px(flows[over][i]) - dot / 2, plane.py(flows.slowdown[i]) - dot / 2, dot, dot);
    }
    ctx.globalAlpha = 1;
    if (drawn.includes(chosen.flow)) {
      ctx.strokeStyle = css("--ink");
      ctx.strokeRect(plane.px(flows[over][chosen.flow]) - 5, plane.py(flows.slowdown[chosen.flow]) - 5, 10, 10);
    }
    ctx.restore();
    $("flowsKey").replaceChildren("slowdown of flows ", ...["within a datacenter", "across datacenters"].map((name, i) => key(palette[i], name)));
  }
  const slowest = [...filtered].sort((a, b) => slowness(b) - slowness(a) || a - b).slice(0, SHOWN);
  table($("slowest"), ["flow", "from", "to", "size", "start", "FCT", "slowdown"], slowest.map(i => [
    flows.id[i], `nic${flows.src[i]}`, `nic${flows.dst[i]}`, text(flows.bytes[i], "B"), flows.start[i] === null ? "-" : text(flows.start[i], "ns"),
    ...flows.fct[i] === null ? ["-", "not finished"] : [text(flows.fct[i], "ns"), flows.slowdown[i].toFixed(2)]]), k => { chosen.flow = slowest[k]; show(); });
}

function flowAt(x, y) {
  const over = $("over").value;
  let best = -1, nearest = 15;
  for (const i of filtered) {
    const distance = Math.hypot(plane.px(flows[over][i]) - x, plane.py(flows.slowdown[i]) - y);
    if (distance < nearest) [best, nearest] = [i, distance];
  }
  return best;
}

// ----------------------------------------------------------------------------------------- page

function drawChosen() {
  const port = chosen.port, i = chosen.flow, mine = run.links.flat().includes(port) ? run.links.find(pair => pair.includes(port)) : [];
  const ofPort = [...(linesOf.get(`port ${port}`) ?? []), ...sharesOf(port), ...(linesOf.get(`node ${names(port)}`) ?? [])];
  $("port").value = port;
  $("portText").textContent = !port ? "None is chosen." : (mine.length ? `To ${mine.find(other => other !== port)}. ` : "No such port. ") +
    (ofPort.length ? "" : "Nothing was recorded of it. ") + missing("queues.csv", "utilisation.csv", "pauses.csv");
  charts($("portLines"), ofPort);
  $("flow").value = i < 0 ? "" : flows.id[i];
  const ofFlow = i < 0 ? [] : linesOf.get(`flow ${flows.id[i]}`) ?? [];
  $("flowText").textContent = i < 0 ? "None is chosen." :
    `nic${flows.src[i]} to nic${flows.dst[i]}, ${text(flows.bytes[i], "B")}, starts ` + (flows.start[i] === null ? "never" : `at ${text(flows.start[i], "ns")}`) +
    (flows.fct[i] === null ? ", is not finished" : `, takes ${text(flows.fct[i], "ns")}, slowdown ${flows.slowdown[i].toFixed(2)}`) +
    `, ${flows.retransmitted[i]} packets sent again. ` + (ofFlow.length ? "" : "Nothing was recorded of it over time. ") + missing("rates.csv", "transport.csv");
  charts($("flowLines"), ofFlow);
  charts($("otherLines"), linesOf.get("run ") ?? []);
}

function show() {
  $("at").value = chosen.at;
  $("atText").textContent = chosen.at < 0 ? "whole run" : `at ${text((chosen.at + 0.5) / bins * run.end, "ns")}`;
  drawNetwork();
  drawHeat();
  drawFlows();
  drawChosen();
}

function choosePort(port) {
  chosen.port = port;
  show();
}

(function start() {
  const {configuration = {}, counters = {}, versions = {}} = run.summary;
  document.title = $("name").textContent = run.name;
  const cards = [["flows finished", `${run.counts.finished} of ${run.counts.total}`], ["slowdown, mean", run.slowdowns[1][0][3]],
                 ["slowdown, P99", run.slowdowns[1][0][5]], ["pauses sent", counters.pfcXoffSent], ["frames dropped", counters.framesDropped],
                 ["packets sent again", counters.retransmitted], ["frames marked", counters.ecnMarked], ["seed", run.summary.seed], ["end", ENDS[run.summary.end] ?? run.summary.end],
                 ["rate law", run.given.cc || configuration.cc], ["ns-3 RoCE", versions["ns-3-roce"]]];
  $("cards").append(...cards.filter(([, value]) => value !== undefined && value !== null && value !== "").map(
    ([name, value]) => element("div", [element("small", name), element("b", String(value))])));
  $("remarks").append(...(run.summary.warnings ?? []).map(line => element("p", line, {className: "warn"})),
                      ...run.notes.map(line => element("p", line, {className: "muted"})),
                      ...(run.thinned.length ? [element("p", `Thinned: ${run.thinned.join("; ")}.`, {className: "muted"})] : []));
  table($("slowdowns"), ...run.slowdowns);
  const options = Object.entries(Object.keys(run.given).length ? {...configuration, ...run.given} : configuration).filter(([, value]) => value !== "");
  const list = () => table($("options"), ["option", "value"], options.filter(pair => pair.join("=").toLowerCase().includes($("option").value.toLowerCase()))
    .map(([name, value]) => [name in run.given ? `${name} (given)` : name, value]));
  $("option").oninput = list;
  list();
  $("kind").append(...kinds.map(kind => element("option", KINDS[kind], {value: kind})));
  $("kind").hidden = $("at").hidden = $("atText").hidden = !kinds.length;
  $("at").max = bins - 1;
  if (!run.links.length) $("networkText").textContent = "summary.json does not say how ports are joined.";
  if (run.ports.length <= 2000) $("ports").append(...run.ports.map(port => element("option", "", {value: port})));
  const paused = run.pauses.rows.slice(0, 2 * SHOWN);
  $("pausesText").textContent = run.pauses.source ? `${run.pauses.rows.length} ports were paused (${run.pauses.source})` +
    (paused.length < run.pauses.rows.length ? `, here the ${paused.length} for longest.` : ".") : "Not recorded: --pfc=1 or --pauses=10us.";
  if (paused.length) table($("pauses"), ["port", "times", "in all", "from", "to"], paused.map(([port, times, ...ns]) => [
    port, times, ...ns.map(t => text(t, "ns"))]), k => { chosen.kind = $("kind").value = "paused"; choosePort(paused[k][0]); });
  $("others").hidden = !linesOf.has("run ");
  $("kind").onchange = () => { chosen.kind = $("kind").value; show(); };
  $("at").oninput = () => { chosen.at = +$("at").value; show(); };
  $("port").onchange = () => choosePort($("port").value.trim());
  $("flowTime").onclick = () => {
    const i = chosen.flow, from = flows.start[i], long = flows.fct[i] ?? run.end - from;
    if (i >= 0 && from !== null) Object.assign(chosen, {from: Math.max(0, from - 0.05 * long), to: Math.min(run.end, from + 1.05 * long)});
    show();
  };
  $("flow").onchange = () => { chosen.flow = flows.id.indexOf(+$("flow").value); show(); };
  for (const id of ["scope", "nic", "size", "over"]) $(id).oninput = () => { filter(); show(); };
  pointer($("network"), {move: (x, y) => { $("networkText").textContent = portAt(x, y).join(", ") || "Click a link or a NIC."; }, click: (x, y) => {
    const ports = portAt(x, y);
    if (ports.length) chosen.port = ports[(ports.indexOf(chosen.port) + 1) % ports.length];
  }});
  pointer($("heat"), {tall: true, move: (x, y) => {
    const {ports = [], most = 1} = run.heat.kinds[chosen.kind] ?? {}, port = map && ports[Math.floor(map.toY(y))], time = map?.toX(x);
    $("heatAt").textContent = port && x > LEFT && time < run.end ? `${port} at ${text(time, "ns")}: ` +
      text(row(chosen.kind, port)[Math.floor(time / run.end * bins)] / 255 * most, chosen.kind === "queue" ? "B" : "share") : "";
  }, box: (x0, _, x1) => map && zoomTime(map, x0, x1), click: (x, y) => {
    const ports = run.heat.kinds[chosen.kind]?.ports ?? [], port = map && ports[Math.floor(map.toY(y))];
    if (port && x > LEFT) Object.assign(chosen, {port, at: Math.min(bins - 1, Math.floor(map.toX(x) / run.end * bins))});
    else if (port) chosen.port = port;
  }});
  pointer($("flows"), {click: (x, y) => { if (plane) chosen.flow = flowAt(x, y); }, box: (x0, y0, x1, y1) => {
    if (plane) chosen.box = {x: [plane.toX(x0), plane.toX(x1)], y: [plane.toY(y1), plane.toY(y0)]};
  }});
  filter();
  addEventListener("resize", show);
  dark.addEventListener("change", show);
  chosen.flow = filtered.reduce((a, b) => a < 0 || slowness(b) > slowness(a) ? b : a, -1);
  const busiest = (run.heat.kinds[chosen.kind]?.ports ?? []).map(port => [row(chosen.kind, port).reduce((a, b) => a + b, 0), port]);
  chosen.port = busiest.reduce((a, b) => b[0] > a[0] ? b : a, [0, ""])[1];
  show();
})();
