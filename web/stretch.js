// What each program did between two moments of the timeline.
import {programText, quantileOf} from "./words.js";

function timesOf(lane, from, to) {
  const times = {idle: 0, alone: 0, runs: 0, held: 0, suspended: 0};
  const causes = new Map();
  for (const segment of lane.segments) {
    const length = Math.min(segment.to ?? to, to) - Math.max(segment.from, from);
    if (length <= 0) continue;
    times[segment.state] += length;
    if (segment.state !== "held" && segment.state !== "suspended") continue;
    const key = `${segment.by}/${segment.reason}`;
    const cause = causes.get(key) ?? {by: segment.by, reason: segment.reason, us: 0, holds: 0};
    causes.set(key, {...cause, us: cause.us + length, holds: cause.holds + 1});
  }
  return {times, causes: [...causes.values()].sort((a, b) => b.us - a.us)};
}

// Of a lane: percentages of the time, the lengths of bursts that ended in it, and why it was held.
export function figuresOf(lanes, lane, from, to) {
  const {times, causes} = timesOf(lane, from, to);
  const percent = (us) => (100 * us) / (to - from);
  const bursts = lane.bursts.filter((burst) => burst.to > from && burst.to <= to);
  const lengths = bursts.map((burst) => burst.length / 1000).sort((a, b) => a - b);
  const why = causes.map((cause) => ({...cause, sentence: lanes.reasons.get(cause.reason) ?? "",
                                      behind: cause.by ? programText(lanes.programs.get(cause.by)) : ""}));
  return {got: lanes.use(lane.client).percent(from, to), ran: percent(times.runs + times.alone),
          held: percent(times.held + times.suspended), bursts: lengths.length, p50: quantileOf(lengths, 0.5),
          p99: quantileOf(lengths, 0.99), causes: why};
}

// All programs that are there between the two moments: {name, from, to, lanes, rows}.
export function stretchOf(lanes, from, to, name) {
  const shown = lanes.sorted().filter((lane) => lane.slot === undefined && lane.segments[0].from < to && lane.left > from);
  const rows = shown.map((lane) => {
    const program = lanes.programs.get(lane.client);
    return {key: `${lane.client}/${lane.device}`, program: program?.program ?? "?", pid: program?.pid ?? 0,
            device: lanes.deviceText(lane.device), ...figuresOf(lanes, lane, from, to)};
  });
  return {name, from, to, lanes, rows};
}

// Programs of two stretches side by side, [row or null, row or null]. Within one timeline a program is itself; between
// two recordings it is the one with the same name, the first with the first.
export function pairsOf(a, b) {
  const same = a.lanes === b.lanes;
  const keyed = (stretch) => {
    const counts = new Map();
    return new Map(stretch.rows.map((row) => {
      const count = (counts.get(row.program) ?? 0) + 1;
      counts.set(row.program, count);
      return [same ? row.key : `${row.program}#${count}`, row];
    }));
  };
  const [first, second] = [keyed(a), keyed(b)];
  return [...new Set([...first.keys(), ...second.keys()])].map((key) => [first.get(key) ?? null, second.get(key) ?? null]);
}
