// A stretch of the timeline that is chosen by dragging across it, with a mouse or a finger.
const LEAST_PX = 8;  // less is a click

export class Drag {
  // `timeOf(x)`: the time at a place of the canvas. `done(from, to)`: is told of a stretch.
  constructor(canvas, timeOf, done) {
    Object.assign(this, {canvas, timeOf, done, begin: null, x: null, dragged: false});
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", () => this.up());
    canvas.addEventListener("pointercancel", () => this.stop());
  }
  down(event) {
    if (event.button !== 0) return;
    this.dragged = false;
    this.begin = {x: event.offsetX, at: this.timeOf(event.offsetX)};
  }
  move(event) {
    if (!this.begin || (!this.dragged && Math.abs(event.offsetX - this.begin.x) < LEAST_PX)) return;
    if (!this.dragged) this.canvas.setPointerCapture(event.pointerId);
    this.dragged = true;
    this.x = event.offsetX;
  }
  up() {
    const {begin, dragged, x} = this;
    const at = dragged ? this.timeOf(x) : 0;
    this.stop();
    if (dragged && at !== begin.at) this.done(Math.min(begin.at, at), Math.max(begin.at, at));
  }
  stop() {
    this.begin = this.x = null;
  }
  // Whether the click that follows is the end of a drag.
  wasDrag() {
    return this.dragged;
  }
  // Places between which the stretch is drawn; null: none is being chosen.
  shown() {
    return this.begin && this.x !== null ? [Math.min(this.begin.x, this.x), Math.max(this.begin.x, this.x)] : null;
  }
}
