// Burst lengths on a logarithmic axis: as they were (filled), and without the time that they were held (a line).
import {COUNT, leastOf, quantile, total} from "./buckets.js";
import {lengthText} from "./words.js";

const FOOT = 22;
const NONE = "No burst was followed yet: while no other program competes for a device, bursts are not followed.";

// [first, last] bucket with anything in it, with some air and at least three octaves.
function range(all) {
  let first = COUNT;
  let last = 0;
  for (let i = 0; i < COUNT; ++i) {
    if (!all.some((counts) => counts[i])) continue;
    first = Math.min(first, i);
    last = Math.max(last, i);
  }
  const air = Math.max(4, 24 - (last - first) / 2);
  return [Math.max(8, first - Math.floor(air)), Math.min(COUNT - 1, last + Math.ceil(air))];
}

function context2d(canvas) {
  const scale = devicePixelRatio || 1;
  canvas.width = Math.round(canvas.clientWidth * scale);
  canvas.height = Math.round(canvas.clientHeight * scale);
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}

function drawTicks(context, xOf, width, height, colours) {
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  const spacious = xOf(1e10) - xOf(1e9) > 200;
  let drawn = -99;
  for (let decade = 1000; decade <= 100e9; decade *= 10) {
    for (const ns of spacious ? [decade, 2 * decade, 5 * decade] : [decade]) {
      const x = xOf(ns);
      if (x < 24 || x > width - 24 || x - drawn < 52) continue;
      drawn = x;
      context.fillStyle = colours.line;
      context.fillRect(x, 0, 1, height - FOOT);
      context.fillStyle = colours.quiet;
      context.fillText(lengthText(ns / 1e6).replace(/\.0+(?= )/, ""), x, height - 6);
    }
  }
}

// Returns the sentence below it.
export function drawDistribution(canvas, was, own, colours) {
  const context = context2d(canvas);
  const {clientWidth: width, clientHeight: height} = canvas;
  context.clearRect(0, 0, width, height);
  if (total(was) === 0) return NONE;
  const [first, last] = range([was, own]);
  const begin = Math.log2(leastOf(first));
  const perOctave = width / (Math.log2(leastOf(last + 1)) - begin);
  const xOf = (ns) => (Math.log2(Math.max(ns, 1)) - begin) * perOctave;
  const most = Math.max(...was, ...own);
  const yOf = (count) => (height - FOOT) * (1 - (count / most) * 0.92);
  drawTicks(context, xOf, width, height, colours);
  context.fillStyle = colours.accent;
  for (let i = first; i <= last; ++i)
    if (was[i]) context.fillRect(xOf(leastOf(i)), yOf(was[i]), xOf(leastOf(i + 1)) - xOf(leastOf(i)) - 0.5,
                                 height - FOOT - yOf(was[i]));
  context.strokeStyle = colours.runs;
  context.lineWidth = 2.5;
  context.beginPath();
  for (let i = first; i <= last && total(own); ++i) {
    context.lineTo(xOf(leastOf(i)), yOf(own[i]));
    context.lineTo(xOf(leastOf(i + 1)), yOf(own[i]));
  }
  context.stroke();
  context.fillStyle = colours.line;
  context.fillRect(0, height - FOOT, width, 1);
  const part = (counts) => `p50 ${lengthText(quantile(counts, 0.5))}, p99 ${lengthText(quantile(counts, 0.99))}`;
  const text = `As it was (filled): ${part(was)} of ${total(was)} bursts.`;
  return total(own) ? `${text} Without its holds (line): ${part(own)}.` : text;
}
