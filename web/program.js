// A program's own page: why it is as fast as it is, its bursts against its target, its memory, its last runs, and what
// a person may change. Its address is ?program=PID.
import {get} from "./api.js";
import {drawBursts} from "./burst_chart.js";
import {Change} from "./change.js";
import {bucketOf, COUNT, countsOf} from "./buckets.js";
import {drawDistribution} from "./distribution.js";
import {addressOf, fillList, fillTable, find, setText} from "./elements.js";
import {burstRows, costRows, heldRows, memoryPairs, runRows, targetText} from "./facts.js";
import {programText} from "./words.js";

const AGAIN_MS = 1000;
const LONGEST = 5;

function histogram(bursts, lengthOf) {
  const counts = new Array(COUNT).fill(0);
  for (const burst of bursts) counts[bucketOf(Math.max(lengthOf(burst), 0) * 1000)]++;
  return counts;
}

export class ProgramPage {
  // `lanes`: live ones. `tell` and `sure`: page.js has them.
  constructor(lanes, timeline, runs, tell, sure) {
    Object.assign(this, {lanes, timeline, runs, pid: null, client: 0, timer: 0, told: false, filled: false});
    this.change = new Change(() => this.program(), tell, sure, () => this.refresh());
    addEventListener("popstate", () => this.show(this.addressed()));
    addEventListener("click", (event) => this.follow(event));
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.pid !== null && !event.defaultPrevented && !document.querySelector("dialog[open]"))
        this.go(null);
    });
  }
  // The process that the address names; null: none.
  addressed() {
    const pid = Number(new URLSearchParams(location.search).get("program"));
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  }
  // A plain click on a link to a program's page, or to all programs, loads nothing.
  follow(event) {
    const link = event.target.closest?.("a[data-pid], a[data-all]");
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.go("all" in link.dataset ? null : Number(link.dataset.pid));
  }
  go(pid) {
    if (pid === this.pid) return;
    history.pushState(null, "", addressOf(pid));
    this.show(pid);
  }
  // Shows the page of a process; null: all programs.
  show(pid) {
    const before = this.pid;
    clearTimeout(this.timer);
    Object.assign(this, {pid, client: 0, filled: false});
    document.querySelector("main").dataset.view = pid === null ? "all" : "program";
    this.timeline.showOnly(0);
    if (pid !== null) this.begin();
    else this.leave(before);
  }
  leave(before) {
    document.title = "XSched";
    document.querySelector(`#programs a[data-pid="${before}"]`)?.focus();
  }
  begin() {
    for (const id of ["program-headline", "program-advice", "program-bursts", "program-target"]) setText(find(id), "");
    for (const id of ["program-facts", "program-memory"]) find(id).replaceChildren();
    for (const id of ["held-by", "costs", "longest", "runs"]) fillTable(find(id), []);
    for (const id of ["held-by-none", "costs-none", "program-memory-none"]) find(id).hidden = true;
    setText(find("program-title"), `pid ${this.pid}`);
    document.title = `pid ${this.pid} – XSched`;
    scrollTo(0, 0);
    find("program-title").focus();
    this.change.begin();
    this.refresh();
  }
  // Programs have come: the page that waits for its program, or whose program went, looks at once.
  programsCame() {
    if (this.pid === null) return;
    if (!this.told || (this.program()?.client ?? 0) !== this.client) this.refresh();
  }
  // Runs have come that ended before the page was opened.
  pastCame() {
    if (this.pid !== null && !this.client) this.refresh();
  }
  program() {
    return this.lanes.present.find((program) => program.pid === this.pid) ?? null;
  }
  async refresh() {
    clearTimeout(this.timer);
    this.told = this.lanes.known;
    const {pid} = this;
    const program = this.program();
    find("program-live").hidden = !program && !this.filled;
    find("change-card").hidden = !program;
    if (!program) return this.showGone();
    this.arrive(program);
    try {
      const answer = await get(`explain?pid=${pid}`);
      if (this.pid !== pid) return;
      this.showExplained(answer.programs.find((it) => it.facts.client === program.client) ?? answer.programs[0]);
    } catch (error) {
      if (this.pid === pid) setText(find("program-headline"), error.message);
    }
    if (this.pid === pid) this.timer = setTimeout(() => this.refresh(), AGAIN_MS);
  }
  arrive(program) {
    const name = programText(program);
    setText(find("program-title"), name);
    document.title = `${name} – XSched`;
    find("program-state").className = `chip ${program.state}`;
    setText(find("program-state"), program.state);
    setText(find("program-command"), program.command ?? "");
    if (this.client !== program.client) this.timeline.showOnly(program.client);
    this.client = program.client;
    this.change.show(program);
    this.showBursts(program);
    this.showRuns(program.program);
  }
  showGone() {
    const run = this.runs.ofPid(this.pid);
    this.client = 0;
    find("program-state").className = "chip";
    setText(find("program-state"), this.lanes.known ? "ended" : "");
    if (run) setText(find("program-title"), programText({pid: run.pid, program: run.name}));
    const rest = this.filled ? "Below is what was last known of it, with this and other runs."
      : "The details of its bursts are gone with it. Below are this and other runs of it.";
    const sentence = run ? `It has ended, or left the server. ${rest}`
      : `The server has no program with the number ${this.pid}: it has ended, or has used no device yet.`;
    setText(find("program-headline"), this.lanes.known ? sentence : "");
    setText(find("program-advice"), "");
    this.showRuns(run?.name ?? "");
  }
  showExplained(explained) {
    this.filled = true;
    setText(find("program-headline"), explained.headline);
    const lines = explained.details.map((detail) => Object.assign(document.createElement("li"), {textContent: detail}));
    find("program-facts").replaceChildren(...lines);
    setText(find("program-advice"), explained.advice ? `What to do: ${explained.advice}` : "");
    fillTable(find("held-by"), heldRows(explained.facts));
    find("held-by-none").hidden = !find("held-by").hidden;
    fillTable(find("costs"), costRows(explained.facts));
    find("costs-none").hidden = !find("costs").hidden;
    fillList(find("program-memory"), memoryPairs(explained.facts));
    find("program-memory-none").hidden = find("program-memory").children.length > 0;
  }
  showBursts(program) {
    const bursts = this.lanes.ofClient(program.client).flatMap((lane) => lane.bursts);
    const seen = bursts.length > 0;
    const was = seen ? histogram(bursts, (it) => it.length) : countsOf(program.bursts ?? []);
    const own = histogram(bursts, (it) => it.length - it.held);
    const colours = this.timeline.shownColours();
    setText(find("program-bursts"), drawDistribution(find("bursts"), was, own, colours));
    find("recent").hidden = !seen;
    if (seen) drawBursts(find("recent"), bursts, program.slo_p99, this.timeline.liveTime(), colours);
    setText(find("program-target"), targetText(program, bursts));
    const longest = [...bursts].sort((a, b) => b.length - a.length).slice(0, LONGEST);
    fillTable(find("longest"), burstRows(longest, this.lanes, (at) => this.timeline.dateOf(at)));
  }
  showRuns(name) {
    fillTable(find("runs"), runRows(this.runs.of(name)));
    find("runs-none").hidden = !find("runs").hidden;
  }
}
