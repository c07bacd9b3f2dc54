// One program: why it is as fast as it is, its burst lengths, and what a person may change.
import {get, send} from "./api.js";
import {countsOf, COUNT, total} from "./buckets.js";
import {drawDistribution} from "./distribution.js";
import {programText} from "./words.js";

const AGAIN_MS = 1000;
const find = (id) => document.getElementById(id);

export class Detail {
  // `colours`: a function. `tell`: shows a sentence. `sure`: asks, and says whether yes.
  constructor(lanes, colours, tell, sure) {
    Object.assign(this, {lanes, colours, tell, sure, client: 0, timer: 0, dialog: find("detail")});
    find("change").addEventListener("submit", (event) => {
      event.preventDefault();
      this.apply();
    });
    find("suspend").addEventListener("click", () => this.suspend());
    this.dialog.addEventListener("close", () => this.close());
  }
  program() {
    return this.lanes().programs.get(this.client);
  }
  open(client) {
    this.client = client;
    const program = this.program();
    if (!program) return;
    find("detail-title").textContent = programText(program);
    for (const id of ["detail-headline", "detail-advice"]) find(id).textContent = "";
    find("detail-facts").replaceChildren();
    const form = find("change").elements;
    for (const name of ["priority", "share", "limit"]) form[name].value = program[name] ?? 0;
    if (!this.dialog.open) this.dialog.showModal();
    this.refresh();
  }
  close() {
    clearTimeout(this.timer);
    this.client = 0;
  }
  async refresh() {
    clearTimeout(this.timer);
    const client = this.client;
    const program = this.program();
    if (!program) return;
    this.showBursts(program);
    find("suspend").textContent = program.suspended ? "Resume" : "Suspend";
    try {
      const answer = await get(`explain?pid=${program.pid}`);
      if (this.client !== client) return;
      this.showExplained(answer.programs.find((it) => it.facts.client === client) ?? answer.programs[0]);
    } catch (error) {
      if (this.client === client) find("detail-headline").textContent = error.message;
    }
    if (this.client === client) this.timer = setTimeout(() => this.refresh(), AGAIN_MS);
  }
  showExplained(explained) {
    find("detail-headline").textContent = explained.headline;
    const lines = explained.details.map((detail) => Object.assign(document.createElement("li"), {textContent: detail}));
    find("detail-facts").replaceChildren(...lines);
    find("detail-advice").textContent = explained.advice ? `What to do: ${explained.advice}` : "";
  }
  showBursts(program) {
    const was = new Array(COUNT).fill(0);
    const own = new Array(COUNT).fill(0);
    for (const lane of this.lanes().ofClient(this.client)) {
      lane.bursts.forEach((count, i) => { was[i] += count; });
      lane.own.forEach((count, i) => { own[i] += count; });
    }
    const seen = total(was) > 0;
    const counts = seen ? was : countsOf(program.bursts ?? []);
    const none = new Array(COUNT).fill(0);
    find("bursts-told").textContent = drawDistribution(find("bursts"), counts, seen ? own : none, this.colours());
  }
  changes(program) {
    const form = find("change").elements;
    const changes = {};
    for (const name of ["priority", "share", "limit"]) {
      const value = Number(form[name].value);
      if (value !== (program[name] ?? 0)) changes[name] = value;
    }
    return changes;
  }
  async apply() {
    const program = this.program();
    const changes = this.changes(program);
    const names = Object.keys(changes);
    if (names.length === 0) return this.tell("Nothing is different.");
    const words = names.map((name) => `the ${name} from ${program[name] ?? 0} to ${changes[name]}`).join(" and ");
    if (!await this.sure(`Set ${words} of ${programText(program)}?`)) return;
    await this.order("POST", "hints", {pid: program.pid, ...changes}, "The hint is in force.");
  }
  async suspend() {
    const program = this.program();
    const word = program.suspended ? "resume" : "suspend";
    if (!await this.sure(`${program.suspended ? "Resume" : "Suspend"} ${programText(program)}?`)) return;
    await this.order("POST", word, {pid: program.pid}, `${programText(program)}: ${word}ed.`.replace("eed", "ed"));
  }
  async order(method, path, body, done) {
    try {
      await send(method, path, body);
      this.tell(done);
      this.refresh();
    } catch (error) {
      this.tell(error.message);
    }
  }
}
