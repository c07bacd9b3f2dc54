// What something was, and from when to when: parts of time that follow one another. Microseconds of the server's clock.
export class Segments {
  constructor(at, most) {
    this.most = most;
    this.segments = [{from: at, to: null, state: "idle", by: 0, reason: 0}];
  }
  last() {
    return this.segments[this.segments.length - 1];
  }
  enter(at, state, by, reason) {
    const last = this.last();
    if (last.state === state && last.by === by && last.reason === reason) return;
    const from = Math.max(at, last.from);
    if (from === last.from) this.segments.pop();
    else last.to = from;
    this.segments.push({from, to: null, state, by, reason});
    if (this.segments.length > this.most) this.segments.splice(0, this.most / 10);
  }
  forget(before) {
    let gone = 0;
    while (gone < this.segments.length - 1 && this.segments[gone].to < before) ++gone;
    if (gone > 200) this.segments.splice(0, gone);
  }
}
