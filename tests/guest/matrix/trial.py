"""Runs programs: natively or under XSched, looked at in their last moment, and beside another program."""
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

WATCH = Path(__file__).resolve().parent / "watch.py"
OURS_S = 20        # safety: what is ours answers in milliseconds
LOG_LINE = re.compile(r"^\[(DEBG|INFO|WARN|ERRO) @ T\d+ @ \d\d:\d\d:\d\d\.\d{6}\] ")
FIRST_LINE_S = 60  # the neighbour's kernel is compiled first


def bare_environment():
    """This process's, without anything of XSched's."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("XSCHED_", "XLOG_")) and name not in ("LD_PRELOAD", "OPENCL_LAYERS")}


@dataclass
class Ended:
    """How a program ended. `status` is None if it had to be killed because it did not end."""
    status: int | None
    out: str
    errors: str
    seconds: float
    descriptors: list | None
    threads: list | None
    files: dict               # of those asked for: a digest, or None
    was_running: bool = False  # when it got its signal
    standing: tuple = ()       # where its threads stood if it did not end
    faults: tuple = ()         # signals of faults that it got, and where

    @property
    def messages(self):
        """XSched's lines on its standard error."""
        return [LOG_LINE.sub("", line) for line in self.errors.splitlines() if LOG_LINE.match(line)]


def end_group(process):
    """Ends the watcher, which takes the program along, and whatever is left of its process group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait(OURS_S)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def where_it_stands(pid):
    """Each of its threads: name, state, and the kernel's function in which it waits."""
    found = []
    for thread in Path(f"/proc/{pid}/task").glob("*"):
        name, status, waits = (bytes_of(thread / part).decode(errors="replace").strip()
                               for part in ("comm", "status", "wchan"))
        state = re.search(r"^State:\s*(\S+)", status, re.MULTILINE)
        found.append(f"{name} {state.group(1) if state else '?'} {waits}")
    return found


def run(command, folder, environment, seconds, signals=(), files=()):
    """Runs `command` in folder/run. `signals`: (seconds after its begin, number) of one signal, or nothing. `files` are
    what it writes there."""
    result = folder / "result.json"
    result.unlink(missing_ok=True)
    read, write = os.pipe()
    with open(folder / "out", "wb") as out, open(folder / "err", "wb") as errors:
        watcher = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$@" 3>&{write}', "sh", sys.executable, "-B", str(WATCH), str(result), "--",
             *command], cwd=folder / "run", env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
            pass_fds=(write,), start_new_session=True)
    os.close(write)
    began = time.monotonic()
    with os.fdopen(read) as numbers:
        pid = int(numbers.readline() or 0)
    was_running = bool(signals) and send(watcher, pid, began, *signals)
    try:
        watcher.wait(max(seconds - (time.monotonic() - began), 0.1))
        late = False
    except subprocess.TimeoutExpired:
        late = True
    standing = where_it_stands(pid) if late else []
    end_group(watcher)
    told = json.loads(result.read_text()) if result.exists() and not late else {}
    return Ended(status=told.get("status"), out=text_of(folder / "out"), errors=text_of(folder / "err"),
                 seconds=told.get("seconds", seconds), descriptors=told.get("descriptors"),
                 threads=told.get("threads"), files={name: digest(folder / "run" / name) for name in files},
                 was_running=was_running, standing=standing, faults=told.get("faults", ()))


def send(watcher, pid, began, after, number):
    """Returns whether the program was there to get it."""
    try:
        watcher.wait(max(after - (time.monotonic() - began), 0))
        return False
    except subprocess.TimeoutExpired:
        pass
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def bytes_of(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def text_of(path):
    return path.read_text(encoding="utf-8", errors="replace")


class Server:
    """xserver at a socket of its own."""

    def __init__(self, build):
        self.xcli = str(build / "bin" / "xcli")
        self.folder = Path(tempfile.mkdtemp(prefix="xsched-matrix-"))
        self.socket = str(self.folder / "x.sock")
        self.environment = bare_environment() | {"XSCHED_SOCKET": self.socket, "XLOG_LEVEL": "WARN"}
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen([str(build / "bin" / "xserver"), "--no-supervise"], env=self.environment,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def __enter__(self):
        limit = time.monotonic() + OURS_S
        while self.asked("status") is None:
            if time.monotonic() > limit or self.process.poll() is not None:
                raise RuntimeError(f"xserver does not answer: {text_of(self.folder / 'log')}")
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(OURS_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def asked(self, *words):
        """xcli's answer, or None."""
        done = subprocess.run([self.xcli, *words, "--json"], env=self.environment, text=True, capture_output=True,
                              timeout=OURS_S, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def lists(self, pid):
        return any(queue["pid"] == pid for queue in (self.asked("list") or {"queues": []})["queues"])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def process_numbers(self):
        """All processes that know its socket, but the one that asks."""
        wanted = f"XSCHED_SOCKET={self.socket}".encode()
        return {int(pid) for pid in os.listdir("/proc") if pid.isdigit() and int(pid) != os.getpid()
                and wanted in bytes_of(f"/proc/{pid}/environ").split(b"\0")}

    @staticmethod
    def name_of(pid):
        return bytes_of(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode(errors="replace").strip() or str(pid)

    def left_behind(self):
        """Files beside its socket, and of its name in shared memory, where other tests have theirs."""
        return sorted(path.name for path in [*self.folder.iterdir(), *Path("/dev/shm").glob("*xsched*")])


class Neighbour:
    """A program under XSched beside the one that is tried."""

    def __init__(self, server, program, manner, priority, variables=None):
        self.counts = tempfile.NamedTemporaryFile(prefix="neighbour-", dir=server.folder)
        self.errors = tempfile.TemporaryFile()
        environment = server.environment | {"POCL_MAX_PTHREAD_COUNT": "1"} | (variables or {})
        self.process = subprocess.Popen(
            [server.xcli, "run", "--priority", str(priority), "--", str(program), manner], env=environment,
            stdin=subprocess.DEVNULL, stdout=self.counts, stderr=self.errors)

    def count(self):
        """How many kernels it has had done."""
        lines = text_of(Path(self.counts.name)).split("\n")
        return int(lines[-2]) if len(lines) > 1 else -1

    def advances(self, by=3, seconds=FIRST_LINE_S):
        """Waits until it has done so many more; returns whether it has."""
        wanted, limit = max(self.count(), 0) + by, time.monotonic() + seconds
        while self.count() < wanted:
            if time.monotonic() > limit or self.process.poll() is not None:
                return False
            time.sleep(0.02)
        return True

    def __enter__(self):
        if not self.advances():
            said = self.said()
            self.__exit__()
            raise RuntimeError(f"the neighbour does not run: {said}")
        return self

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace").strip()

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.counts.close()
        self.errors.close()

    def ends_well(self):
        """Returns the faults that it shows afterwards; an empty list: none."""
        wrong = [] if self.advances() else ["the neighbour stands still"]
        self.process.terminate()
        try:
            status = self.process.wait(OURS_S)
        except subprocess.TimeoutExpired:
            status = None
        if status != 0:
            wrong.append(f"the neighbour ended with {status}")
        return wrong + ([f"the neighbour says: {self.said()}"] if self.said() else [])
