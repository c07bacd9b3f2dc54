"""xserver's view of the user's programs while they run: bursts, completed commands, holds. Nothing is read from what
the programs write."""
import contextlib
import os
import time
from bisect import bisect_right
from collections import defaultdict

from . import intervals
from .own_processes import ProgramFailed, pause
from .tool_link import ToolLink

LOOK_SECONDS = 0.05    # between two looks at what the server recorded
COUNT_SECONDS = 0.25   # between two looks at the counters
START_SECONDS = 60     # until a program uses a device
# A program warms up at first: it compiles, records graphs, tries kernels. On an H200 a training of PyTorch did half as
# much in its first 6 s as later, and so "kept" 209 % beside another program (2026-12-01).
WARM_SECONDS = 10      # the most that is waited for programs to do as much in a second as in the second before
ALIKE = 1.25           # the most by which two seconds of one program differ that is warm
URGENT, OTHER = "urgent", "other"  # roles
READY, IDLE, SUSPENDED, RESUMED, GONE = range(5)  # RecordedKind of src/ipc/recording.h


def interpolated(samples, when):
    """Returns the value at a time of a counter [(when, count)] that only grows. It is constant before the first sample
    and after the last."""
    at = bisect_right(samples, (when, float("inf")))
    if at == 0 or at == len(samples):
        return samples[min(at, len(samples) - 1)][1]
    (before, less), (after, more) = samples[at - 1], samples[at]
    return less + (more - less) * (when - before) / max(after - before, 1)


def clipped(pieces, begin, end):
    """Intervals as far as they lie between these two."""
    return [(max(a, begin), min(b, end)) for a, b in pieces if b > begin and a < end]


class Seen:
    """The server's records of one role (the programs of one session each). Times in ns of one clock."""

    def __init__(self):
        self.pieces = []                   # [(begin, end)]: a queue had work
        self.held = []                     # [(begin, end)]: it had work and was suspended
        self.counts = defaultdict(list)    # by client: [(when, completed commands)]
        self.began = None                  # of its first command
        self.open = {}                     # by queue: since when it has work
        self.off = {}                      # by queue: since when it is suspended
        self.priority, self.devices, self.command_ms = None, set(), 0.0
        self.level = 0

    def change(self, row):
        when, kind, queue = row[0], row[1], (row[2], row[3])
        if kind == READY:
            self.began = self.began or when
            self.open.setdefault(queue, when)
        elif kind == SUSPENDED:
            self.off.setdefault(queue, when)
        else:
            self.end_hold(queue, when)
            if kind in (IDLE, GONE) and queue in self.open:
                self.pieces.append((self.open.pop(queue), when))

    def end_hold(self, queue, when):
        begin = self.off.pop(queue, None)
        if begin is not None and queue in self.open and when > max(begin, self.open[queue]):
            self.held.append((max(begin, self.open[queue]), when))

    def count(self, client, when, completed):
        known = self.counts[client]
        known.append((when, max(completed, known[-1][1] if known else 0)))

    def bursts(self, begin, end):
        """[(begin, length)] of those that began and ended between these two; short gaps are bridged."""
        return [(a, b - a) for a, b in intervals.busy([(a, b - a) for a, b in self.pieces]) if a >= begin and b <= end]

    def completed(self, begin, end):
        return sum(interpolated(samples, end) - interpolated(samples, begin) for samples in self.counts.values())

    def is_steady(self, now):
        """Returns whether it did about as much in the last second as in the one before."""
        second = 1_000_000_000
        if self.began is None or self.began > now - 2 * second:
            return False
        last, before = self.completed(now - second, now), self.completed(now - 2 * second, now - second)
        return 0 < max(last, before) <= min(last, before) * ALIKE

    def working(self, begin, end):
        """Intervals in which it had work, those that have not ended among them."""
        pieces = self.pieces + [(since, end) for since in self.open.values()]
        return clipped(intervals.busy([(a, b - a) for a, b in pieces if b > a]), begin, end)


class Watch:
    """Asks the server, and sorts what it says by role. `sessions`: {session: role}, to which starts add theirs."""

    def __init__(self, socket, protocol):
        self.link, self.sessions, self.roles = ToolLink(socket, protocol), {}, defaultdict(Seen)
        self.clients, self.lost, self.counted = {}, 0, 0.0
        self.next = self.link.ask(cmd="record")["next"]

    def look(self):
        more, last = True, 0
        while more:
            answer = self.link.ask(**{"cmd": "record", "from": self.next})
            more, self.next, last = answer["more"], answer["next"], answer["now_ns"]
            self.lost += answer["lost"]
            if any(row[2] not in self.clients for row in answer["entries"]):
                for queue in self.link.ask(**{"cmd": "record", "from": self.next, "queues": True})["queues"]:
                    self.learn(queue)
            for row in answer["entries"]:
                if (role := self.clients.get(row[2])) is not None:
                    self.roles[role].change(row)
        if time.monotonic() - self.counted >= COUNT_SECONDS:
            self.counted = time.monotonic()
            self.count()
        return last

    def learn(self, queue):
        if queue["client"] not in self.clients:
            with contextlib.suppress(OSError):
                self.clients[queue["client"]] = self.sessions.get(os.getsid(queue["pid"]))

    def count(self):
        answer = self.link.ask(cmd="programs")
        for program in answer["programs"]:
            role = self.clients.get(program["client"])
            if role is None:
                continue
            seen = self.roles[role]
            seen.count(program["client"], round(answer["now_ms"] * 1e6), program["completed"])
            seen.level = max(seen.level, program["level"])
            seen.command_ms = max(seen.command_ms, program["commands"]["p50_ms"] or program["command_ms"])
            seen.devices |= {f"{device['device']} ({device['platform']})" for device in program["devices"]}


