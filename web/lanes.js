// What each program did on each device, when: lanes of segments made of the changes that the server records. Times are
// microseconds of the server's clock.
import {bucketOf, COUNT} from "./buckets.js";
import {deviceName} from "./words.js";

const READY = 0, IDLE = 1, SUSPENDED = 2, RESUMED = 3, GONE = 4;
const BY_A_PERSON = 6;  // the reason of xcli suspend
const KEPT_US = 65e6;
const TRUSTED_US = 600e3;  // so long after its last change a lane is believed rather than a sample
const MOST_SEGMENTS = 60000;

class Lane {
  constructor(client, device, at) {
    this.client = client;
    this.device = device;
    this.queues = new Map();
    this.segments = [{from: at, to: null, state: "idle", by: 0, reason: 0}];
    this.heard = -Infinity;
    this.bursts = new Array(COUNT).fill(0);  // as they were,
    this.own = new Array(COUNT).fill(0);     // and without their holds
  }
  last() {
    return this.segments[this.segments.length - 1];
  }
  enter(at, state, by, reason) {
    const last = this.last();
    if (last.state === state && last.by === by && last.reason === reason) return;
    const from = Math.max(at, last.from);
    if (from === last.from) this.segments.pop();
    else last.to = from;
    this.segments.push({from, to: null, state, by, reason});
    if (this.segments.length > MOST_SEGMENTS) this.segments.splice(0, MOST_SEGMENTS / 10);
  }
  change(at, kind, slot, reason, by) {
    const queue = this.queues.get(slot) ?? this.newQueue(kind);
    this.queues.set(slot, queue);
    if (kind === READY && !queue.ready) Object.assign(queue, {ready: true, began: at, held: 0, since: at});
    if (kind === IDLE && queue.ready) this.endBurst(queue, at);
    if (kind === SUSPENDED) Object.assign(queue, {suspended: true, reason, by, since: at});
    if (kind === RESUMED) this.resume(queue, at);
    if (kind === GONE) this.queues.delete(slot);
    this.heard = at;
    this.settle(at);
  }
  // One that is heard of for the first time has work if its program had, as far as was known.
  newQueue(kind) {
    const ready = kind === IDLE || (kind !== READY && this.last().state !== "idle");
    return {ready, suspended: false, reason: 0, by: 0, began: 0, held: 0, since: 0};
  }
  resume(queue, at) {
    if (queue.suspended && queue.ready) queue.held += Math.max(at - queue.since, 0);
    queue.suspended = false;
  }
  endBurst(queue, at) {
    queue.ready = false;
    const held = queue.held + (queue.suspended ? Math.max(at - queue.since, 0) : 0);
    const length = at - queue.began;
    if (!queue.began || length <= 0) return;
    this.bursts[bucketOf(length * 1000)]++;
    this.own[bucketOf(Math.max(length - held, 0) * 1000)]++;
  }
  settle(at) {
    let held = null;
    for (const queue of this.queues.values()) {
      if (queue.ready && !queue.suspended) return this.enter(at, "runs", 0, 0);
      if (queue.ready) held = queue;
    }
    if (held) this.enter(at, held.reason === BY_A_PERSON ? "susp" : "held", held.by, held.reason);
    else this.enter(at, "idle", 0, 0);
  }
  sample(at, program) {
    if (program.followed && at - this.heard < TRUSTED_US) return;
    const known = {runs: program.followed ? "runs" : "alone", part: "runs", held: "held", susp: "susp"};
    const state = known[program.state] ?? "idle";
    if (state === this.last().state) return;
    for (const queue of this.queues.values()) queue.ready = state !== "idle" && (queue.suspended || state === "runs");
    const held = [...this.queues.values()].find((queue) => queue.ready && queue.suspended);
    if (state === "held" && held) this.settle(at);
    else this.enter(at, state, 0, state === "susp" ? BY_A_PERSON : 0);
  }
  forget(before) {
    let gone = 0;
    while (gone < this.segments.length - 1 && this.segments[gone].to < before) ++gone;
    if (gone > 200) this.segments.splice(0, gone);
  }
}

export class Lanes {
  constructor() {
    this.programs = new Map();  // by client: what the timeline says of them, also after they left
    this.lanes = new Map();
    this.devices = new Map();  // of queues: "client/slot"
    this.reasons = new Map();
    this.version = 0;  // grows when lanes come or go
  }
  lane(client, device, at) {
    const key = `${client}/${device}`;
    let lane = this.lanes.get(key);
    if (!lane) {
      lane = new Lane(client, device, at);
      this.lanes.set(key, lane);
      ++this.version;
    }
    return lane;
  }
  takeQueues(queues) {
    for (const [client, slot, device] of queues) this.devices.set(`${client}/${slot}`, deviceName(device));
  }
  takeChanges(event) {
    if (event.queues) this.takeQueues(event.queues);
    for (const [at, kind, client, slot, reason, by] of event.entries) {
      const device = this.devices.get(`${client}/${slot}`) ?? this.programs.get(client)?.devices[0]?.device;
      if (device) this.lane(client, device, at).change(at, kind, slot, reason, by);
    }
  }
  takePrograms(event) {
    const here = new Set();
    for (const [number, sentence] of event.reasons ?? []) this.reasons.set(number, sentence);
    for (const program of event.programs) {
      here.add(program.client);
      this.programs.set(program.client, program);
      for (const {device} of program.devices)
        this.lane(program.client, device, event.now_us).sample(event.now_us, program);
    }
    for (const [key, lane] of this.lanes) {
      lane.forget(event.now_us - KEPT_US);
      if (here.has(lane.client)) continue;
      lane.enter(event.now_us, "idle", 0, 0);
      if (lane.last().from > event.now_us - KEPT_US / 4) continue;  // stays to be looked at for a while
      this.lanes.delete(key);
      ++this.version;
    }
  }
  // By device, and there the most urgent first.
  sorted() {
    const urgency = (lane) => this.programs.get(lane.client)?.priority ?? 0;
    return [...this.lanes.values()].sort((a, b) =>
      a.device < b.device ? -1 : a.device > b.device ? 1 : urgency(b) - urgency(a) || a.client - b.client);
  }
  ofClient(client) {
    return [...this.lanes.values()].filter((lane) => lane.client === client);
  }
}
