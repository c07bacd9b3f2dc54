// Numbers and names as people read them.
const KINDS = ["?", "CPU", "GPU", "NPU", "FPGA", "ASIC", "MCA"];

// As the server names a device: its kind above, its place below.
export function deviceName(number) {
  const kind = Math.floor(number / 2 ** 32);
  return `${KINDS[kind] ?? "?"}:${(number % 2 ** 32).toString(16)}`;
}

// As people know a device: its number on this server, and its vendor's name for it.
export function deviceText({device, device_index, device_name, platform}) {
  const name = `${device_name || device} (${platform})`;
  return device_index === null ? name : `device ${device_index}, ${name}`;
}

export function lengthText(ms) {
  if (ms === null || ms === undefined) return "–";
  if (ms >= 10000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  if (ms >= 100) return `${ms.toFixed(0)} ms`;
  if (ms >= 1) return `${ms.toFixed(1)} ms`;
  return `${(ms * 1000).toFixed(0)} µs`;
}

// Sizes of memory: at most three digits and a unit, as base/byte_size.h has them.
export function sizeText(bytes) {
  if (!bytes) return "–";
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let number = bytes / 1024;
  let unit = 0;
  for (; number >= 999.5 && unit + 1 < units.length; number /= 1024) unit += 1;
  return `${number.toFixed(number < 9.95 && number % 1 ? 1 : 0)} ${units[unit]}`;
}

// Of lengths in order; null: there are none.
export function quantileOf(sorted, part) {
  return sorted.length ? sorted[Math.max(Math.ceil(sorted.length * part) - 1, 0)] : null;
}

export function programText(program) {
  return program ? `pid ${program.pid} (${program.program})` : "another user's program";
}

// The states of the timeline: those of the server, and one more for programs that it does not follow.
export const STATES = {
  runs: "runs", held: "held", suspended: "suspended by a person", alone: "runs, not followed: no other program competes",
  idle: "idle",
};
