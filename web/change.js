// The form with which a person changes a program: priority, share, limit; suspend and resume. It asks before each.
import {send} from "./api.js";
import {find, setText} from "./elements.js";
import {programText} from "./words.js";

const NAMES = ["priority", "share", "limit"];

export class Change {
  // `program`: a function. `tell`: shows a sentence. `sure`: asks, and says whether yes. `done`: is called afterwards.
  constructor(program, tell, sure, done) {
    Object.assign(this, {program, tell, sure, done, filled: 0});
    find("change").addEventListener("submit", (event) => {
      event.preventDefault();
      this.apply();
    });
    find("suspend").addEventListener("click", () => this.suspend());
  }
  begin() {
    this.filled = 0;
  }
  // Fills the form once for each program: later a person may be typing.
  show(program) {
    setText(find("suspend"), program.suspended ? "Resume" : "Suspend");
    if (this.filled === program.client) return;
    this.filled = program.client;
    for (const name of NAMES) find("change").elements[name].value = program[name] ?? 0;
  }
  changes(program) {
    const form = find("change").elements;
    const changed = NAMES.filter((name) => Number(form[name].value) !== (program[name] ?? 0));
    return Object.fromEntries(changed.map((name) => [name, Number(form[name].value)]));
  }
  async apply() {
    const program = this.program();
    const changes = this.changes(program);
    const names = Object.keys(changes);
    if (names.length === 0) return this.tell("Nothing is different.");
    const words = names.map((name) => `the ${name} from ${program[name] ?? 0} to ${changes[name]}`).join(" and ");
    if (!await this.sure(`Set ${words} of ${programText(program)}?`)) return;
    await this.order("hints", {pid: program.pid, ...changes}, ({remarks}) =>
      (remarks.length ? `The hint is set, but ${remarks.join("; ")}.` : "The hint is in force."));
  }
  async suspend() {
    const program = this.program();
    const [word, did] = program.suspended ? ["resume", "resumed"] : ["suspend", "suspended"];
    if (!await this.sure(`${program.suspended ? "Resume" : "Suspend"} ${programText(program)}?`)) return;
    await this.order(word, {pid: program.pid}, () => `${programText(program)}: ${did}.`);
  }
  // `sentenceOf`: says what an answer means.
  async order(path, body, sentenceOf) {
    try {
      this.tell(sentenceOf(await send("POST", path, body)));
      this.done();
    } catch (error) {
      this.tell(error.message);
    }
  }
}
