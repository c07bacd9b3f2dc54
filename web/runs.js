// Runs of programs that ended, as far as this page has seen them, or the server still knew them when it was opened.
// The server keeps none for longer than a minute, so the page does: for this tab, and across its loads.
import {figuresOf} from "./stretch.js";

const KEPT = "xsched-runs";
const MOST = 100;

export class Runs {
  constructor() {
    this.ended = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
    this.here = new Map();  // by client
  }
  // Takes the programs that the server has now; those it had before and has no more have ended.
  take(programs) {
    const now = Date.now();
    const clients = new Set(programs.map((program) => program.client));
    for (const [client, run] of this.here) {
      if (clients.has(client)) continue;
      this.here.delete(client);
      this.keep(run);
    }
    for (const program of programs) this.see(program, now);
  }
  see(program, now) {
    const run = this.here.get(program.client) ?? {from: now, looks: 0, got: 0, held: 0, measured: 0};
    const {client, pid, program: name, burst_p50_ms: p50, burst_p99_ms: p99} = program;
    Object.assign(run, {client, pid, name, to: now, looks: run.looks + 1, held: run.held + program.held_percent,
                        p50: p50 ?? run.p50 ?? null, p99: p99 ?? run.p99 ?? null});
    if (program.got_percent !== null) Object.assign(run, {got: run.got + program.got_percent, measured: run.measured + 1});
    this.here.set(client, run);
  }
  // A program that left before the page was opened: of its lanes is what the server's recorder had of it.
  takeGone(lanes, client, dateOf) {
    const {pid, program: name} = lanes.programs.get(client);
    const lane = lanes.ofClient(client)[0];
    if (!lane || this.here.has(client)) return;
    const from = (lane.segments.find((segment) => segment.state !== "idle") ?? lane.last()).from;
    const to = Math.max(lane.heard, from + 1);
    const {held, p50, p99} = figuresOf(lanes, lane, from, to);
    this.keep({client, pid, name, from: dateOf(from).getTime(), to: dateOf(to).getTime(), looks: 1, got: 0, measured: 0,
               held, p50, p99});
  }
  keep(run) {
    if (this.ended.some((other) => other.client === run.client && other.pid === run.pid)) return;
    this.ended.push(run);
    this.ended.splice(0, this.ended.length - MOST);
    sessionStorage.setItem(KEPT, JSON.stringify(this.ended));
  }
  // The newest first.
  of(name) {
    return this.ended.filter((run) => run.name === name).reverse();
  }
  ofPid(pid) {
    return this.ended.findLast((run) => run.pid === pid) ?? null;
  }
}
