// What each program did on each device, when: lanes of segments made of the changes that the server records. Times are
// microseconds of the server's clock.
import {Segments} from "./segments.js";
import {Use} from "./use.js";
import {deviceName, deviceText} from "./words.js";

const READY = 0, IDLE = 1, SUSPENDED = 2, RESUMED = 3;
export const GONE = 4;
const BY_A_PERSON = 6;  // the reason of xcli suspend
const KEPT_US = 65e6;
const TRUSTED_US = 600e3;  // so long after its last change a lane is believed rather than a sample
const MOST_SEGMENTS = 60000;
const MOST_OF_QUEUE = 6000;
const MOST_BURSTS = 20000;
const MOST_TOLD_TWICE = 20000;  // the stream tells at most eight answers of 2,048 changes at once (web/live.cpp)

// One queue of a program.
class QueueLane extends Segments {
  constructor(lane, slot, at) {
    super(at, MOST_OF_QUEUE);
    Object.assign(this, {client: lane.client, device: lane.device, slot});
  }
}

class Lane extends Segments {
  constructor(client, device, at, onNewQueue) {
    super(at, MOST_SEGMENTS);
    Object.assign(this, {client, device, onNewQueue});
    this.queues = new Map();
    this.queueLanes = new Map();  // by slot, also of queues that are gone
    this.heard = -Infinity;
    this.left = Infinity;  // when its program was gone
    this.bursts = [];  // by their ends: {to, length, held, by}; `by`: the client for which the last hold was, 0: none
  }
  change(at, kind, slot, reason, by) {
    const queue = this.queues.get(slot) ?? this.newQueue(kind);
    this.queues.set(slot, queue);
    if (kind === READY && !queue.ready) Object.assign(queue, {ready: true, began: at, held: 0, behind: 0, since: at});
    if (kind === IDLE && queue.ready) this.endBurst(queue, at);
    if (kind === SUSPENDED) Object.assign(queue, {suspended: true, reason, by, since: at});
    if (queue.ready && queue.suspended) queue.behind = queue.by;
    if (kind === RESUMED) this.resume(queue, at);
    this.queueLane(slot, at).enter(at, ...(kind === GONE ? ["idle", 0, 0] : stateOf(queue)));
    if (kind === GONE) this.queues.delete(slot);
    this.heard = at;
    this.settle(at);
  }
  queueLane(slot, at) {
    let lane = this.queueLanes.get(slot);
    if (!lane) {
      lane = new QueueLane(this, slot, at);
      this.queueLanes.set(slot, lane);
      this.onNewQueue();
    }
    return lane;
  }
  // One that is heard of for the first time has work if its program had, as far as was known.
  newQueue(kind) {
    const ready = kind === IDLE || (kind !== READY && this.last().state !== "idle");
    return {ready, suspended: false, reason: 0, by: 0, began: 0, held: 0, behind: 0, since: 0};
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
    this.bursts.push({to: at, length, held: Math.min(held, length), by: queue.behind});
    if (this.bursts.length > MOST_BURSTS) this.bursts.splice(0, MOST_BURSTS / 10);
  }
  settle(at) {
    let held = null;
    for (const queue of this.queues.values()) {
      if (queue.ready && !queue.suspended) return this.enter(at, "runs", 0, 0);
      if (queue.ready) held = queue;
    }
    this.enter(at, ...(held ? stateOf(held) : ["idle", 0, 0]));
  }
  sample(at, program) {
    if (program.followed && at - this.heard < TRUSTED_US) return;
    const known = {runs: program.followed ? "runs" : "alone", mixed: "runs", held: "held", suspended: "suspended"};
    const state = known[program.state] ?? "idle";
    if (state === this.last().state) return;
    for (const queue of this.queues.values()) queue.ready = state !== "idle" && (queue.suspended || state === "runs");
    const held = [...this.queues.values()].find((queue) => queue.ready && queue.suspended);
    if (state === "held" && held) this.settle(at);
    else this.enterAll(at, state, state === "suspended" ? BY_A_PERSON : 0);
  }
  // Its program is gone at `at`, or was before: when its last queue was destroyed.
  leave(at) {
    const knew = this.heard !== -Infinity && this.queues.size === 0;
    this.left = Math.min(this.left, knew ? this.heard : at);
    this.enterAll(at, "idle", 0);
  }
  enterAll(at, state, reason) {
    this.enter(at, state, 0, reason);
    for (const lane of this.queueLanes.values()) lane.enter(at, state, 0, reason);
  }
  forget(before) {
    super.forget(before);
    const kept = this.bursts.findIndex((burst) => burst.to >= before);
    if (kept > 200) this.bursts.splice(0, kept);
    for (const [slot, lane] of this.queueLanes) {
      lane.forget(before);
      if (!this.queues.has(slot) && lane.last().from < before) this.queueLanes.delete(slot);
    }
  }
}

function queuesOf(lane) {
  return [...lane.queueLanes.values()].sort((a, b) => a.slot - b.slot);
}

