// Log-linear histograms as the server's: each power of two of nanoseconds from 2^10 is divided into 8 buckets.
const PARTS = 8;
const FIRST = 10;
export const COUNT = PARTS * 28;

export function bucketOf(ns) {
  if (ns < 2 ** FIRST) return Math.max(0, Math.floor(ns / 2 ** (FIRST - 3)));
  const power = Math.floor(Math.log2(ns));
  const part = Math.floor(ns / 2 ** (power - 3)) - PARTS;
  return Math.min(PARTS * (power - FIRST + 1) + part, COUNT - 1);
}

// The least length of a bucket, in ns.
export function leastOf(bucket) {
  const octave = Math.floor(bucket / PARTS);
  const part = bucket % PARTS;
  return octave === 0 ? part * 2 ** (FIRST - 3) : (PARTS + part) * 2 ** (FIRST + octave - 4);
}

// [[bucket, count], ...] as an array of counts.
export function countsOf(pairs) {
  const counts = new Array(COUNT).fill(0);
  for (const [bucket, count] of pairs) if (bucket < COUNT) counts[bucket] = count;
  return counts;
}

export function total(counts) {
  return counts.reduce((sum, count) => sum + count, 0);
}

// In ms; null: there is none.
export function quantile(counts, part) {
  const wanted = total(counts) * part;
  for (let i = 0, sum = 0; i < COUNT; ++i) {
    sum += counts[i];
    if (counts[i] && sum >= wanted) return (leastOf(i) + leastOf(i + 1)) / 2e6;
  }
  return null;
}
