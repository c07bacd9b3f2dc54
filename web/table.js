// The programs' rows, changed in place so that focus stays where it is; the devices' cards.
import {make, programLink, setText} from "./elements.js";
import {Sorting} from "./sorting.js";
import {deviceText, lengthText, sizeText} from "./words.js";

const LOOKS = 60;

function cell(row, className, label) {
  const made = make("td", className);
  if (label) made.dataset.label = label;
  row.append(made);
  return made;
}

function twoLines(at) {
  const lines = [make("span"), make("div", "more")];
  at.append(...lines);
  return lines;
}

class Row {
  constructor(program, onExplain) {
    this.history = [];
    this.row = make("tr");
    this.row.dataset.pid = program.pid;
    this.row.addEventListener("click", (event) => {
      if (!event.target.closest("a") && getSelection().isCollapsed) onExplain(program.client);
    });
    const name = cell(this.row, "");
    this.name = programLink(program.pid, "", "name-link");
    this.pid = make("span", "pid");
    this.why = make("div", "why");
    name.append(this.name, " ", this.pid, this.why);
    this.chip = make("span", "chip");
    cell(this.row, "").append(this.chip);
    this.priority = cell(this.row, "number", "priority");
    this.makeShare(cell(this.row, "wide"));
    this.held = cell(this.row, "number", "held");
    this.holds = cell(this.row, "number", "holds/s");
    this.p50 = cell(this.row, "number", "p50");
    this.p99 = cell(this.row, "number", "p99");
    this.memory = twoLines(cell(this.row, "number mem", "memory"));
    this.memoryLimit = twoLines(cell(this.row, "number mem moved", "memory limit"));
    this.swaps = twoLines(cell(this.row, "number mem moved", "swaps"));
    this.makeSpark(cell(this.row, ""));
  }
  makeShare(at) {
    this.meter = make("div", "meter");
    this.bar = make("i");
    this.asked = make("b", "asked");
    this.meter.append(this.bar, this.asked);
    this.got = make("span");
    const share = make("div", "share");
    share.append(this.meter, this.got);
    at.append(share);
  }
  makeSpark(at) {
    const svg = (tag) => document.createElementNS("http://www.w3.org/2000/svg", tag);
    const spark = svg("svg");
    spark.setAttribute("viewBox", `0 0 ${LOOKS - 1} 24`);
    spark.setAttribute("preserveAspectRatio", "none");
    spark.setAttribute("class", "spark");
    spark.setAttribute("aria-hidden", "true");
    this.line = svg("polyline");
    this.line.setAttribute("class", "spark-line");
    spark.append(this.line);
    at.append(spark);
  }
  showMemory(program) {
    const show = ([first, second], text, more) => {
      setText(first, text);
      setText(second, more);
    };
    const size = (bytes, words) => (bytes ? `${sizeText(bytes)} ${words}` : "");
    show(this.memory, sizeText(program.memory_on_card), size(program.memory_on_host, "on host"));
    show(this.memoryLimit, sizeText(program.memory_limit), size(program.memory_guarantee, "stay"));
    show(this.swaps, program.memory_swaps ? String(program.memory_swaps) : "–",
         program.memory_waited_ms ? `${lengthText(program.memory_waited_ms)} waited` : "");
  }
  show(program) {
    setText(this.name, program.program || "?");
    this.name.setAttribute("aria-label", `${program.program}, pid ${program.pid}: why it is as fast as it is`);
    setText(this.why, program.headline);
    this.why.title = program.headline;
    setText(this.pid, String(program.pid));
    setText(this.chip, program.state);
    this.chip.className = `chip ${program.state}`;
    setText(this.priority, String(program.priority));
    const got = program.got_percent;
    this.bar.style.transform = `scaleX(${Math.min(got ?? 0, 100) / 100})`;
    this.asked.hidden = !program.wanted;
    this.asked.style.left = `${program.wanted}%`;
    const asked = program.wanted ? ` of ${program.wanted} %` : " %";
    setText(this.got, got === null ? "alone" : `${got.toFixed(0)}${asked}`);
    setText(this.held, `${program.held_percent.toFixed(0)} %`);
    setText(this.holds, String(program.preemptions_per_s));
    setText(this.p50, lengthText(program.burst_p50_ms));
    setText(this.p99, lengthText(program.burst_p99_ms));
    this.showMemory(program);
    this.history.push(got ?? (program.state === "runs" ? 100 : 0));
    if (this.history.length > LOOKS) this.history.shift();
    const begin = LOOKS - this.history.length;
    this.line.setAttribute("points", this.history.map((value, i) => `${begin + i},${23 - value * 0.22}`).join(" "));
  }
}

