"""NVIDIA's Multi-Process Service, started for one benchmark in a directory of its own and stopped after it."""
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

CONTROL = "nvidia-cuda-mps-control"
START_SECONDS, QUIT_SECONDS = 10, 10


def find_control():
    """On PATH, or installed beside the CUDA driver; None if there is none."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    paths = [line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "/libcuda.so" in line]
    beside = [str(Path(path).parents[1] / "bin") for path in paths]
    return shutil.which(CONTROL, path=os.pathsep.join([os.environ.get("PATH", ""), *beside]))


class Mps:
    """with Mps(folder) as mps: programs started with mps.environment share one context. Raises LookupError with a
    sentence if there is no MPS here."""

    def __init__(self, folder, environment):
        self.environment = {**environment, "CUDA_MPS_PIPE_DIRECTORY": str(Path(folder) / "mps"),
                            "CUDA_MPS_LOG_DIRECTORY": str(Path(folder) / "mps-log")}
        self.process = self.control = None

    def __enter__(self):
        self.control = find_control()
        if self.control is None:
            raise LookupError(f"{CONTROL} is not installed: MPS is not measured")
        for name in ("CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY"):
            Path(self.environment[name]).mkdir(mode=0o700, exist_ok=True)
        # The daemon runs in the foreground as our child, so that no other user's daemon is ever stopped.
        self.process = subprocess.Popen([self.control, "-f"], env=self.environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + START_SECONDS
        while not (Path(self.environment["CUDA_MPS_PIPE_DIRECTORY"]) / "control").exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                raise LookupError(f"{CONTROL} did not start: MPS is not measured")
            time.sleep(0.05)
        return self

    def servers(self):
        """The process ids of the MPS servers that programs have made it start."""
        try:
            asked = subprocess.run([self.control], env=self.environment, input="get_server_list\n", text=True,
                                   timeout=QUIT_SECONDS, stdout=subprocess.PIPE)
            return asked.stdout.split()
        except subprocess.TimeoutExpired:
            return []

    def __exit__(self, *_):
        if self.process.poll() is None:
            try:
                subprocess.run([self.control], env=self.environment, input="quit -t 2\n", text=True,
                               timeout=QUIT_SECONDS, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.process.wait(QUIT_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


def short_timeslices():
    """Returns variables that give the MPS server's context the timeslice of the peer static_timeslices."""
    return {"LD_PRELOAD": f"{os.environ['BENCH_BUILD']}/bench/cuda/libtimeslices.so",
            "BENCH_TIMESLICE_US": os.environ.get("BENCH_TIMESLICE_US", "1")}


def adapter(words, environment_of=None, then=None, outside=(), servers=None):
    """A peer (lib/peers.py) whose programs are MPS clients, with more in the environment of some roles; `then` is
    another peer that starts them. Programs of the roles `outside` are no clients. `servers`: more in the environment
    of the MPS server."""
    folder = Path(os.environ["BENCH_FOLDER"]) / f"peer-{Path(words[0]).name}"
    folder.mkdir(mode=0o700, exist_ok=True)
    service = Mps(folder, {**os.environ, **(servers or {})} if words[1] == "serve" else dict(os.environ))
    if words[1] == "check":
        return 0 if find_control() else not_here(f"{CONTROL} is not installed")
    if words[1] == "serve":
        with service:
            print("ready", flush=True)
            sys.stdin.read()
        return 0
    environment = {**(os.environ if words[2] in outside else service.environment),
                   **(environment_of or {}).get(words[2], {})}
    command = [str(then), *words[1:]] if then else words[3:]
    os.execvpe(command[0], command, environment)


def not_here(sentence):
    print(sentence)
    return 77
