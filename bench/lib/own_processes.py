"""Starting a user's programs and leaving none of them behind, whatever they start themselves."""
import contextlib
import ctypes
import os
import select
import shutil
import signal
import socket as sockets
import subprocess
import tempfile
import time
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
PATIENCE_SECONDS = 3  # between being asked to end and being killed
SERVER_SECONDS = 20   # until it answers, on a machine that has other things to do
LOG_SHOWN = 1200
# Beginnings of variables that are removed from the environment of measured programs: the user may have set them for
# other runs, and each run here sets its own.
OURS = ("XSCHED_SCHEDULER", "XSCHED_POLICY", "XSCHED_SOCKET", "XSCHED_AUTO_XQUEUE", "XSCHED_START_SERVER", "XLOG_")
_libc = ctypes.CDLL(None, use_errno=True)


class ProgramFailed(Exception):
    """A sentence for the user."""


def _die_with_parent():
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def accepts(path):
    """Returns whether a server listens there: its socket is a file some time before it does."""
    with sockets.socket(sockets.AF_UNIX, sockets.SOCK_SEQPACKET) as one:
        return one.connect_ex(str(path)) == 0


def children():
    """Returns the children of this process, orphans of its children among them (adopt_orphans)."""
    found = []
    for task in Path("/proc/self/task").glob("*"):
        with contextlib.suppress(OSError):
            found += [int(word) for word in (task / "children").read_text().split()]
    return found


def adopt_orphans():
    """A process that a child leaves behind becomes a child of this process."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_everybody():
    """Kills and buries all children, and theirs."""
    until = time.monotonic() + PATIENCE_SECONDS
    while (left := children()) and time.monotonic() < until:
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.01)


class Running:
    """One start of a program. Its session is its own, so that all of its processes are known by it."""

    def __init__(self, command, environment, log):
        self.command, self.log, self.began = [str(word) for word in command], Path(log), time.monotonic()
        self.seconds = None  # until it ended by itself
        with open(log, "wb") as out:
            self.process = subprocess.Popen(self.command, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=subprocess.STDOUT, start_new_session=True,
                                            preexec_fn=_die_with_parent)

        self.pidfd = os.pidfd_open(self.process.pid)

    def __del__(self):
        with contextlib.suppress(AttributeError, OSError):
            os.close(self.pidfd)

    @property
    def session(self):
        return self.process.pid

    def ended(self):
        """Returns whether it has ended; the exit status is then looked at."""
        if self.process.poll() is None:
            return False
        if self.seconds is None:
            self.seconds = time.monotonic() - self.began
        return True

    def check(self, title):
        """Throws if it failed."""
        if self.process.poll() in (None, 0):
            return
        status = self.process.returncode
        how = f"was ended by signal {-status} ({signal.Signals(-status).name})" if status < 0 else \
            f"ended with status {status}"
        text = self.log.read_text(errors="replace")[-LOG_SHOWN:].strip()
        raise ProgramFailed(f"{title} {how} after {self.seconds or 0:.1f} s" + (f"; its last words:\n{text}" if text
                                                                                else ", without a word"))

    def members(self):
        """All processes of its session."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, IndexError):
                if int((folder / "stat").read_text().rsplit(")", 1)[1].split()[3]) == self.session:
                    found.append(int(folder.name))
        return found

    def signal_all(self, number):
        for pid in self.members():
            with contextlib.suppress(OSError):
                os.kill(pid, number)

    def stop(self):
        """Asks it to end, and kills it where it does not."""
        self.signal_all(signal.SIGTERM)
        until = time.monotonic() + PATIENCE_SECONDS
        while self.members() and time.monotonic() < until:
            self.process.poll()
            time.sleep(0.01)
        self.signal_all(signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE_SECONDS)


def pause(programs, seconds):
    """Sleeps; whichever of the programs ends meanwhile is noticed at once."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        waiting = [program for program in programs if not program.ended()]
        select.select([program.pidfd for program in waiting], [], [], left)


class Place:
    """A private folder for server, sockets and logs; on leaving it no child of this process is left."""

    def __enter__(self):
        adopt_orphans()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda which, _: (_ for _ in ()).throw(SystemExit(128 + which)))
        self.folder = Path(tempfile.mkdtemp(prefix="xsched-report-"))
        self.started = 0
        return self

    def __exit__(self, *_):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # a second Ctrl-C shall not stop the end
            signal.signal(number, signal.SIG_IGN)
        end_everybody()
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self, socket=None):
        """Returns an environment without settings of XSched; programs find the server at `socket`."""
        found = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        return {**found, "XSCHED_SOCKET": str(socket), "XLOG_LEVEL": "WARN"} if socket else found

    def start(self, command, socket=None):
        self.started += 1
        return Running(command, self.environment(socket), self.folder / f"program{self.started}.log")

    def serve(self, xserver, policy):
        """(the server's process, its socket), once it answers."""
        path = self.folder / f"xserver{self.started}.sock"
        server = self.start([xserver, "--no-supervise", "--socket", path, policy])
        until = time.monotonic() + SERVER_SECONDS
        while not accepts(path):
            if server.ended() or time.monotonic() > until:
                raise ProgramFailed(f"xserver does not start: {server.log.read_text(errors='replace')[-LOG_SHOWN:]}")
            time.sleep(0.01)
        return server, path
