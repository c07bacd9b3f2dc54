// Device time that a program had: pieces of time with what of them it had. Microseconds.
const MOST_PIECES = 100000;
const ENOUGH = 0.4;  // of a stretch must be known: the server tells it twice a second, so not of the newest part

export class Use {
  // `whole`: what no piece tells was nothing, as in a recording; otherwise it is not known.
  constructor(whole) {
    Object.assign(this, {whole, pieces: [], last: null});
  }
  add(from, to, had) {
    if (to > from) this.pieces.push({from, to, had});
    if (this.pieces.length > MOST_PIECES) this.pieces.splice(0, MOST_PIECES / 10);
  }
  // Adds what the server says of the time since its answer before; null: it does not know.
  sample(at, percent) {
    if (this.last !== null && percent !== null) this.add(this.last, at, ((at - this.last) * percent) / 100);
    this.last = at;
  }
  forget(before) {
    const kept = this.pieces.findIndex((piece) => piece.to >= before);
    if (kept > 200) this.pieces.splice(0, kept);
  }
  // Percent of the time between two moments; null: not known.
  percent(from, to) {
    let had = 0;
    let known = 0;
    for (const piece of this.pieces) {
      const both = Math.min(piece.to, to) - Math.max(piece.from, from);
      if (both <= 0) continue;
      had += (piece.had * both) / (piece.to - piece.from);
      known += both;
    }
    if (!this.whole && known < ENOUGH * (to - from)) return null;
    const of = this.whole ? to - from : known;
    return of > 0 ? Math.min((100 * had) / of, 100) : null;
  }
}