// Of a queue: state, by whom, and why.
function stateOf(queue) {
  if (!queue.ready) return ["idle", 0, 0];
  if (!queue.suspended) return ["runs", 0, 0];
  return [queue.reason === BY_A_PERSON ? "suspended" : "held", queue.by, queue.reason];
}

export class Lanes {
  constructor() {
    this.programs = new Map();  // by client: what the timeline says of them, also after they left
    this.present = [];  // those of the last answer
    this.known = false;  // whether there was an answer
    this.lanes = new Map();
    this.devices = new Map();  // of queues: "client/slot"
    this.deviceTexts = new Map();  // of the present devices, as their cards name them
    this.reasons = new Map();
    this.version = 0;  // grows when lanes come or go
    this.opened = new Set();  // clients whose queues have lanes of their own
    this.allOpened = false;
    this.uses = new Map();  // by client
    this.past = new Set();  // the latest changes of the past, which the stream may tell once more
    this.recorded = false;  // whether they are a recording's, whose clock begins at 0
  }
  // Shows or hides the lanes of the queues of one program, or of all.
  toggle(client) {
    if (!this.opened.delete(client)) this.opened.add(client);
    ++this.version;
    return this.isOpen(client);
  }
  toggleAll(on) {
    this.allOpened = on;
    this.opened.clear();
    ++this.version;
  }
  isOpen(client) {
    return this.allOpened !== this.opened.has(client);
  }
  lane(client, device, at) {
    const key = `${client}/${device}`;
    let lane = this.lanes.get(key);
    if (!lane) {
      lane = new Lane(client, device, at, () => { ++this.version; });
      this.lanes.set(key, lane);
      ++this.version;
    }
    return lane;
  }
  takeQueues(queues) {
    for (const [client, slot, device] of queues) this.devices.set(`${client}/${slot}`, deviceName(device));
  }
  use(client) {
    if (!this.uses.has(client)) this.uses.set(client, new Use(this.recorded));
    return this.uses.get(client);
  }
  // What happened before the stream began, in the form of GET changes.
  takePast(past) {
    this.takeQueues(past.gone_queues);
    for (const [client, pid, program] of past.gone)
      if (!this.programs.has(client)) this.programs.set(client, {client, pid, program, priority: 0, devices: []});
    this.takeChanges({queues: past.queues, entries: past.changes});
    this.past = new Set(past.changes.slice(-MOST_TOLD_TWICE).map(String));
  }
  forgetPast() {
    this.past.clear();
  }
  takeChanges(event) {
    if (event.queues) this.takeQueues(event.queues);
    for (const entry of event.entries) {
      if (this.past.size && this.past.has(String(entry))) continue;
      const [at, kind, client, slot, reason, by] = entry;
      const device = this.devices.get(`${client}/${slot}`) ?? this.programs.get(client)?.devices[0]?.device;
      if (device) this.lane(client, device, at).change(at, kind, slot, reason, by);
    }
  }
  // What programs there are is known at once, also before their lanes begin.
  knowPrograms(event) {
    for (const [number, sentence] of event.reasons ?? []) this.reasons.set(number, sentence);
    for (const program of event.programs) this.programs.set(program.client, program);
    for (const device of event.devices) this.takeDevice(device);
    Object.assign(this, {present: event.programs, known: true});
  }
  takeDevice(device) {
    const text = deviceText(device);
    if (this.deviceTexts.get(device.device) === text) return;
    this.deviceTexts.set(device.device, text);
    ++this.version;
  }
  // As people know the device of a lane; a recording has its kind and place alone.
  deviceText(device) {
    return this.deviceTexts.get(device) ?? device;
  }
  // Begins and ends lanes, after knowPrograms.
  takePrograms(event) {
    const here = new Set();
    for (const program of event.programs) {
      here.add(program.client);
      for (const {device} of program.devices)
        this.lane(program.client, device, event.now_us).sample(event.now_us, program);
      this.use(program.client).sample(event.now_us, program.got_percent);
      this.use(program.client).forget(event.now_us - KEPT_US);
    }
    for (const [key, lane] of this.lanes) {
      lane.forget(event.now_us - KEPT_US);
      if (here.has(lane.client)) continue;
      lane.leave(event.now_us);
      if (lane.last().from > event.now_us - KEPT_US / 4) continue;  // stays to be looked at for a while
      this.lanes.delete(key);
      this.uses.delete(lane.client);
      ++this.version;
    }
  }
  // By device, and there the most urgent first; the queues of those that are opened follow them. `only`: of this client
  // alone, with its queues; 0: of all.
  sorted(only = 0) {
    if (only) return this.ofClient(only).flatMap((lane) => [lane, ...queuesOf(lane)]);
    const urgency = (lane) => this.programs.get(lane.client)?.priority ?? 0;
    const programs = [...this.lanes.values()].sort((a, b) =>
      a.device < b.device ? -1 : a.device > b.device ? 1 : urgency(b) - urgency(a) || a.client - b.client);
    return programs.flatMap((lane) => (this.isOpen(lane.client) ? [lane, ...queuesOf(lane)] : [lane]));
  }
  ofClient(client) {
    return [...this.lanes.values()].filter((lane) => lane.client === client);
  }
}