class Turn:
    """One measurement: programs started together, alone or side by side, under one policy; `programs`: {role: words of
    the command}, the first of them leads. Afterwards `seconds`, `begin`, `end`, `seen`, `walls` say what was found."""

    def __init__(self, place, told, titles, policy, priorities):
        self.place, self.told, self.titles, self.policy = place, told, titles, policy
        self.priorities = priorities  # {role: number}, of those that say one
        self.walls, self.runs, self.seen = {}, defaultdict(int), {}
        self.begin = self.end = self.lost = 0
        self.start_up = 0.0  # seconds until the measurement began

    def start(self, role, words):
        options = ["--priority", str(self.priorities[role])] if role in self.priorities else []
        running = self.place.start([self.told["xcli"], "run", *options, "--", *words], self.socket)
        self.watch.sessions[running.session] = role
        self.runs[role] += 1
        return running

    def run(self, programs, limit_seconds):
        server, self.socket = self.place.serve(self.told["xserver"], self.policy)
        self.watch, self.running = Watch(self.socket, self.told["protocol"]), {}
        self.seen = self.watch.roles
        try:
            began = time.monotonic()
            for role, words in programs.items():
                self.running[role] = self.start(role, words)
            self.wait_for_all(programs)
            self.warm_up(programs)
            self.start_up = time.monotonic() - began
            self.follow(programs, limit_seconds)
        finally:
            for running in self.running.values():
                running.stop()
            self.watch.link.close()
            server.stop()
        self.lost = self.watch.lost
        return self

    def wait_for_all(self, programs):
        """Until each has begun to use a device; the measurement begins then."""
        until = time.monotonic() + START_SECONDS
        while any(self.seen[role].began is None for role in programs):
            self.watch.look()
            for role in programs:
                if self.running[role].ended() and self.seen[role].began is None:
                    self.running[role].check(self.titles[role])
                    raise ProgramFailed(
                        f"{self.titles[role]} ended after {self.running[role].seconds:.1f} s, and XSched saw no work "
                        "of it on a device: does it use one at all, and does 'xcli doctor' show the platform?")
            if time.monotonic() > until:
                missing = next(role for role in programs if self.seen[role].began is None)
                raise ProgramFailed(f"{self.titles[missing]} gave no device anything to do within {START_SECONDS} s of "
                                    "its start, as far as XSched sees: start it with 'xcli run', and look at "
                                    "'xcli list'")
            pause(self.running.values(), LOOK_SECONDS)
        self.watch.count()
        self.begin = max(self.seen[role].began for role in programs)

    def warm_up(self, programs):
        """Until all do evenly much; the measurement begins then. Programs of which one ends before are measured from
        their begin."""
        until = time.monotonic() + WARM_SECONDS
        now = self.begin
        while time.monotonic() < until and not all(self.seen[role].is_steady(now) for role in programs):
            pause(self.running.values(), LOOK_SECONDS)
            now = self.watch.look()
            if any(self.running[role].ended() for role in programs):
                return
        self.begin = max(self.begin, now)

    def follow(self, programs, limit_seconds):
        """Until the time is over, or the leader ended and so did what was started with it. Another one that ends before
        the leader is started again."""
        leader, until = next(iter(programs)), time.monotonic() + limit_seconds
        while time.monotonic() < until:
            pause(self.running.values(), LOOK_SECONDS)
            now = self.watch.look()
            for role, running in list(self.running.items()):
                if running.ended() and role not in self.walls:
                    running.check(self.titles[role])
                    self.walls[role] = running.seconds
            if leader in self.walls:
                self.end = self.end or now
                if all(role in self.walls for role in programs):
                    break
                continue
            for role, running in self.running.items():
                if role != leader and running.ended():
                    running.check(self.titles[role])
                    self.running[role] = self.start(role, programs[role])
        self.watch.count()
        self.end = self.end or self.watch.look()

    @property
    def seconds(self):
        return (self.end - self.begin) / 1e9

    def rate(self, role):
        """Completed commands per second while all were working."""
        return self.seen[role].completed(self.begin, self.end) / max(self.seconds, 1e-9)

    def bursts(self, role):
        return self.seen[role].bursts(self.begin, self.end)


def bare_walls(place, titles, programs, limit_seconds):
    """{role: seconds from start to end} of programs without any of XSched; of those that ended in time."""
    running = {role: place.start(words) for role, words in programs.items()}
    until = time.monotonic() + limit_seconds
    try:
        while time.monotonic() < until and not all([each.ended() for each in running.values()]):
            pause(running.values(), min(LOOK_SECONDS, until - time.monotonic()))
        for role, each in running.items():
            each.check(titles[role])
    finally:
        for each in running.values():
            each.stop()
    return {role: each.seconds for role, each in running.items() if each.seconds is not None}
