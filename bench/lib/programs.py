"""Starting the main job's programs, as they are or under XSched, in a runtime directory of their own."""
import contextlib
import os
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import calibration

START_SECONDS = 60  # a program that is not ready by then is broken
CALIBRATIONS = 3
KILL_SECONDS = 30


class ProgramFailed(Exception):
    pass


class Program:
    """A program, running. `rows` are its measurements once it has ended."""

    def __init__(self, command, environment, out, log, patience=START_SECONDS):
        self.patience = patience  # seconds more than a program should need
        self.out, self.log, self.command = Path(out), Path(log), [str(word) for word in command]
        with open(log, "w") as errors:
            self.process = subprocess.Popen(self.command + ["--out", str(out)], env=environment, stderr=errors,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)

    def wait_ready(self, progress):
        deadline, said, pipe = time.monotonic() + self.patience, b"", self.process.stdout.fileno()
        while b"ready" not in said:
            ended = self.process.poll() is not None  # asked first: a short program says "ready" and ends at once
            more = os.read(pipe, 4096) if select.select([pipe], [], [], 0)[0] else b""
            said += more
            if (ended and not more) or time.monotonic() > deadline:
                raise ProgramFailed(self.complaint())
            progress.wait(0.02)

    def begin(self):
        """For one that waits for its turn (--wait 1, --turns)."""
        try:
            self.process.stdin.write(b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise ProgramFailed(self.complaint()) from None

    def take_turn(self, progress):
        """The same, until it says "ready" again: it measures now (--wait 1), or its turn is over (--turns)."""
        self.begin()
        self.wait_ready(progress)

    def finish(self, progress, seconds):
        """Lets it end by itself within `seconds` and reads what it measured."""
        deadline = time.monotonic() + seconds + self.patience
        self.process.stdin.close()
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                raise ProgramFailed(self.complaint())
            progress.wait(0.1)
        if self.process.returncode != 0:
            raise ProgramFailed(self.complaint())
        return [[int(number) for number in line.split()] for line in self.out.read_text().splitlines()]

    def complaint(self):
        status = self.process.poll()
        ended = "did not get ready or did not end in time" if status is None else f"ended with status {status}"
        return f"{' '.join(self.command)} {ended}:\n{self.log.read_text()[-2000:]}"

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):  # a driver may take its time to stop the device
                self.process.wait(KILL_SECONDS)


def threads_of(pid):
    """Returns the wait of each thread of a process, a line per kind of thread: for one that stands still."""
    found = {}
    for task in Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(OSError):
            what = " ".join((task / name).read_text().strip()[:60] for name in ("comm", "wchan", "syscall"))
            found[what] = found.get(what, 0) + 1
    return "\n".join(f"{count} x {what}" for what, count in sorted(found.items()))


class Session:
    """The programs of one benchmark: private runtime directory (so that the first `xcli run` starts a server of its
    own), private kernel cache, and an environment without the user's XSched settings."""

    def __init__(self, build):
        self.build = Path(build).resolve()
        self.folder = Path(tempfile.mkdtemp(prefix="xsched-bench-"))
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("XSCHED_", "XLOG_")) and name != "LD_PRELOAD"}
        for variable, name in (("XDG_RUNTIME_DIR", "runtime"), ("POCL_CACHE_DIR", "kernels")):
            (self.folder / name).mkdir(mode=0o700)
            self.environment[variable] = str(self.folder / name)
        # The programs use a server of this run alone, not one that the user may have elsewhere.
        self.environment["XSCHED_SOCKET"] = str(self.folder / "runtime" / "xserver.sock")
        self.started = []
        self.programs = None  # the backend's folder, once chosen
        self.patience = START_SECONDS
        self.check_lengths = False  # of kernels, after calibrating
        self.lengths = {}           # those that were: {ms: steps}
        self.doubts = []            # why figures may mean nothing, as sentences

    def __enter__(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # by way of __exit__
        return self

    def kill_all(self):
        for program in self.started:
            program.kill()

    def __exit__(self, *_):
        self.kill_all()
        for pid in self.server_pids():
            os.kill(pid, signal.SIGTERM)
        shutil.rmtree(self.folder, ignore_errors=True)

    def server_pids(self):
        """xserver processes that were started for this session's runtime directory."""
        mark = f"XDG_RUNTIME_DIR={self.environment['XDG_RUNTIME_DIR']}".encode()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if (folder / "comm").read_text().strip() == "xserver" and \
                        mark in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
            except OSError:
                pass
        return found

    def calibrate(self, kernel_ms, times=CALIBRATIONS):
        """Returns the steps with which a kernel takes `kernel_ms` on the device alone."""
        if not self.check_lengths:
            return self.calibrate_once(kernel_ms, times)
        if kernel_ms not in self.lengths:
            self.lengths[kernel_ms], complaint = calibration.checked(
                kernel_ms, lambda: self.calibrate_once(kernel_ms, times),
                lambda steps: self.kernel_lasts_ms(kernel_ms, steps))
            self.doubts += [complaint] if complaint else []
        return self.lengths[kernel_ms]

    def calibrate_once(self, kernel_ms, times):
        command = ["hp", "--calibrate", "1", "--kernel-ms", str(kernel_ms)]
        return round(statistics.median(int(self.output_of(*command).split()[0]) for _ in range(times)))

    def output_of(self, name, *arguments):
        """Returns the output of one of the backend's programs that ends soon by itself."""
        command = [str(word) for word in (self.programs / name, *arguments)]
        try:
            return subprocess.run(command, env=self.environment, text=True, check=True, timeout=START_SECONDS,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout
        except subprocess.CalledProcessError as error:
            raise ProgramFailed(f"{' '.join(command)} ended with status {error.returncode}: {error.stderr[-2000:]}") \
                from error
        except subprocess.TimeoutExpired as error:
            raise ProgramFailed(str(error)) from error

    def kernel_lasts_ms(self, kernel_ms, steps):
        """Returns the length as a program has it that runs kernels without a pause; None if it ended too soon to
        tell."""
        out = self.folder / "length.rows"
        seconds = max(calibration.CHECK_SECONDS, calibration.CHECK_KERNELS * kernel_ms / 1e3)
        self.output_of("lp", "--steps", steps, "--seconds", seconds, "--out", out)
        return calibration.lasts_ms([int(line) for line in out.read_text().split()])

    def xcli(self, *words):
        """Returns xcli's answer, for the record."""
        try:
            ended = subprocess.run([self.build / "bin" / "xcli", *words], env=self.environment, text=True, timeout=5,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"xcli {' '.join(words)}: {error}\n"
        return f"$ xcli {' '.join(words)}\n{ended.stdout}"

    def logs(self, most_bytes=4000):
        """The first lines that each program and the server wrote."""
        files = sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("runtime/**/*.log"))
        return "".join(f"--- {file.name}\n{text[:most_bytes]}\n" for file in files
                       if (text := file.read_text(errors="replace")))

    def under_xsched(self, *options):
        """Returns the words before a command: xcli run with these options."""
        return [self.build / "bin" / "xcli", "run", *options, "--"]

    def start(self, name, options, prefix=(), environment=None, folder=None):
        """A program of `folder` (the backend's, unless said) with `options` ({"kernel-ms": 5}); `prefix` comes before
        its command: how it is started."""
        command = [*prefix, Path(folder or self.programs) / name]
        for option, value in options.items():
            command += ["--" + option, str(value)]
        number = len(self.started)
        program = Program(command, {**self.environment, **(environment or {})}, self.folder / f"{name}{number}.rows",
                          self.folder / f"{name}{number}.log", self.patience)
        self.started.append(program)
        return program
