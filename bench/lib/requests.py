"""Programs that answer requests with a model: PyTorch's where it finds the device, else the main job's program with so
many kernels to a request. Both write begin and latency of each request (ns)."""
import subprocess
from pathlib import Path

from . import report

PYTORCH = Path(__file__).resolve().parents[1] / "cuda" / "pytorch"
STAND_IN_REQUESTS = {"resnet18": 1, "resnet50": 2, "resnet152": 3}  # so many times the workload's request_kernels
BATCH = 32  # with single images a model waits for the processor, not for the device, and two of them hardly meet
LONGEST_REQUEST_SECONDS = 10
MANY_SECONDS = 600
BEFORE_THE_FIRST = 2  # times as long as another may the first take, which is launched while nothing else runs


def torch_finds_device(platform="cuda"):
    """On HIP only PyTorch's build for ROCm counts: another one would run its models past what is measured."""
    build = "torch.version.hip" if platform == "hip" else "True"
    test = f"import torch, torchvision, sys; sys.exit(not ({build} and torch.cuda.is_available()))"
    try:
        return subprocess.run(["python3", "-c", test], stderr=subprocess.DEVNULL, timeout=120).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def pausing(pause_ms):
    """A pace: so long from the end of a request to the next one."""
    return {"pause-ms": pause_ms}


def every(period_ms):
    """A pace: so long from the begin of a request to that of the next one. It is the same work however
    fast the program answers. So the throughput of programs beside it can be compared."""
    return {"pause-ms": 0, "period-ms": period_ms}


BUSY = pausing(0)


class Requests:
    def __init__(self, session, progress, workload, with_torch=None, batch=BATCH):
        self.session, self.progress, self.workload, self.batch = session, progress, workload, batch
        self.torch = torch_finds_device() if with_torch is None else with_torch
        self.steps = 0

    @property
    def says(self):
        return f"PyTorch models, batches of {self.batch}" if self.torch else \
            f"no PyTorch finds the device: programs of {self.workload.request_kernels} or more kernels of " \
            f"{self.workload.request_kernel_ms:g} ms per request stand for the models"

    @property
    def start_up_seconds(self):
        return 9 if self.torch else 1

    def title(self, model):
        return f"{model} ({'PyTorch' if self.torch else 'stand-in'})"

    def start(self, model, prefix=(), pace=BUSY, seconds=MANY_SECONDS, environment=None, count=0,
              batch=None, wait=False):
        """The service runs for `seconds`, for `count` requests, or until told to end. `wait`: it only loads, and uses
        the device from take_turn() on."""
        options = {**pace, "seconds": seconds, "wait": int(wait),
                   "until-eof": 0 if seconds < MANY_SECONDS or count else 1}
        if count:
            options["bursts"] = count
        if self.torch:
            return self.session.start("request.py", {**options, "model": model, "batch": batch or self.batch},
                                      prefix, environment, folder=PYTORCH)
        self.steps = self.steps or self.session.calibrate(self.workload.request_kernel_ms, 1)
        kernels = self.workload.request_kernels * STAND_IN_REQUESTS.get(model, 2)
        return self.session.start("hp", {**options, "steps": self.steps, "burst-kernels": kernels}, prefix, environment)

    def alone(self, model, prefix, seconds, pace=BUSY, **more):
        """Rows of one program by itself."""
        program = self.start(model, prefix, pace, seconds, **more)
        program.wait_ready(self.progress)
        return program.finish(self.progress, seconds + LONGEST_REQUEST_SECONDS)

    def together(self, high, low, seconds):
        """`high`, `low`: (model, prefix, pace, environment). Rows of both; the second runs as long as the first."""
        second = self.start(low[0], low[1], low[2], environment=low[3], wait=True)
        first = self.start(high[0], high[1], high[2], seconds, high[3], wait=True)
        for program in (second, first):  # they load at the same time, and use the device one after the other
            program.wait_ready(self.progress)
        for program in (second, first):
            program.take_turn(self.progress)
        rows = first.finish(self.progress, seconds + LONGEST_REQUEST_SECONDS)
        return rows, second.finish(self.progress, LONGEST_REQUEST_SECONDS)


def latency_us(rows):
    return [row[1] / 1e3 for row in rows]


def rate(rows, begin=None, end=None):
    """Requests per second, those that end in [begin, end] (ns; default: all of the rows). Of few long requests one more
    or less would count much. So it is from the first end on, unless that is late, and with a part of the one that is
    under way at the end."""
    if len(rows) < 2:
        return 0.0
    begin, end = begin or rows[0][0], end or rows[-1][0] + rows[-1][1]
    ends = sorted(row[0] + row[1] for row in rows if begin < row[0] + row[1] <= end)
    if len(ends) < 3 or ends[-1] == ends[0]:
        return len(ends) * 1e9 / max(end - begin, 1)
    usual = (ends[-1] - ends[0]) / (len(ends) - 1)
    before_first = min(ends[0] - begin, BEFORE_THE_FIRST * usual)
    under_way = min((end - ends[-1]) / usual, 1)
    return (len(ends) - 1 + under_way) * 1e9 / (end - begin - before_first)


def span(rows):
    return rows[0][0], rows[-1][0] + rows[-1][1]


def p50_ms(rows):
    return report.percentile(latency_us(rows), 50) / 1e3

