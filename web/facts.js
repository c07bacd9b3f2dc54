// What the server's facts about a program say, as the rows of its page's tables.
import {lengthText, programText, sizeText} from "./words.js";

const linked = (entry) => (entry.pid ? {text: programText(entry), pid: entry.pid} : {text: entry.program || "–", pid: null});

// A cause in the windows of 10 and 60 s: [of 10 s or nothing, of 60 s].
function paired(windows, member, keyOf) {
  const of = (seconds) => windows.find((window) => window.seconds === seconds)?.[member] ?? [];
  const lately = new Map(of(10).map((entry) => [keyOf(entry), entry]));
  return of(60).map((entry) => [lately.get(keyOf(entry)), entry]);
}

export function heldRows(facts) {
  return paired(facts.held ?? [], "by", (it) => `${it.pid}/${it.reason}/${it.mechanism}`).map(([lately, entry]) => {
    const behind = entry.itself ? {text: "another queue of its own", pid: null} : linked(entry);
    return [behind, entry.why, lengthText(lately?.ms ?? 0), lengthText(entry.ms), String(entry.holds),
            lengthText(entry.longest_ms), entry.mechanism];
  });
}

export function costRows(facts) {
  return paired(facts.cost ?? [], "victims", (it) => `${it.pid}`).map(([lately, entry]) =>
    [linked(entry), lengthText(lately?.ms ?? 0), lengthText(entry.ms), String(entry.holds), lengthText(entry.longest_ms)]);
}

// Pairs for a list; nothing if the server counts no memory of the program.
export function memoryPairs(facts) {
  const size = (name) => (facts[name] ? sizeText(facts[name]) : "");
  const has = ["memory_on_card", "memory_on_host", "memory_limit", "memory_guarantee", "memory_swaps"];
  if (!has.some((name) => facts[name])) return [];
  const sent = facts.memory_sent_away ? "a person has sent it to the host (xcli suspend --memory)" : "";
  return [["On its devices", sizeText(facts.memory_on_card)], ["of that may be moved", size("memory_movable")],
          ["On the host", size("memory_on_host") || "nothing"], ["Limit on each device", size("memory_limit") || "none"],
          ["Stays on each device", size("memory_guarantee") || "nothing is guaranteed"],
          ["Moves to the host", String(facts.memory_swaps ?? 0)],
          ["Waited for memory", lengthText(facts.memory_waited_ms || null)], ["Sent away", sent]];
}

// Its p99 beside what was asked for, and how many of the bursts that the timeline has took longer.
export function targetText(program, bursts) {
  const {slo_p99: target, burst_p50_ms: p50, burst_p99_ms: p99} = program;
  const lately = p99 === null ? "No burst was followed yet." : `Bursts lately: p50 ${lengthText(p50)}, p99 ${lengthText(p99)}.`;
  if (target === 0) return `${lately} It has no target (xcli hint ${program.pid} --slo-p99 TIME).`;
  if (target < 0) return `${lately} Its target for p99 is ${-target} % of its time alone.`;
  const told = `${lately} Its target for p99 is ${lengthText(target / 1000)}`;
  if (p99 === null) return `${told}.`;
  const late = bursts.filter((burst) => burst.length > target).length;
  const part = bursts.length ? `; ${late} of ${bursts.length} bursts of the last minute took longer` : "";
  return `${told}: ${p99 * 1000 > target ? "missed" : "met"}${part}.`;
}

export function burstRows(bursts, lanes, dateOf) {
  return bursts.map((burst) => {
    const by = burst.by ? lanes.programs.get(burst.by) : null;
    const behind = burst.by ? {text: programText(by), pid: by?.pid ?? null} : "–";
    return [dateOf(burst.to).toLocaleTimeString([], {hour12: false}), lengthText(burst.length / 1000),
            lengthText(burst.held / 1000), behind];
  });
}

export function runRows(runs) {
  return runs.map((run) => {
    const mean = (sum, count) => (count ? `${(sum / count).toFixed(0)} %` : "–");
    return [String(run.pid), new Date(run.to).toLocaleTimeString([], {hour12: false}), lengthText(run.to - run.from),
            mean(run.got, run.measured), mean(run.held, run.looks), lengthText(run.p50), lengthText(run.p99)];
  });
}
