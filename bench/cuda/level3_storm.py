"""The step "storm" of bench/cuda/level3.py."""
import random
import time

STORM_VICTIMS, STORM_PATIENCE = 5, 5


class Storm:
    """A part of Check: programs, the server and their boards are Check's."""

    def storm(self):
        """kill -9 of victims, urgent programs and the server at random moments: the others go on, every time."""
        chance = random.Random(1)
        kills, slowest = {"victim": 0, "urgent": 0, "server": 0}, 0.0
        self.start_server()
        victims = [self.storm_victim() for _ in range(STORM_VICTIMS)]
        urgent = self.storm_urgent()
        end = time.monotonic() + self.storm_seconds
        while time.monotonic() < end and sum(kills.values()) < self.storm_kills and not self.problems:
            time.sleep(chance.uniform(0, 0.03))
            what = chance.choices(list(kills), (8, 3, 1))[0]
            if what == "victim":
                at = chance.choice([i for i, (board, _) in enumerate(victims) if board.ready()] or [0])
                victims[at][1].kill()
                victims[at] = self.storm_victim()
            elif what == "urgent":
                urgent.kill()
                urgent = self.storm_urgent()
            else:
                self.server.kill()
                self.server.wait()
                self.start_server()
            kills[what] += 1
            self.forget_ended()
            for board, _ in victims:
                if board.ready():
                    took = board.wait(True, STORM_PATIENCE)
                    if took is None:
                        self.problem(f"a victim stands still {STORM_PATIENCE} s after {what} was killed: {kills}")
                    slowest = max(slowest, took or 0)
        urgent.kill()
        self.server.terminate()
        self.server.wait()
        exact = 0
        for board, process in victims:
            if board.ready():
                self.expect(board.wait(True, STORM_PATIENCE) is not None, "after the storm a victim goes on")
            board.end()
        for _, process in victims:
            exact += self.result(process, 60).get("exact") is True
            slices = [line for line in process.log.read_text(errors="replace").splitlines() if ": timeslice " in line]
            if slices and "the driver's own" not in slices[-1]:
                self.problem(f"a timeslice was left as it was: {slices[-1]}")
        print(f"  {sum(kills.values())} kills: {kills}; "
              f"longest until a victim's clock moved again {slowest * 1e3:.1f} ms; "
              f"{exact} of {len(victims)} last victims exact")
        return {"kills": kills, "longest_stand_ms": round(slowest * 1e3, 1), "exact": exact, "victims": len(victims)}

    def storm_victim(self):
        board = self.new_board()
        return board, self.start("victim", board, "--kernel-ms", 5, "--seconds", 600)

    def storm_urgent(self):
        return self.start("urgent", self.new_board(), "--alone", 1, "--bursts", 1000000, "--gap-ms", 4, "--kernels", 60,
                          "--sync-every", 20, "--seconds", 600, XSCHED_AUTO_XQUEUE_PRIORITY="10", XLOG_LEVEL="WARN")
