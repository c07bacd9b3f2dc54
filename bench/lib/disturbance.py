"""How busy other programs keep this machine, and how much of it the host takes: a measurement beside them says
little."""
import os
import resource
import time
from pathlib import Path

SAMPLE_SECONDS = 1.0
TOO_BUSY = 0.2         # part of all CPU time, before the start
WAIT_SAMPLES = 10      # for a machine to become quiet, say after an installation
# Largest parts of all processors' time that other programs may use, and that the host may steal, during a measurement
# (src/cli/doctor/gain.cpp has the same numbers).
TOO_BUSY_DURING, TOO_MUCH_STOLEN = 0.1, 0.1
ENOUGH_IDLE = 0.5      # then others have processors of their own


def _ticks():
    """(used, stolen by the host, all) CPU time so far."""
    with open("/proc/stat") as stat:
        ticks = [int(word) for word in stat.readline().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4] - ticks[7], ticks[7], sum(ticks)


def busy_share():
    """The part of all CPUs' time that is used at present; call it while nothing of the benchmark runs."""
    used, stolen, every = _ticks()
    time.sleep(SAMPLE_SECONDS)
    used_later, stolen_later, every_later = _ticks()
    return (used_later - used + stolen_later - stolen) / max(every_later - every, 1)


def note_before():
    """The same as note(), of now, or of when this machine has become quiet if that is soon."""
    for _ in range(WAIT_SAMPLES):
        said = note(busy_share())
        if not said:
            break
    return said


def note(share):
    """A sentence for people and result files; empty if the machine is quiet."""
    if share < TOO_BUSY:
        return ""
    return f"other programs used {share * 100:.0f} % of this machine's CPUs before the start: the figures are disturbed"


def why_disturbed(others, stolen, idle):
    """Why figures measured under this load prove nothing, as a sentence; empty: they may."""
    if stolen < TOO_MUCH_STOLEN and (others < TOO_BUSY_DURING or idle >= ENOUGH_IDLE):
        return ""
    return f"this machine was busy: other programs used {others * 100:.0f} % of its processors, the host of the " \
           f"virtual machine took {stolen * 100:.0f} %"


def used_seconds(pids):
    """CPU time of these processes so far."""
    ticks = 0
    for pid in pids:
        try:
            fields = (Path("/proc") / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        except (OSError, IndexError):
            pass
    return ticks / os.sysconf("SC_CLK_TCK")


def _own_seconds(running):
    """Returns the seconds of this process, of the children that it has waited for, and of those still running."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used) + used_seconds(running)


class Watch:
    """From its making to stop(): how much of the CPUs' time the host took, and how much others used. `running()` are
    the pids of this benchmark's processes that have not been waited for."""

    def __init__(self, running=lambda: ()):
        self.running, self.ticks, self.own = running, _ticks(), _own_seconds(running())
        self.stolen = self.others = self.idle = 0.0

    def stop(self):
        used, stolen, every = (later - before for later, before in zip(_ticks(), self.ticks))
        own = (_own_seconds(self.running()) - self.own) * os.sysconf("SC_CLK_TCK")
        self.stolen, self.others, self.idle = (part / max(every, 1) for part in
                                               (stolen, max(used - own, 0), every - used - stolen))
        return self

    @property
    def says(self):
        return f"the host took {self.stolen * 100:.1f} % of the CPUs' time (steal), other programs " \
               f"{self.others * 100:.1f} %"

    @property
    def note(self):
        """Returns how the figures are disturbed, as a sentence; empty if not."""
        return why_disturbed(self.others, self.stolen, self.idle)
