"""Processors that stay awake while a device that is made of them is measured.

After a sleep of some 40 ms all threads of a driver for CPU devices (PoCL) may wake on one processor. They may stay
there for most of a burst while another processor is idle. A host takes time just when a sleeping processor wakes. A
burst alone then takes as long as one that shares the device, and nothing can be compared. So the driver's threads are
pinned, and an idle-class thread on each processor (bench/programs/spinner.cpp) keeps it awake; it yields to whatever
else wants to run."""
import contextlib
import os
import select
import subprocess
from pathlib import Path

READY_SECONDS = 10
PINNED = {"POCL_AFFINITY": "1"}


def control_group(root="/"):
    """The control group by whose weight these processes get processors beside others, if any but the machine's own
    does: there the weakest thread has the whole group's weight behind it, and would slow others."""
    for line in (Path(root) / "proc/self/cgroup").read_text().splitlines():
        _, controllers, name = line.split(":", 2)
        if not controllers:  # version 2: one tree for all controllers
            folder = Path(root) / "sys/fs/cgroup" / name.lstrip("/")
            if any((each / "cpu.weight").exists() for each in (folder, *folder.parents)):
                return name
        elif "cpu" in controllers.split(","):
            tops = Path(root, "sys/fs/cgroup", controllers), Path(root, "sys/fs/cgroup/cpu")
            if name != "/" or not any((top / "release_agent").exists() for top in tops):
                return name
    return None


def refusal(program, root="/", alone_here=False):
    """Why processors cannot be kept awake, as a sentence; empty if it can be tried."""
    if not program.exists():
        return f"{program} is not built"
    if alone_here:
        return ""
    try:
        group = control_group(root)
    except (OSError, ValueError) as error:
        return f"control groups cannot be read: {error}"
    return f"the control group {group} shares processors with others by weight" if group else ""


class Awake:
    """Within `with Awake(session)` the session's programs have pinned driver threads, and its processors stay awake if
    that is permitted; otherwise `reason` says why not. `alone_here`: no other user's programs are there that a control
    group's weight could slow."""

    def __init__(self, session, alone_here=False):
        self.program, self.process = session.build / "bench" / "spinner", None
        for name, value in PINNED.items():
            session.environment.setdefault(name, value)
        self.reason = refusal(self.program, alone_here=alone_here)
        if not self.reason:
            self.start()

    def start(self):
        """The spinner ends with this process, however this process ends."""
        command = [self.program, str(os.getpid()), *map(str, sorted(os.sched_getaffinity(0)))]
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            self.reason = str(error)
            return
        answers = select.select([self.process.stdout], [], [], READY_SECONDS)[0]
        said = self.process.stdout.readline().strip() if answers else ""
        if said != "ready":
            self.reason = said or "the spinner says nothing"
            self.stop()

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    @contextlib.contextmanager
    def paused(self):
        """For what is no question about a CPU device, such as how soon a sleeping server wakes."""
        was_running = self.process is not None
        self.stop()
        try:
            yield
        finally:
            if was_running:
                self.start()

    @property
    def pids(self):
        return [self.process.pid] if self.process else []

    @property
    def says(self):
        """For the notes of a result."""
        settings = ", ".join(f"{name}={value}" for name, value in PINNED.items())
        pinned = f"the driver's threads are pinned ({settings})"
        if self.reason:
            return f"{pinned}; processors are not kept awake: {self.reason}"
        return f"{pinned}; an idle-class thread keeps each processor awake"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
