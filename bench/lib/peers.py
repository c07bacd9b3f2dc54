"""Ways to share a device, each a script in bench/peers (docs/benchmarks.md says how to add one): the driver's own time
slicing, MPS, stream priorities, XSched at each level. The rest of the suite knows none of them by name but "native".

The first lines of a script declare it:

    # peer: TITLE            for tables
    # on: cuda hip opencl    the platforms it may be used on
    # as: processes          or streams: both programs are streams of one process
    # order: 30              where it stands in tables

It is called as `NAME check` (exit status 77 and one sentence if it cannot be used here), `NAME serve` (a service that
runs until its standard input ends, after a line "ready"; nothing if it needs none) and `NAME run ROLE COMMAND...`
(ROLE: hp, lp, or pair for streams), with BENCH_BUILD, BENCH_PLATFORM, BENCH_PROGRAMS and BENCH_FOLDER (a private folder
that lives as long as the measurements) in its environment."""
import os
import select
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "peers"
NOT_HERE = 77
CHECK_SECONDS, SERVE_SECONDS, STOP_SECONDS = 60, 20, 15


@dataclass(frozen=True)
class Peer:
    path: Path
    title: str
    platforms: tuple
    streams: bool
    order: int

    @property
    def name(self):
        return self.path.name

    def prefix(self, role):
        return [self.path, "run", role]


def declared(path):
    """The peer that a script declares; None if it is no adapter."""
    said = {}
    for line in path.read_text(errors="replace").splitlines()[:12]:
        word, colon, rest = line.lstrip("# ").partition(":")
        if line.startswith("#") and colon and word in ("peer", "on", "as", "order"):
            said[word] = rest.strip()
    if "peer" not in said or "on" not in said:
        return None
    return Peer(path, said["peer"], tuple(said["on"].split()), said.get("as") == "streams", int(said.get("order", 99)))


def all_peers(folder=FOLDER):
    found = [declared(path) for path in Path(folder).iterdir() if path.is_file() and os.access(path, os.X_OK)]
    return sorted((peer for peer in found if peer), key=lambda peer: (peer.order, peer.name))


def refusal(peer, platform, environment):
    """Why it cannot be used here, as a sentence; empty if it can."""
    if platform not in peer.platforms:
        return f"only on {', '.join(peer.platforms)}"
    try:
        ended = subprocess.run([peer.path, "check"], env=environment, text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=CHECK_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"its check failed: {error}"
    if ended.returncode == 0:
        return ""
    said = (ended.stdout.strip().splitlines() or ["no reason given"])[-1]
    return said if ended.returncode == NOT_HERE else f"its check failed: {said}"


class Service:
    """`NAME serve` while it is needed: with Service(peer, environment)."""

    def __init__(self, peer, environment):
        self.process = subprocess.Popen([peer.path, "serve"], env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        if not self.is_ready() and self.ended_badly():
            self.__exit__()
            raise LookupError(f"{peer.title}: its service did not start")

    def is_ready(self):
        """Returns whether it has said so; False once it has ended, or says nothing for too long."""
        deadline, said, pipe = time.monotonic() + SERVE_SECONDS, b"", self.process.stdout.fileno()
        while time.monotonic() < deadline:
            if select.select([pipe], [], [], 0.1)[0]:
                more = os.read(pipe, 4096)
                said += more
                if b"ready" in said or not more:
                    return b"ready" in said
        return False

    def ended_badly(self):
        """A script that ends at once and well needs no service."""
        try:
            return self.process.wait(1) != 0
        except subprocess.TimeoutExpired:
            return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process.stdout.close()
