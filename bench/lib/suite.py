"""The parts that every question needs: the programs, the device, the peers that are here, and how long everything may
take."""
import contextlib
import time
from dataclasses import dataclass

from . import awake
from . import peers as peer_list
from . import rounds, workloads

START_UP_SECONDS = 1.2  # of one measurement, until the first ones tell


@dataclass(frozen=True)
class Profile:
    seconds: float        # of each measurement, each round
    rounds: int
    budget: float         # seconds for all questions
    patterns: tuple = ("A", "B", "C")
    lengths: int = 99     # how many of the workload's kernel lengths
    preempt: int = 99     # how many T
    thresholds: tuple = (1, 2, 4, 8, 16, 32)
    peers: tuple = ()     # only these; empty: all
    calibrations: int = 3
    skip: tuple = ()      # questions, unless they are asked for
    few_peers: tuple = ()  # where there are many measurements of each, or long ones (lengths, models); empty: all


LONG = ("auto", "targets")  # questions that are only answered where they are asked for

PROFILES = {
    "tiny": Profile(0.25, 1, 13, ("B",), 1, 1, (8,), ("native", "xsched", "xsched_l1"), 1,
                    ("lengths", "guard", "shares", "pytorch", *LONG)),
    "quick": Profile(1.5, 2, 165, ("A", "B"), 2, 2, (1, 4, 16), skip=LONG, few_peers=("native", "xsched")),
    "full": Profile(3, 6, 1500, skip=LONG, few_peers=("native", "xsched")),
}


class Suite:
    """`environment` of the session gets what adapters need (lib/peers.py)."""

    def __init__(self, session, backend, profile, progress, chosen=(), baseline="native", stream="null"):
        self.session, self.backend, self.profile, self.progress = session, backend, profile, progress
        self.workload, self.baseline, self.stream = workloads.of(backend), baseline, stream
        session.programs = backend.programs
        session.environment |= {"BENCH_BUILD": str(session.build), "BENCH_PLATFORM": backend.name,
                                "BENCH_PROGRAMS": str(backend.programs), "BENCH_FOLDER": str(session.folder)}
        self.patterns = profile.patterns
        self.lp_ms, self.lengths_ms = None, ()  # None or empty: the values of the workload
        self.witness = ""
        self.pace = rounds.Pace(min(START_UP_SECONDS, 2 * profile.seconds))
        self.peers, self.absent = [], {}
        self.services = contextlib.ExitStack()
        wanted = {*chosen, baseline} if chosen else {*profile.peers, baseline} if profile.peers else set()
        for peer in peer_list.all_peers():
            if wanted and peer.name not in wanted:
                continue
            self.consider(peer)
        if self.peer(baseline) is None:
            raise LookupError(f"the peer {baseline}, of whose programs everything is a multiple, cannot be used: "
                              f"{self.absent.get(baseline, 'there is no such adapter in bench/peers')}")
        self.awake = self.services.enter_context(awake.Awake(session)) if self.on_cpu else None
        session.check_lengths = self.on_cpu

    @property
    def on_cpu(self):
        return self.workload is workloads.CPU

    def running_pids(self):
        """Returns the processes that serve the measurements and outlive them."""
        return self.session.server_pids() + (self.awake.pids if self.awake else [])

    def host_alone(self):
        """A context for what is measured on the host alone, whose processors must be as they always are."""
        return self.awake.paused() if self.awake else contextlib.nullcontext()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.progress.done()
        self.services.close()

    def consider(self, peer):
        self.progress.doing(f"looking for {peer.title}")
        reason = peer_list.refusal(peer, self.backend.name, self.session.environment)
        try:
            if not reason:
                self.services.enter_context(peer_list.Service(peer, self.session.environment))
        except (LookupError, OSError) as error:
            reason = str(error)
        if reason:
            self.absent[peer.name] = f"{peer.title}: {reason}"
        else:
            self.peers.append(peer)

    def peer(self, name):
        return next((peer for peer in self.peers if peer.name == name), None)

    @property
    def processes(self):
        return [peer for peer in self.peers if not peer.streams]

    @property
    def few_peers(self):
        return [peer for peer in self.peers if not self.profile.few_peers or peer.name in self.profile.few_peers]

    def most_compared(self, peers):
        """Returns the peers that are measured before all others."""
        return [peer for peer in peers if peer.name in (self.baseline, "xsched")]

    def title(self, name):
        found = self.peer(name)
        return found.title if found else name

    @staticmethod
    def left(deadline):
        return deadline - time.monotonic()

    def run_rounds(self, measuring, groups, deadline, least, most_seconds=None, most_rounds=None, pace=None):
        """`groups` (lib/rounds.py) in rounds until the deadline. `measuring.seconds` says how long each of their
        measurements takes, and is set here to what fits. Returns how many rounds were whole."""
        pace = pace or self.pace
        measuring.seconds = pace.fit_seconds(self.left(deadline), sum(map(len, groups)),
                                             most_seconds or self.profile.seconds, least)
        return rounds.run(groups, most_rounds or self.profile.rounds, deadline, measuring.seconds, pace)
