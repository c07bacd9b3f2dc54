"""Programs that are compared to a percent: they run at the same time, on the same processors, and measure in turns. So
neither the processor they got nor what else the machine does makes the difference."""
import os
import shutil

TURNS = 4
PROCESSORS = 2  # for one set of programs: one for their own thread, one for the driver's


def on_processors_of(number):
    """Returns the words before the commands of the set of that number, behind the words that start them under a peer: a
    server that is started on the way is to have all processors. Empty: not to be had here."""
    mine = sorted(os.sched_getaffinity(0))
    first = (number * PROCESSORS) % max(len(mine) - PROCESSORS + 1, 1)
    chosen = ",".join(map(str, mine[first:first + PROCESSORS]))
    return ["taskset", "-c", chosen] if shutil.which("taskset") else []


def orders(names):
    """In which order they measure, turn by turn."""
    return [list(names)[::1 if turn % 2 == 0 else -1] for turn in range(TURNS)]
