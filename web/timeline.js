// The timeline on a canvas: a row for each program on each device, the newest at the right edge. Pointer and keys.
import {Drag} from "./drag.js";
import {lengthText, programText, STATES} from "./words.js";

const ROW = 26, BAR = 16, TITLE = 26, AXIS = 22;
const BEHIND_US = 120e3;  // live it is so far behind, so that what is drawn has been told
const ORDER = ["idle", "alone", "runs", "held", "suspended"];
const narrow = () => innerWidth < 640;

export class Timeline {
  // `onExplain(client)`: a program is wanted; `onStretch(from, to)`: a stretch was chosen by dragging.
  constructor(canvas, tip, told, onExplain, onStretch) {
    Object.assign(this, {canvas, tip, told, onExplain, span: 10e6, lanes: null, end: null, offset: null, pointer: null,
                         chosen: null, rows: [], known: -1, colours: null, only: 0});
    this.drag = new Drag(canvas, (x) => this.timeAt(x), onStretch);
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", () => this.point(null));
    canvas.addEventListener("click", (event) => this.click(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("blur", () => { this.chosen = null; this.showTip(); });
  }
  show(lanes) {
    this.lanes = lanes;
    this.known = -1;
    this.chosen = null;
  }
  // Only the lanes of this program, with its queues; 0: those of all.
  showOnly(client) {
    Object.assign(this, {only: client, known: -1, chosen: null});
  }
  shownColours() {
    if (!this.colours) this.readColours();
    return this.colours;
  }
  readColours() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    this.colours = Object.fromEntries([...ORDER, "text", "quiet", "line", "accent"].map((it) => [it, colour(it)]));
  }
  // The server's clock now; `at` null: live.
  setClock(now_us) {
    const offset = now_us - performance.now() * 1000;
    this.offset = this.offset === null ? offset : Math.max(offset, this.offset - 2000);
  }
  liveTime() {
    return performance.now() * 1000 + (this.offset ?? 0) - BEHIND_US;
  }
  endTime() {
    return this.end ?? this.liveTime();
  }
  // The time at a place of the canvas.
  timeAt(x) {
    const right = Math.min(Math.max(x, this.left), this.width);
    return this.endTime() - this.span * (1 - (right - this.left) / (this.width - this.left));
  }
  layOut() {
    if (this.known === this.lanes.version) return;
    this.known = this.lanes.version;
    this.rows = [];
    let y = AXIS;
    let device = null;
    for (const lane of this.lanes.sorted(this.lanes.recorded ? 0 : this.only)) {
      if (lane.device !== device) {
        device = lane.device;
        this.rows.push({title: this.lanes.deviceText(device), y});
        y += TITLE;
      }
      this.rows.push({lane, y});
      y += narrow() ? ROW + 14 : ROW;
    }
    this.height = Math.max(y + 6, 90);
    this.canvas.style.height = `${this.height}px`;
  }
  resize() {
    const scale = devicePixelRatio || 1;
    const width = Math.round(this.canvas.clientWidth * scale);
    const height = Math.round(this.height * scale);
    if (this.canvas.width !== width) { this.canvas.width = width; this.known = -1; }
    if (this.canvas.height !== height) this.canvas.height = height;
    this.width = this.canvas.clientWidth;
    this.left = narrow() ? 0 : 190;
    return scale;
  }
  draw() {
    if (!this.lanes) return;
    this.shownColours();
    this.layOut();
    const scale = this.resize();
    const context = this.canvas.getContext("2d");
    const box = this.canvas.getBoundingClientRect();
    const top = Math.max(0, -box.top);
    const bottom = Math.min(this.height, innerHeight - box.top);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    const end = this.endTime();
    this.drawAxis(context, end, Math.min(bottom, this.height));
    const rects = Object.fromEntries(ORDER.map((state) => [state, []]));
    const visible = this.rows.filter((row) => row.y + TITLE >= top && row.y <= bottom);
    for (const row of visible) if (row.lane) this.collect(row, end, rects);
    for (const state of ORDER) {
      context.fillStyle = this.colours[state];
      const list = rects[state];
      for (let i = 0; i < list.length; i += 3) context.fillRect(list[i], list[i + 1], list[i + 2], BAR);
    }
    for (const row of visible) this.drawName(context, row);
    this.drawChosen(context, end);
    this.drawDrag(context);
    if (this.pointer || this.chosen) this.showTip();
  }
  // What is drawn now as a PNG, on the page's background.
  picture() {
    const copy = Object.assign(document.createElement("canvas"), {width: this.canvas.width, height: this.canvas.height});
    const context = copy.getContext("2d");
    context.fillStyle = getComputedStyle(document.body).backgroundColor;
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(this.canvas, 0, 0);
    return new Promise((done) => { copy.toBlob(done, "image/png"); });
  }
  barTop(row) {
    return row.y + (narrow() ? 18 : (ROW - BAR) / 2);
  }
  // Rectangles of a row, by colour. What is narrower than a pixel becomes one pixel of what there was most of.
  collect(row, end, rects) {
    const {left} = this;
    const begin = end - this.span;
    const perUs = (this.width - left) / this.span;
    const y = this.barTop(row);
    const segments = row.lane.segments;
    let pixel = -1;
    let parts = {};
    const flush = () => {
      if (pixel < 0) return;
      const most = Object.keys(parts).reduce((a, b) => (parts[b] > parts[a] ? b : a));
      rects[most].push(pixel, y, 1);
      pixel = -1;
      parts = {};
    };
    for (let i = firstAfter(segments, begin); i < segments.length; ++i) {
      const segment = segments[i];
      if (segment.from > end) break;
      const x0 = left + Math.max(segment.from - begin, 0) * perUs;
      const x1 = left + (Math.min(segment.to ?? end, end) - begin) * perUs;
      if (x1 - x0 >= 1) {
        flush();
        rects[segment.state].push(x0, y, x1 - x0);
        continue;
      }
      const at = Math.floor(x0);
      if (at !== pixel) flush();
      pixel = at;
      parts[segment.state] = (parts[segment.state] ?? 0) + (x1 - x0);
    }
    flush();
  }
  // The time of day of a moment that was live; in a recording the time since its begin.
  timeText(at) {
    if (this.offset === null || this.lanes?.recorded) return `${(at / 1e6).toFixed(2)} s`;
    return this.dateOf(at).toLocaleTimeString([], {hour12: false, hour: "2-digit", minute: "2-digit", second: "2-digit",
                                                  fractionalSecondDigits: 1});
  }
  // The time of day of a moment that was live.
  dateOf(at) {
    return new Date(Date.now() - (performance.now() + this.offset / 1000 - at / 1000));
  }
  drawAxis(context, end, bottom) {
    const {left, width} = this;
    const step = this.span / (narrow() ? 4 : 10);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (let i = 0; i <= this.span / step; ++i) {
      const x = width - (i * step * (width - left)) / this.span;
      context.fillStyle = this.colours.line;
      context.fillRect(Math.min(x, width - 1), AXIS - 4, 1, bottom - AXIS);
      const text = i === 0 ? (this.end === null ? "now" : this.timeText(end)) : `−${Number(((i * step) / 1e6).toPrecision(3))} s`;
      context.fillStyle = this.colours.quiet;
      context.textAlign = i === 0 ? "right" : x - left < 20 ? "left" : "center";
      context.fillText(text, x, 9);
    }
  }
  drawName(context, row) {
    context.textAlign = "left";
    if (row.title) {
      context.fillStyle = this.colours.quiet;
      context.font = "600 12px system-ui, sans-serif";
      context.fillText(row.title, 0, row.y + TITLE / 2 + 3);
      return;
    }
    if (row.lane.slot !== undefined) return this.drawQueueName(context, row);
    const program = this.lanes.programs.get(row.lane.client);
    const y = narrow() ? row.y + 9 : row.y + ROW / 2;
    context.font = "14px system-ui, sans-serif";
    context.fillStyle = this.colours.text;
    const name = clipped(context, shortName(context, program?.program ?? "?", 96), 96);
    context.fillText(name, 0, y);
    const after = context.measureText(name).width + 8;
    context.fillStyle = this.colours.quiet;
    context.font = "12px system-ui, sans-serif";
    context.fillText(`${program?.pid ?? ""} · p${program?.priority ?? 0}`, after, y);
  }
  drawQueueName(context, row) {
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = this.colours.quiet;
    context.fillText(`queue ${row.lane.slot + 1}`, 16, narrow() ? row.y + 9 : row.y + ROW / 2);
  }
  drawChosen(context, end) {
    const {chosen} = this;
    const row = chosen && this.rows.find((it) => it.lane === chosen.lane);
    if (!row) return;
    const begin = end - this.span;
    const perUs = (this.width - this.left) / this.span;
    const x0 = this.left + Math.max(chosen.segment.from - begin, 0) * perUs;
    const x1 = this.left + Math.max((chosen.segment.to ?? end) - begin, 0) * perUs;
    context.strokeStyle = this.colours.accent;
    context.lineWidth = 2;
    context.strokeRect(x0 - 1, this.barTop(row) - 3, Math.max(x1 - x0, 2) + 2, BAR + 6);
  }
  drawDrag(context) {
    const shown = this.drag.shown();
    if (!shown) return;
    context.globalAlpha = 0.25;
    context.fillStyle = this.colours.accent;
    context.fillRect(shown[0], AXIS, shown[1] - shown[0], this.height - AXIS);
    context.globalAlpha = 1;
  }
  rowAt(y) {
    return this.rows.find((row) => row.lane && y >= row.y && y < row.y + (narrow() ? ROW + 14 : ROW));
  }
  point(event) {
    this.pointer = event && {x: event.offsetX, y: event.offsetY};
    this.showTip();
  }
  underPointer() {
    const row = this.pointer && this.rowAt(this.pointer.y);
    if (!row || this.pointer.x < this.left) return null;
    const at = this.timeAt(this.pointer.x);
    const {segments} = row.lane;
    const segment = segments[firstAfter(segments, at)];
    return segment && segment.from <= at ? {lane: row.lane, segment, x: this.pointer.x, y: this.pointer.y} : null;
  }
  // [headline, more] of a segment.
  tell({lane, segment}) {
    const program = this.lanes.programs.get(lane.client);
    const length = ((segment.to ?? this.endTime()) - segment.from) / 1000;
    const lines = [`${STATES[segment.state]}${segment.to === null ? " for" : ""} ${lengthText(Math.max(length, 0))}`];
    if (segment.by) lines.push(`behind ${programText(this.lanes.programs.get(segment.by))}, ` +
                               `priority ${this.lanes.programs.get(segment.by)?.priority ?? "?"}`);
    if (segment.state === "held" || segment.state === "suspended") lines.push(this.lanes.reasons.get(segment.reason) ?? "");
    const queue = lane.slot === undefined ? "" : ` queue ${lane.slot + 1}`;
    return [`${programText(program)}${queue} on ${this.lanes.deviceText(lane.device)}`, lines.filter((line) => line).join("; ")];
  }
  showTip() {
    const found = this.chosen ?? this.underPointer();
    this.tip.hidden = !found;
    if (!found) return;
    const [headline, more] = this.tell(found);
    this.tip.replaceChildren(Object.assign(document.createElement("b"), {textContent: headline}), more);
    const row = this.rows.find((it) => it.lane === found.lane);
    const x = found.x ?? this.xOf(found.segment);
    this.tip.style.left = `${Math.max(0, Math.min(x + 12, this.width - 292))}px`;
    this.tip.style.top = `${(row?.y ?? 0) + ROW + (narrow() ? 16 : 4)}px`;
  }
  xOf(segment) {
    const begin = this.endTime() - this.span;
    return this.left + (Math.max(segment.from - begin, 0) / this.span) * (this.width - this.left);
  }
  click(event) {
    const row = this.drag.wasDrag() ? null : this.rowAt(event.offsetY);
    if (row) this.onExplain(row.lane.client);
  }
  key(event) {
    const steps = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
    if (event.key === "Escape" && this.chosen) this.chosen = null;
    else if (event.key === "Enter" && this.chosen) this.onExplain(this.chosen.lane.client);
    else if (event.key === "q" && this.chosen) this.toggleQueues();
    else if (steps[event.key]) this.choose(...steps[event.key]);
    else return;
    event.preventDefault();
    this.showTip();
    this.told.textContent = this.chosen ? this.tell(this.chosen).join(": ") : "";
  }
  // A chosen queue that goes leaves its program chosen.
  toggleQueues() {
    const {client, device} = this.chosen.lane;
    this.lanes.toggle(client);
    const lane = this.lanes.lanes.get(`${client}/${device}`);
    if (lane) this.chosen = {lane, segment: lane.last()};
  }
  choose(down, right) {
    const lanes = this.rows.filter((row) => row.lane).map((row) => row.lane);
    if (lanes.length === 0) return;
    const before = lanes.indexOf(this.chosen?.lane);
    const lane = lanes[before < 0 ? 0 : Math.max(0, Math.min(before + down, lanes.length - 1))];
    const {segments} = lane;
    const now = before >= 0 && down === 0 ? segments.indexOf(this.chosen.segment) : segments.length - 1;
    const at = before < 0 ? now : Math.max(0, Math.min(now + right, segments.length - 1));
    this.chosen = {lane, segment: segments[at]};
  }
}

// The index of the first segment that ends after `at`.
function firstAfter(segments, at) {
  let low = 0;
  for (let high = segments.length - 1; low < high;) {
    const middle = (low + high) >> 1;
    if ((segments[middle].to ?? Infinity) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The name, without its interpreter where both do not fit.
function shortName(context, name, width) {
  return context.measureText(name).width <= width ? name : name.slice(name.lastIndexOf(" ") + 1);
}

function clipped(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  while (text.length > 1 && context.measureText(`${text}…`).width > width) text = text.slice(0, -1);
  return `${text}…`;
}
