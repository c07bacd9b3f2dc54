// The order of the programs' rows: by a column that a person chose, the other way round if it is chosen again.
const BY = {
  program: (it) => `${it.program} ${String(it.pid).padStart(10)}`,
  state: (it) => it.state,
  priority: (it) => it.priority,
  got: (it) => it.got_percent ?? -1,
  held: (it) => it.held_percent,
  holds: (it) => it.preemptions_per_s,
  p50: (it) => it.burst_p50_ms ?? -1,
  p99: (it) => it.burst_p99_ms ?? -1,
  memory: (it) => it.memory_on_card,
  memoryLimit: (it) => it.memory_limit,
  swaps: (it) => it.memory_swaps,
};
const WORDS_FIRST_UP = ["program", "state"];  // numbers: the largest first

export class Sorting {
  // `onChange` is called when the order is another one.
  constructor(head, onChange) {
    Object.assign(this, {key: "priority", down: true, head});
    head.addEventListener("click", (event) => {
      const key = event.target.dataset?.sort;
      if (!key) return;
      this.down = key === this.key ? !this.down : !WORDS_FIRST_UP.includes(key);
      this.key = key;
      this.show();
      onChange();
    });
    this.show();
  }
  show() {
    for (const button of this.head.querySelectorAll("[data-sort]")) {
      const heading = button.closest("th");
      if (button.dataset.sort !== this.key) heading.removeAttribute("aria-sort");
      else heading.setAttribute("aria-sort", this.down ? "descending" : "ascending");
    }
  }
  sorted(programs) {
    const value = BY[this.key];
    const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    const way = this.down ? -1 : 1;
    return [...programs].sort((a, b) => way * order(value(a), value(b)) || a.pid - b.pid || a.client - b.client);
  }
}
