#!/usr/bin/python3
"""Two models on one accelerator: a small one that answers requests, and a large one that always has work. First as they
are, then under XSched, where the small one's stream is the more urgent.

    dual_model.py --platform cuda|hip      ResNet-18 and ResNet-50 of torchvision, random weights
    dual_model.py --platform opencl        two small networks in pyopencl: PyTorch has no OpenCL
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
import threading
import time

HIGH, LOW = 10, 0


class Torch:
    """The models, each on a stream of its own. The same code for CUDA and ROCm."""
    names = "ResNet-18", "ResNet-50"

    def __init__(self, batch):
        import torch
        import torchvision
        self.torch = torch
        self.models = [make(weights=None).eval().cuda()
                       for make in (torchvision.models.resnet18, torchvision.models.resnet50)]
        self.inputs = [torch.randn(batch, 3, 224, 224, device="cuda") for _ in self.models]
        self.streams = [torch.cuda.Stream(), torch.cuda.Stream()]
        torch.cuda.synchronize()

    def step(self, which):
        with self.torch.no_grad(), self.torch.cuda.stream(self.streams[which]):
            self.models[which](self.inputs[which])
        self.streams[which].synchronize()


class OpenCL:
    """Networks of dense layers: 10 of 512 neurons, and 40 of 1024."""
    names = "small network", "large network"
    SHAPES = (10, 512), (40, 1024)
    SOURCE = """
    kernel void dense(global const float* weights, global const float* x, global float* y, int n) {
        float sum = 0;
        for (int i = 0; i < n; ++i) sum += weights[get_global_id(0) * n + i] * x[i];
        y[get_global_id(0)] = sum > 0 ? sum : 0;
    }"""

    def __init__(self):
        import numpy
        import pyopencl
        self.cl, self.numpy = pyopencl, numpy
        device = pyopencl.get_platforms()[0].get_devices()[0]
        context = pyopencl.Context(devices=[device])
        program = pyopencl.Program(context, self.SOURCE).build()
        self.streams = [pyopencl.CommandQueue(context), pyopencl.CommandQueue(context)]
        self.kernels, self.buffers = [], []
        for _, n in self.SHAPES:
            self.kernels.append(pyopencl.Kernel(program, "dense"))
            self.buffers.append([self.buffer(context, numpy.full(size, 1 / n, numpy.float32))
                                 for size in (n * n, n, n)])

    def buffer(self, context, content):
        flags = self.cl.mem_flags
        return self.cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=content)

    def step(self, which):
        layers, n = self.SHAPES[which]
        weights, x, y = self.buffers[which]
        for _ in range(layers):
            self.kernels[which](self.streams[which], (n,), None, weights, x, y, self.numpy.int32(n))
            x, y = y, x
        self.streams[which].finish()


def percentile(values, share):
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def measure(models, options):
    """The small model every --period-ms, the large one without a pause, on a thread each."""
    latencies, done, stop = [], [0], threading.Event()
    for which in (0, 1):
        for _ in range(5):
            models.step(which)  # compiles, allocates, chooses algorithms

    def keep_busy():
        while not stop.is_set():
            models.step(1)
            done[0] += 1
    low = threading.Thread(target=keep_busy)
    begin = time.monotonic()
    low.start()
    while time.monotonic() < begin + options.seconds:
        asked = time.monotonic()
        models.step(0)
        latencies.append((time.monotonic() - asked) * 1000)
        time.sleep(max(0.0, options.period_ms / 1000 - (time.monotonic() - asked)))
    rate = done[0] / (time.monotonic() - begin)
    stop.set()
    low.join()
    return {"p50": percentile(latencies, 0.5), "p99": percentile(latencies, 0.99), "max": max(latencies), "rate": rate}


def run_here(options):
    models = OpenCL() if options.platform == "opencl" else Torch(options.batch)
    if options.run == "xsched":
        import xsched
        xsched.set_scheduler("local", "HPF")
        for stream, priority in zip(models.streams, (HIGH, LOW)):
            xsched.Queue(stream, priority=priority)
    print(json.dumps([models.names, measure(models, options)]))


def run_apart(how, options):
    """The same program in a process of its own, natively or under XSched."""
    words = [__file__, "--platform", options.platform, "--run", how, "--seconds", str(options.seconds),
             "--period-ms", str(options.period_ms), "--batch", str(options.batch)]
    under = ["-m", "xsched", "run", "--scheduler", "local"] if how == "xsched" else []
    done = subprocess.run([sys.executable, *under, *words], stdout=subprocess.PIPE, text=True, env=os.environ)
    if done.returncode != 0:
        sys.exit(done.returncode)
    return json.loads(done.stdout.splitlines()[-1])


def compare(options):
    results = {how: run_apart(how, options) for how in ("native", "xsched")}
    high, low = results["native"][0]
    print(f"{'':8}{high + ' (high)':>38}{low + ' (low)':>22}")
    print(f"{'':8}{'p50 ms':>14}{'p99 ms':>12}{'max ms':>12}{'iter/s':>22}")
    for how, (_, it) in results.items():
        print(f"{how:8}{it['p50']:14.2f}{it['p99']:12.2f}{it['max']:12.2f}{it['rate']:22.1f}")
    if options.json:
        save(options, results)


def save(options, results):
    """The figures in the form of all of XSched's results (docs/benchmarks.md)."""
    found = {"test_id": "P4", "test_name": "dual model", "status": "PASS",
             "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
             "hardware": options.platform,
             "metrics": {how: {**it, "models": models} for how, (models, it) in results.items()}, "notes": ""}
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(found, file, indent=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", choices=("cuda", "hip", "opencl"), default="cuda")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--period-ms", type=float, help="from request to request (20; opencl: 60)")
    parser.add_argument("--batch", type=int, default=64, help="pictures in a request, CUDA and ROCm; with few, a model "
                        "waits for the processor and not for the device")
    parser.add_argument("--run", choices=("native", "xsched"), help="one of the two, in this process")
    parser.add_argument("--json", help="the figures go into this file as well")
    options = parser.parse_args()
    if options.period_ms is None:
        options.period_ms = 60 if options.platform == "opencl" else 20
    if options.run:
        run_here(options)
    else:
        compare(options)


if __name__ == "__main__":
    main()
