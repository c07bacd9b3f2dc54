// A file of xcli record as lanes (src/ipc/recording.h has the format). Throws an Error with a sentence.
import {GONE, Lanes} from "./lanes.js";
import {deviceName} from "./words.js";

const MAGIC = "XSREC\n";
const VERSION = 2;

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = MAGIC.length;
    if (new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) !== MAGIC)
      throw new Error("this file is no recording: make one with xcli record -o FILE");
  }
  number() {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      if (this.at >= this.bytes.length) throw new Error("the recording ends too early");
      const byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }
  difference() {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
  text() {
    const bytes = this.number();
    this.at += bytes;
    return new TextDecoder().decode(this.bytes.subarray(this.at - bytes, this.at));
  }
}

function readQueue(reader) {
  return {client: reader.number(), slot: reader.number(), pid: reader.difference(), program: reader.text(),
          device: reader.number(), level: reader.number(), priority: reader.difference()};
}

function noteQueue(lanes, queue) {
  const device = deviceName(queue.device);
  lanes.devices.set(`${queue.client}/${queue.slot}`, device);
  const known = lanes.programs.get(queue.client);
  const priority = Math.max(known?.priority ?? -256, queue.priority);
  lanes.programs.set(queue.client, {...queue, priority, followed: true, devices: [{device}]});
  lanes.lane(queue.client, device, 0);
}

// Device time that queues had, by the commands that they completed between two changes.
class Completed {
  constructor(lanes) {
    Object.assign(this, {lanes, last: new Map()});
  }
  take(at, client, slot, completed, command_us) {
    const key = `${client}/${slot}`;
    const before = this.last.get(key);
    this.last.set(key, {at, completed});
    if (before) this.lanes.use(client).add(before.at, at, (completed - before.completed) * command_us);
  }
}

// {lanes, lasts_us, lost}.
export function readRecording(buffer, reasons) {
  const reader = new Reader(new Uint8Array(buffer));
  const version = reader.number();
  if (version < 1 || version > VERSION)
    throw new Error(`the recording has version ${version}, and this page reads those up to ${VERSION}`);
  const lasts_us = reader.number() / 1000;
  const lost = reader.number();
  if (version > 1) reader.text();  // the policy
  const lanes = new Lanes();
  lanes.recorded = true;
  lanes.reasons = reasons;
  for (let count = reader.number(); count > 0; --count) noteQueue(lanes, readQueue(reader));
  const done = new Completed(lanes);
  let at = 0;
  for (let count = reader.number(); count > 0; --count) {
    at += reader.difference();
    const [kind, client, slot, reason, by] = [0, 0, 0, 0, 0].map(() => reader.number());
    const [completed, command_ns] = [reader.number(), reader.number()];
    if (kind !== GONE) done.take(at / 1000, client, slot, completed, command_ns / 1000);
    lanes.takeChanges({entries: [[at / 1000, kind, client, slot, reason, by]]});
  }
  return {lanes, lasts_us, lost};
}
