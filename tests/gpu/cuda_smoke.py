#!/usr/bin/env python3
"""A short PyTorch program of everything that reaches the CUDA driver in a different way. Prints a line per part: its
name, a fingerprint of its results and its time in milliseconds. The fingerprints do not depend on being scheduled.

    cuda_smoke.py [--suspend LIBRARY_DIR] [--compile]

--suspend: a thread suspends and resumes the queues all the time, through XSched's own interface.
"""
import argparse
import ctypes
import hashlib
import os
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "cuda" / "pytorch"))
import models  # noqa: E402  # before PyTorch: it chooses deterministic results
import torch  # noqa: E402
from torch import nn  # noqa: E402

DEVICE = torch.device("cuda")


def generator():
    return torch.Generator(device="cpu").manual_seed(7)


def noise(*shape):
    return torch.randn(*shape, generator=generator())


def small_resnet():
    """Convolutions with a shortcut, normalisation and pooling."""
    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
                                      nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width))

        def forward(self, x):
            return torch.relu(x + self.body(x))
    torch.manual_seed(3)
    return nn.Sequential(nn.Conv2d(3, 32, 7, stride=2), nn.ReLU(), Block(32), Block(32), nn.AdaptiveAvgPool2d(4),
                         nn.Flatten(), nn.Linear(512, 10)).to(DEVICE)


def part_matmul():
    a = noise(1024, 1024).to(DEVICE)
    return a @ a.t(), (a * 2 + 1).sum(0)


def part_inference():
    model, images = small_resnet().eval(), noise(16, 3, 64, 64).to(DEVICE)
    with torch.no_grad():
        return tuple(model(images) for _ in range(20))[-1:]


def part_training():
    model, images = small_resnet(), noise(16, 3, 64, 64).to(DEVICE)
    labels = torch.arange(16, device=DEVICE) % 10
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for _ in range(10):
        optimizer.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
    return tuple(p.detach() for p in model.parameters())


def part_graph():
    model = nn.Sequential(*[nn.Linear(256, 256) for _ in range(100)]).to(DEVICE).eval()
    torch.manual_seed(5)
    for parameter in model.parameters():
        parameter.data.copy_(torch.randn(parameter.shape) * 0.06)
    static = noise(32, 256).to(DEVICE)
    graph, result = models.capture(model, static)
    for _ in range(50):
        graph.replay()
        static.copy_(result * 0.5 + static * 0.5)
    return result.clone(), static


def part_streams():
    low, high = torch.cuda.Stream(priority=0), torch.cuda.Stream(priority=-1)
    x = noise(512, 512).to(DEVICE)
    torch.cuda.synchronize()
    results = []
    for i in range(30):
        with torch.cuda.stream(low if i % 2 else high):
            y = torch.tanh(x @ x + i)
            event = torch.cuda.Event()
            event.record()
        torch.cuda.current_stream().wait_event(event)
        # Without this call, the memory of y could be used again before the suspended queue of the other stream has
        # read it.
        y.record_stream(torch.cuda.current_stream())
        results.append(y.sum(0))
    return (torch.stack(results),)


def part_threads():
    results = [None] * 6

    def work(i):
        with torch.cuda.stream(torch.cuda.Stream() if i % 2 else torch.cuda.default_stream()):
            x = (noise(256, 256) + i).to(DEVICE, non_blocking=True)
            for _ in range(50):
                x = torch.tanh(x @ x * 0.01)
            results[i] = x.cpu()
    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tuple(results)


def part_copies():
    pinned = noise(1 << 20).pin_memory()
    device = pinned.to(DEVICE, non_blocking=True)
    back = torch.empty_like(pinned).pin_memory()
    for _ in range(20):
        device.mul_(1.0001)
        back.copy_(device, non_blocking=True)
        torch.cuda.current_stream().synchronize()
    return back, device[::3].contiguous(), torch.frombuffer(bytearray(device.cpu().numpy().tobytes()),
                                                            dtype=torch.float32)


def part_compile():
    model = torch.compile(nn.Sequential(nn.Linear(256, 256), nn.GELU(), nn.LayerNorm(256)).to(DEVICE))
    torch.manual_seed(9)
    for parameter in model.parameters():
        parameter.data.copy_(torch.randn(parameter.shape) * 0.1)
    with torch.no_grad():
        return (model(noise(64, 256).to(DEVICE)),)


def fingerprint(tensors):
    digest = hashlib.sha256()
    for tensor in tensors:
        digest.update(tensor.detach().contiguous().cpu().numpy().tobytes())
    return digest.hexdigest()[:16]


def suspend_all_the_time(folder, stop):
    """Suspends and resumes the NULL stream's queue, from a thread that has no context of its own."""
    hal, core = ctypes.CDLL(f"{folder}/libhalcuda.so"), ctypes.CDLL(f"{folder}/libpreempt.so")
    hwq, queue, turns = ctypes.c_uint64(), ctypes.c_uint64(), 0
    while not stop.is_set():
        if hal.CudaQueueGet(ctypes.byref(hwq), None) == 0 and core.XQueueGet(ctypes.byref(queue), hwq) == 0:
            core.XQueueSuspend(queue, ctypes.c_int64(0))
            time.sleep(0.0005 * (turns % 5))
            core.XQueueResume(queue, ctypes.c_int64(0))
            turns += 1
        time.sleep(0.001)
    print(f"suspended and resumed {turns} times", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--suspend")
    parser.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("skipped: PyTorch sees no CUDA device")
        return 77
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.cudnn.benchmark = False
    torch.backends.cuda.matmul.allow_tf32 = False
    stop = threading.Event()
    chaos = threading.Thread(target=suspend_all_the_time, args=(options.suspend, stop)) if options.suspend else None
    parts = [part_matmul, part_inference, part_training, part_graph, part_streams, part_threads, part_copies]
    if options.compile:
        parts.append(part_compile)
    if chaos:
        torch.zeros(1, device=DEVICE)
        chaos.start()
    for part in parts:
        start = time.monotonic()
        result = fingerprint(part())
        torch.cuda.synchronize()
        print(part.__name__[5:], result, f"{1000 * (time.monotonic() - start):.0f}", flush=True)
    stop.set()
    if chaos:
        chaos.join()
    return 0


if __name__ == "__main__":
    sys.exit(main())
