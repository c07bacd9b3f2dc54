// The page of xcli web: what comes from the stream goes to the timeline, the table and the shown program's page.
import {followForEver, get, keepToken, send} from "./api.js";
import {Compare} from "./compare.js";
import {find} from "./elements.js";
import {Lanes} from "./lanes.js";
import {ProgramPage} from "./program.js";
import {readRecording} from "./recording.js";
import {Runs} from "./runs.js";
import {ProgramTable, showDevices} from "./table.js";
import {startTheme} from "./theme.js";
import {Timeline} from "./timeline.js";
import {lengthText} from "./words.js";

const HZ = Math.min(60, Math.max(1, Number(new URLSearchParams(location.search).get("hz")) || 20));
const KEPT_US = 60e6;  // what of the past the paused timeline can go back to
const LEAST_SPAN_US = 1000;
const STILL_MS = matchMedia("(prefers-reduced-motion: reduce)").matches ? 250 : 0;

const live = new Lanes();
let pausedAt = 0;
let replay = null;  // {lanes, lasts_us, lost, name}
let policies = false;
let waiting = [];  // what came before the past did, to be done after it; null: the past has come
const timeline = new Timeline(find("timeline"), find("tip"), find("timeline-told"), openProgram, lookCloser);
const runs = new Runs();
const program = new ProgramPage(live, timeline, runs, tell, sure);
const table = new ProgramTable(find("programs"), find("nothing"), find("no-match"), openProgram);
new Compare(timeline, () => (replay ? replay.name : "live"));
timeline.show(live);
// What a test asks: how often something came and was drawn, what the last drawing took, and how much past there was.
const counts = {events: 0, drawn: 0, draw_ms: 0, past_s: null};
window.xsched = counts;

// From the timeline or the table. A recording's programs have no page.
function openProgram(client) {
  const {pid} = timeline.lanes.programs.get(client);
  if (replay) tell("A program of a recording has no page of its own. Compare shows what a recording has of it.");
  else program.go(pid);
}

let toldTimer = 0;
function tell(sentence) {
  find("told").textContent = sentence;
  clearTimeout(toldTimer);
  toldTimer = setTimeout(() => { find("told").textContent = ""; }, 8000);
}

function sure(question) {
  const dialog = find("sure");
  find("sure-question").textContent = question;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((answer) => {
    dialog.addEventListener("close", () => answer(dialog.returnValue === "yes"), {once: true});
  });
}

function showState(state, text) {
  find("state").dataset.state = state;
  if (find("state-text").textContent !== text) find("state-text").textContent = text;
}

async function learnPolicies() {
  policies = true;
  const answer = await get("policy");
  const options = answer.policies.map(({name, summary}) =>
    Object.assign(document.createElement("option"), {value: name, textContent: name, title: summary}));
  find("policy").replaceChildren(...options);
  find("policy").value = answer.policy;
  find("policy").disabled = false;
}

async function changePolicy() {
  const select = find("policy");
  const name = select.value;
  try {
    if (await sure(`Use policy ${name} for all programs?`)) {
      await send("PUT", "policy", {name});
      tell(`Policy ${name} is in force.`);
    }
    select.value = (await get("policy")).policy;
  } catch (error) {
    tell(error.message);
    policies = false;
  }
}

// The lanes begin with what the server has kept. The stream goes on meanwhile; a change that both tell is taken once.
async function learnPast() {
  let past = {changes: [], queues: [], gone: [], gone_queues: []};
  try {
    past = await get("changes");
  } catch {
    // a server that keeps nothing of the past (--no-flight-recorder)
  }
  live.takePast(past);
  for (const [client] of past.gone) runs.takeGone(live, client, (at) => timeline.dateOf(at));
  program.pastCame();
  for (const act of waiting) act();
  waiting = null;
  live.forgetPast();
  counts.past_s = past.changes.length ? (past.now_us - past.changes[0][0]) / 1e6 : 0;
}

function afterThePast(act) {
  if (!waiting) return act();
  waiting.push(act);
  if (waiting.length === 1) learnPast();
}

const handlers = {
  programs(event) {
    ++counts.events;
    live.knowPrograms(event);
    afterThePast(() => live.takePrograms(event));
    timeline.setClock(event.now_us);
    runs.take(event.programs);
    table.show(event.programs);
    program.programsCame();
    showDevices(find("devices"), event.devices);
    showState("live", `live, ${event.programs.length} program${event.programs.length === 1 ? "" : "s"}`);
    if (!policies) learnPolicies().catch(() => { policies = false; });
    if (document.activeElement !== find("policy") && policies) find("policy").value = event.policy;
  },
  changes(event) {
    ++counts.events;
    afterThePast(() => live.takeChanges(event));
    timeline.setClock(event.now_us);
  },
  away(event) {
    showState("away", event.error);
  },
};

