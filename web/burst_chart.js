// The bursts of the last minute on a canvas: when each ended, how long it took, and the target. The lengths have a
// logarithmic axis.
import {lengthText} from "./words.js";

const LEFT = 62, FOOT = 20, TOP = 8;
const SECONDS = 60;
const MOSTLY = 0.1;  // of a burst: a dot is drawn as held from this part on

// Whole decades; parts of them where there are few.
function ticksOf(least, most) {
  const steps = most / least < 100 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let decade = 10 ** Math.floor(Math.log10(least)); decade <= most; decade *= 10)
    ticks.push(...steps.map((step) => step * decade));
  return ticks.filter((tick) => tick >= least && tick <= most);
}

// [least, most] length in us, with some air.
function rangeOf(bursts, target) {
  let [least, most] = [Infinity, 0];
  for (const {length} of bursts) [least, most] = [Math.min(least, length), Math.max(most, length)];
  if (target > 0) [least, most] = [Math.min(least, target), Math.max(most, target)];
  return [Math.max(least / 2, 0.1), most * 2];
}

function drawAxes(context, {width, height, yOf, ticks, colours}) {
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const tick of ticks) {
    context.fillStyle = colours.line;
    context.fillRect(LEFT, yOf(tick), width - LEFT, 1);
    context.fillStyle = colours.quiet;
    context.textAlign = "right";
    context.fillText(lengthText(tick / 1000).replace(/\.0+(?= )/, ""), LEFT - 8, yOf(tick));
  }
  context.fillStyle = colours.quiet;
  for (const ago of [60, 40, 20, 0]) {
    context.textAlign = ago === 0 ? "right" : ago === SECONDS ? "left" : "center";
    context.fillText(ago === 0 ? "now" : `−${ago} s`, width - (ago / SECONDS) * (width - LEFT), height - 8);
  }
}

// `target`: microseconds; 0: none. `now`: microseconds of the server's clock.
export function drawBursts(canvas, bursts, target, now, colours) {
  const scale = devicePixelRatio || 1;
  const {clientWidth: width, clientHeight: height} = canvas;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  const shown = bursts.filter((burst) => burst.to > now - SECONDS * 1e6);
  if (shown.length === 0) return;
  const [least, most] = rangeOf(shown, target);
  const yOf = (us) => TOP + (height - TOP - FOOT) * (1 - Math.log(us / least) / Math.log(most / least));
  drawAxes(context, {width, height, yOf, ticks: ticksOf(least, most), colours});
  for (const {to, length, held} of shown) {
    context.fillStyle = held > MOSTLY * length ? colours.held : colours.runs;
    context.fillRect(width - 3 - ((now - to) / (SECONDS * 1e6)) * (width - LEFT - 3), yOf(length) - 1.5, 3, 3);
  }
  if (target <= 0) return;
  context.fillStyle = colours.accent;
  context.fillRect(LEFT, yOf(target) - 1, width - LEFT, 2);
  context.textAlign = "left";
  context.fillText("target", LEFT + 6, yOf(target) - 9);
}