export class ProgramTable {
  constructor(table, nothing, noMatch, onExplain) {
    Object.assign(this, {table, body: table.tBodies[0], nothing, noMatch, onExplain, rows: new Map(), filter: "", programs: []});
    this.sorting = new Sorting(table.tHead, () => this.order());
  }
  show(programs) {
    this.programs = programs;
    const here = new Set(programs.map((program) => program.client));
    for (const [client, row] of this.rows) {
      if (here.has(client)) continue;
      row.row.remove();
      this.rows.delete(client);
    }
    for (const program of programs) this.showOne(program);
    this.order();
    this.tellNothing();
    const hasMemory = (it) => it.memory_on_card || it.memory_on_host || it.memory_limit || it.memory_guarantee;
    this.table.classList.toggle("no-memory", !programs.some(hasMemory));
    const mayMove = (it) => it.memory_on_host || it.memory_limit || it.memory_guarantee || it.memory_swaps;
    this.table.classList.toggle("stays", !programs.some(mayMove));
  }
  order() {
    this.sorting.sorted(this.programs).forEach((program, at) => {
      const {row} = this.rows.get(program.client);
      if (this.body.children[at] !== row) this.body.insertBefore(row, this.body.children[at] ?? null);
    });
  }
  showOne(program) {
    let row = this.rows.get(program.client);
    if (!row) {
      row = new Row(program, this.onExplain);
      this.rows.set(program.client, row);
    }
    row.show(program);
    row.row.hidden = !this.matches(program);
  }
  matches(program) {
    return `${program.program} ${program.pid} ${program.headline}`.toLowerCase().includes(this.filter.toLowerCase());
  }
  find(text) {
    this.filter = text;
    for (const program of this.programs) this.rows.get(program.client).row.hidden = !this.matches(program);
    this.tellNothing();
  }
  tellNothing() {
    const all = this.programs.length;
    this.nothing.hidden = all > 0;
    this.noMatch.hidden = all === 0 || this.programs.some((program) => this.matches(program));
    setText(this.noMatch, `No match: none of ${all} program${all === 1 ? "" : "s"} has “${this.filter}” in its line.`);
  }
}

export function showDevices(at, devices) {
  while (at.children.length > devices.length) at.lastChild.remove();
  while (at.children.length < devices.length) {
    const card = make("div", "card device");
    const meter = make("div", "meter");
    meter.append(make("i"));
    card.append(make("span", "name"), make("span", "use"), meter, make("span", "quiet"));
    at.append(card);
  }
  devices.forEach((device, i) => {
    const [name, use, meter, more] = at.children[i].children;
    setText(name, deviceText(device));
    setText(use, device.use_percent === null ? "in use" : `${device.use_percent.toFixed(0)} %`);
    meter.firstChild.style.transform = `scaleX(${(device.use_percent ?? 0) / 100})`;
    const own = device.programs === 1 ? "1 program" : `${device.programs} programs`;
    const programs = device.others_at_work > 0 ? `${own}, ${device.others_at_work} of other users` : own;
    const alone = device.use_percent === null && !device.others_at_work;
    setText(more, alone ? `${programs}; no other program competes, so its use is not measured` : programs);
  });
}
