"""The ways in which a program is tried, and what is the same in each."""
import shutil
import signal
import subprocess
import time

import comparing
import trial
from row import place

WAYS = ("native", "xcli run", "preload", "urgent", "victim", "killed", "interrupted")
URGENT, VICTIM = 10, 0     # priorities
PARTS = (1 / 2, 1 / 4, 1 / 8, 1 / 16)  # of its native time: when a signal is sent
MOMENTS = [eighths / 8 for eighths in range(1, 8)]  # of its native time
GONE_S = 20                # safety: the server notices a death within milliseconds
# A kernel function in which a program may hang through no fault of XSched: seen once in twelve runs on a virtual
# machine with Linux 6.18, when a thread set its own affinity (hwloc does at a program's start).
KERNEL_STANDS = "affine_move_task"
NATIVE_RUNS = 4            # at most: as many as it takes to see how its threads and descriptors vary


def same(differs, **more):
    return {"same": not differs, "differs": differs, **more}


class Trials:
    """All ways of one row. `say` is told what runs."""

    def __init__(self, row, tools, say):
        self.row, self.tools, self.say = row, tools, say
        self.folder = tools.work / row.name.replace(" ", "_").replace("/", "_")
        self.home = self.folder / "home"
        self.command = row.words(self.home, tools)
        self.natives = []
        self.expected = None
        self.repeated = []  # where runs stood that were repeated

    def prepare(self):
        """Makes its inputs. Returns why that failed, or None."""
        self.home.mkdir(parents=True, exist_ok=True)
        made, marker = self.folder / "in", self.folder / "made"
        steps = [place(step, self.home, self.tools) for step in self.row.make]
        if marker.exists() and marker.read_text() == "\n".join(steps):
            return None
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        for step in steps:
            ended = subprocess.run(["/bin/sh", "-c", step], cwd=made, env=self.environment(), text=True,
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, timeout=self.tools.making_s, check=False)
            if ended.returncode != 0:
                return f"\"{step}\" failed: {ended.stdout.strip()[-300:]}"
        marker.write_text("\n".join(steps))
        return None

    def environment(self):
        return trial.bare_environment() | {
            "HOME": str(self.home), "XDG_CACHE_HOME": str(self.home), "XDG_DATA_HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home), "POCL_CACHE_DIR": str(self.home / "pocl"), "LC_ALL": "C.UTF-8",
            **{name: place(value, self.home, self.tools) for name, value in self.row.variables.items()}}

    def run(self, before=(), environment=None, signals=()):
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        shutil.copytree(self.folder / "in", self.folder / "run", symlinks=True)
        ended = trial.run([*before, *self.command], self.folder, self.environment() | (environment or {}),
                          self.row.seconds, signals, self.row.files)
        if ended.status is None and any(KERNEL_STANDS in thread for thread in ended.standing) and not self.repeated:
            self.repeated.append("; ".join(ended.standing))
            return self.run(before, environment, signals)
        return ended

    def under(self, server, priority, signals=()):
        before = [server.xcli, "run", "--priority", str(priority), "--"]
        return self.run(before, {"XSCHED_SOCKET": server.socket, "XLOG_LEVEL": "WARN"}, signals)

    # The ways.

    def natively(self):
        """Twice after a first run, which compiles its kernels: what differs between these is no matter of ours."""
        self.run()
        first, second = self.run(), self.run()
        self.natives = [first, second]
        self.expected = comparing.output(self.row, second, self.folder)
        differs = [] if first.status == second.status else [f"exit status {first.status}, then {second.status}"]
        if second.status is None:
            differs.append(f"it does not end within {self.row.seconds} s")
        differs += comparing.output_differences(comparing.output(self.row, first, self.folder), self.expected)
        return same(differs, status=second.status, seconds=second.seconds)

    def compared(self, ended, socket):
        native = self.natives[-1]
        differs = []
        if ended.status is None:
            differs.append(f"it does not end within {self.row.seconds} s; its threads: {'; '.join(ended.standing)}")
        elif ended.status != native.status:
            differs += [f"exit status {ended.status}, natively {native.status}", *ended.faults]
        differs += comparing.output_differences(self.expected, comparing.output(self.row, ended, self.folder))
        while True:
            left = comparing.leftover_differences(self.row, self.natives, ended, socket)
            if not left or len(self.natives) >= NATIVE_RUNS:
                return differs + left
            self.natives.append(self.run())

    def told(self, differs, ended, socket):
        seen = comparing.without_ours(ended, socket)
        more = {"messages": ended.messages} if ended.messages else {}
        if seen is not None:
            more["ours"] = {"descriptors": seen[2], "threads": seen[3]}
        return same(differs, seconds=ended.seconds, **more)

    def alone(self, server):
        ended = self.under(server, VICTIM)
        differs = self.compared(ended, server.socket)
        seen = comparing.without_ours(ended, server.socket)
        if self.row.uses_device and seen is not None and not seen[3]:
            differs.append("XSched has scheduled nothing of it")
        return self.told(differs, ended, server.socket)

    def preloaded(self, _):
        """Where no server answers, and none is started."""
        socket = str(self.folder / "no_server")
        if self.row.platform == "vulkan":  # a layer, which the loader finds
            way = {"XSCHED_VULKAN": "1", "XDG_DATA_DIRS": f"{self.tools.build}/share:/usr/local/share:/usr/share"}
        else:
            way = {"LD_PRELOAD": str(self.tools.build / "lib" / f"libshim{self.row.platform}.so")}
        ended = self.run((), way | {"XSCHED_SOCKET": socket, "XLOG_LEVEL": "WARN"})
        return self.told(self.compared(ended, socket), ended, socket)

    def neighbour(self, server, manner, priority):
        variables = {"XSCHED_ASCEND_LIB": f"{self.tools.build}/fake_ascend/libascendcl.so"}
        return trial.Neighbour(server, self.tools.neighbour(self.row.platform), manner, priority,
                               variables if self.row.platform == "ascend" else None)

    def beside(self, server, manner, its_priority, priority):
        with self.neighbour(server, manner, its_priority) as neighbour:
            ended = self.under(server, priority)
            wrong = neighbour.ends_well()
        return self.told(self.compared(ended, server.socket) + wrong, ended, server.socket)

    def signalled(self, number, run):
        """run(signals) with this signal in the program's middle. If it ended as without one, the signal may have come
        just at its end: it is sent earlier, some times."""
        native, ended = self.natives[-1], None
        for part in PARTS:
            now = run((native.seconds * part, number))
            if now.was_running or ended is None:
                ended = now
            if now.was_running and now.status != native.status:
                break
        return ended

    def killed(self, server):
        """In its middle; the server and a neighbour go on, and nothing of it is left."""
        with self.neighbour(server, "busy", VICTIM) as neighbour:
            before = server.left_behind(), server.descriptors(), server.process_numbers()
            ended = self.signalled(signal.SIGKILL, lambda signals: self.under(server, VICTIM, signals))
            wrong = [] if ended.was_running else ["it had ended before it could be killed"]
            wrong += self.left_after(server, before) + neighbour.ends_well()
        return same(wrong)

    @staticmethod
    def left_after(server, before):
        """Returns the files and processes that have not gone within the time it takes at most."""
        limit = time.monotonic() + GONE_S
        while True:
            wrong = []
            if server.process.poll() is not None:
                return [f"the server ended with {server.process.returncode}"]
            files, descriptors, numbers = before
            if more := [name for name in server.left_behind() if name not in files]:
                wrong.append(f"files are left: {', '.join(more)}")
            if server.descriptors() > descriptors:
                wrong.append(f"the server has {server.descriptors()} descriptors, before {descriptors}")
            if more := [pid for pid in server.process_numbers() if pid not in numbers]:
                wrong.append(f"processes are left: {', '.join(map(server.name_of, more))}")
            if not wrong or time.monotonic() > limit:
                return wrong
            time.sleep(0.05)

    def interrupted(self, server):
        """By SIGINT in its middle: it ends as natively."""
        native = {self.signalled(signal.SIGINT, lambda signals: self.run(signals=signals)).status for _ in range(2)}
        ended = self.signalled(signal.SIGINT, lambda signals: self.under(server, VICTIM, signals))
        if ended.status not in native:  # how it ends may depend on how far it had come: natively, too
            native |= {self.run(signals=(self.natives[-1].seconds * part, signal.SIGINT)).status for part in MOMENTS}
        differs = []
        if not ended.was_running:
            differs.append("it had ended before it could be interrupted")
        elif ended.status not in native:
            differs.append(f"exit status {ended.status}, natively {' or '.join(sorted(map(str, native)))}")
        return same(differs, status=ended.status, seconds=ended.seconds)

    def all(self):
        """{way: what is so}"""
        found = {}
        self.say("native")
        found["native"] = self.natively()
        with trial.Server(self.tools.build) as server:
            for way, trial_of in (("xcli run", self.alone), ("preload", self.preloaded),
                                  ("urgent", lambda it: self.beside(it, "busy", VICTIM, URGENT)),
                                  ("victim", lambda it: self.beside(it, "urgent", URGENT, VICTIM)),
                                  ("killed", self.killed), ("interrupted", self.interrupted)):
                self.say(way)
                found[way] = trial_of(server)
        return found
