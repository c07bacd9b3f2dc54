// Two times side by side: what each program got, how long its bursts took, and what held it.
import {find, make} from "./elements.js";
import {pairsOf, stretchOf} from "./stretch.js";
import {lengthText} from "./words.js";

const MOST_CAUSES = 3;

const percentText = (percent) => (percent === null ? "–" : `${percent.toFixed(0)} %`);
function points(a, b) {
  if (a === null || b === null) return "";
  const change = Math.round(b - a);
  return `${change < 0 ? "−" : "+"}${Math.abs(change)} points`;
}
const times = (a, b) => (a && b !== null ? `× ${(b / a).toFixed(2)}` : "");

function whyText({causes}) {
  const texts = causes.slice(0, MOST_CAUSES).map((cause) => {
    const behind = cause.behind ? ` behind ${cause.behind}` : "";
    return `${lengthText(cause.us / 1000)}${behind} (${cause.sentence})`;
  });
  return texts.join("; ") || "not held";
}

// [name, text of a side, change from one to the other]
const LINES = [
  ["Got", (it) => percentText(it.got), (a, b) => points(a.got, b.got)],
  ["Ran", (it) => percentText(it.ran), (a, b) => points(a.ran, b.ran)],
  ["Held", (it) => percentText(it.held), (a, b) => points(a.held, b.held)],
  ["Bursts", (it) => String(it.bursts), (a, b) => times(a.bursts, b.bursts)],
  ["p50", (it) => lengthText(it.p50), (a, b) => times(a.p50, b.p50)],
  ["p99", (it) => lengthText(it.p99), (a, b) => times(a.p99, b.p99)],
  ["Held why", whyText, () => ""],
];

function headOf(a, b) {
  const same = !a || !b || (a.pid === b.pid && a.program === b.program);
  const name = same ? `${(a ?? b).program}, pid ${(a ?? b).pid}` : `${a.program}, pid ${a.pid}, and pid ${b.pid}`;
  const heading = make("th", "", `${name}, on ${(a ?? b).device}`);
  heading.scope = "rowgroup";
  heading.colSpan = 4;
  return heading;
}

function bodyOf([a, b]) {
  const body = make("tbody");
  body.insertRow().append(headOf(a, b));
  for (const [name, textOf, changeOf] of LINES) {
    const row = body.insertRow();
    const why = textOf === whyText;
    if (why) row.className = "why";
    const heading = make("th", "", name);
    heading.scope = "row";
    row.append(heading);
    for (const [side, it] of [["A", a], ["B", b]]) {
      const cell = make("td", why ? "" : "number", it ? textOf(it) : "not there");
      if (why) cell.dataset.label = side;
      row.append(cell);
    }
    row.append(make("td", "number", a && b ? changeOf(a, b) : ""));
  }
  return body;
}

export class Compare {
  // `timeline` shows what is to be taken; `sourceName` says what it is of.
  constructor(timeline, sourceName) {
    Object.assign(this, {timeline, sourceName, taken: {a: null, b: null}});
    find("compare-toggle").addEventListener("click", () => this.open(find("compare").hidden));
    find("take-a").addEventListener("click", () => this.take("a"));
    find("take-b").addEventListener("click", () => this.take("b"));
  }
  open(on) {
    find("compare").hidden = !on;
    find("compare-toggle").setAttribute("aria-expanded", String(on));
  }
  take(side) {
    const to = this.timeline.endTime();
    const stretch = stretchOf(this.timeline.lanes, to - this.timeline.span, to, this.sourceName());
    this.taken[side] = stretch;
    const {timeline} = this;
    find(`taken-${side}`).textContent = `${stretch.name}, ${timeline.timeText(stretch.from)} to ${timeline.timeText(to)} ` +
      `(${lengthText(timeline.span / 1000)})`;
    this.show();
  }
  show() {
    const {a, b} = this.taken;
    const table = find("compared");
    table.hidden = !a || !b;
    if (table.hidden) return;
    for (const body of [...table.tBodies]) body.remove();
    table.append(...pairsOf(a, b).map(bodyOf));
    const same = a.lanes === b.lanes ? "" : " Programs of two sources are paired by their names.";
    find("compare-told").textContent = `A and B are compared below.${same}`;
  }
}
