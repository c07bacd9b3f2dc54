"""How soon a suspended queue stands still, measured by the program `suspend` (bench/programs/suspend.cpp): the time
from the call of XQueueSuspend until the last kernel completes that still does before the queue is resumed.

Level 1 is measured with the application-managed scheduler, alone, as in the paper. Gates, and with them level 2, are in
a stream only while a rival may come: there a more urgent program is connected, idle nearly always. The command that
tells of a kernel's end may then stand behind the gate as well; such suspensions do not count."""
import bisect

from . import report

HOLD_MORE_MS = 5      # than everything in flight can take
UNSEEN = 0.5          # a kernel seen complete within this part of its length after the resumption had ended before
URGENT_PAUSE_MS = 400


def standstill_us(suspensions, done, kernel_ns=0):
    """Per suspension [begin, end of the call, resumption]; `done`: completions, sorted. All in ns."""
    found = []
    for begin, _, resumed in suspensions:
        after = bisect.bisect_right(done, resumed)
        if after < len(done) and done[after] - resumed < kernel_ns * UNSEEN:
            continue
        found.append(max(done[after - 1] - begin, 0) / 1e3 if after > 0 else 0.0)
    return found


def start_urgent(session, progress, steps):
    """One short kernel now and then, of a priority above the suspended program's."""
    program = session.start("hp", {"steps": steps, "burst-kernels": 1, "pause-ms": URGENT_PAUSE_MS, "seconds": 600},
                            session.under_xsched("--priority", "10"))
    program.wait_ready(progress)
    return program


def measure(session, progress, level, threshold, kernel_ms, steps, seconds, depth):
    """[us] of so many seconds at a level with at most `threshold` in flight, batches of half that."""
    done = session.folder / "suspend-lp.rows"
    options = {"steps": steps, "seconds": seconds, "depth": max(depth, 2 * threshold), "lp-out": done,
               "hold-ms": kernel_ms * (threshold + 4) + HOLD_MORE_MS, "pause-ms": max(kernel_ms * threshold, 5),
               "pause-max-ms": 2 * max(kernel_ms * threshold, 5)}
    urgent = start_urgent(session, progress, max(steps // 100, 1)) if level > 1 else None
    prefix = session.under_xsched("--scheduler", "global" if urgent else "app", "--level", str(level), "--threshold",
                                  str(threshold), "--batch", str(max(threshold // 2, 1)))
    program = session.start("suspend", options, prefix)
    program.wait_ready(progress)
    rows = program.finish(progress, seconds + 2)
    if urgent:
        urgent.kill()
    return standstill_us(rows, [int(line) for line in done.read_text().split()], kernel_ms * 1e6)


def text(values):
    return f"{report.percentile(values, 50) / 1e3:.2f} / {report.percentile(values, 99) / 1e3:.2f}" if values else "-"