async function stay() {
  const why = await followForEver(HZ, handlers);
  showState("away", "no token");
  find("ask-token-why").textContent = why;
  find("ask-token").hidden = false;
  find("nothing").hidden = true;  // which programs there are is not known
  find("token").focus();
}

// What the slider can reach: [first, last] right edge of the timeline.
function reach() {
  const last = replay ? replay.lasts_us : pausedAt;
  const first = replay ? 0 : last - KEPT_US;
  return [Math.min(first + timeline.span, last), last];
}

function showPosition() {
  find("position").hidden = timeline.end === null;
  if (timeline.end === null) return;
  const [first, last] = reach();
  find("at").value = last > first ? (1000 * (timeline.end - first)) / (last - first) : 1000;
  find("at").setAttribute("aria-valuetext", `until ${timeline.timeText(timeline.end)}`);
  find("at-text").textContent = timeline.timeText(timeline.end);
}

function showSpan(us) {
  timeline.span = us;
  const select = find("span");
  const own = find("own-span");
  own.hidden = [...select.options].some((option) => option !== own && Number(option.value) * 1e6 === us);
  own.value = us / 1e6;
  own.textContent = lengthText(us / 1000);
  select.value = us / 1e6;
  showPosition();
}

function goLive() {
  replay = null;
  find("replay-name").hidden = find("replay-end").hidden = true;
  timeline.show(live);
  pause(false);
}

async function replayFile(file) {
  try {
    replay = {...readRecording(await file.arrayBuffer(), live.reasons), name: file.name};
  } catch (error) {
    return tell(`${file.name}: ${error.message}`);
  }
  find("replay-name").hidden = find("replay-end").hidden = false;
  find("replay-name").textContent = `Recorded: ${replay.name}, ${(replay.lasts_us / 1e6).toFixed(1)} s. The devices and the table are live.`;
  replay.lanes.toggleAll(find("queues").getAttribute("aria-pressed") === "true");
  timeline.show(replay.lanes);
  timeline.end = replay.lasts_us;
  showPosition();
}

function pause(on) {
  find("pause").setAttribute("aria-pressed", String(on));
  find("pause").textContent = on ? "Go on" : "Pause";
  if (replay) return;
  pausedAt = timeline.endTime();
  timeline.end = on ? pausedAt : null;
  showPosition();
}

// A stretch that was chosen in the timeline fills it.
function lookCloser(from, to) {
  if (timeline.end === null) pause(true);
  timeline.end = Math.min(to, reach()[1]);
  showSpan(Math.max(to - from, LEAST_SPAN_US));
}

function showQueues(on) {
  find("queues").setAttribute("aria-pressed", String(on));
  for (const lanes of [live, replay?.lanes]) lanes?.toggleAll(on);
}

// Saves a picture of the timeline. The name of its file has the present time.
async function savePicture() {
  const address = URL.createObjectURL(await timeline.picture());
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  Object.assign(document.createElement("a"), {href: address, download: `xsched-${time}.png`}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
  tell("The timeline is saved as a picture.");
}

function listen() {
  find("policy").addEventListener("change", changePolicy);
  find("span").addEventListener("change", (event) => showSpan(Number(event.target.value) * 1e6));
  find("queues").addEventListener("click", () => showQueues(find("queues").getAttribute("aria-pressed") !== "true"));
  find("pause").addEventListener("click", () => pause(find("pause").getAttribute("aria-pressed") !== "true"));
  find("picture").addEventListener("click", savePicture);
  find("find").addEventListener("input", (event) => table.find(event.target.value));
  find("file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) replayFile(file);
    event.target.value = "";  // the same file may be chosen again: it may have been written again
  });
  find("at").addEventListener("input", (event) => {
    const [first, last] = reach();
    timeline.end = first + ((last - first) * Number(event.target.value)) / 1000;
    showPosition();
  });
  find("replay-end").addEventListener("click", goLive);
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) replayFile(event.dataTransfer.files[0]);
  });
  addEventListener("resize", () => { timeline.known = -1; });
  find("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    keepToken(find("token").value);
    find("ask-token").hidden = true;
    stay();
  });
}

let drawnAt = -Infinity;
function draw(now) {
  if (now - drawnAt >= STILL_MS) {
    const began = performance.now();
    timeline.draw();
    counts.draw_ms = performance.now() - began;
    ++counts.drawn;
    drawnAt = now;
  }
  requestAnimationFrame(draw);
}

startTheme(find("theme"), () => timeline.readColours());
listen();
program.show(program.addressed());
requestAnimationFrame(draw);
stay();
