"""A deterministic training in PyTorch that fills a good part of a card (bench/cuda/memory.py).

    training.py --gib 50 --steps 300 [--batch 256]

Writes lines to standard output: "ready BYTES" when it trains, "done STEPS SECONDS LONGEST SUM MEDIAN" at the end, with
the longest and the median step in seconds, and a checksum of all parameters, bit for bit.
"""
import argparse
import os
import time

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
import torch  # noqa: E402

WIDTH = 16384  # a layer and its gradient take 2 GiB


def checksum(model):
    total = 0
    for parameter in model.parameters():
        total = (total * 31 + int(parameter.detach().view(torch.int32).sum(dtype=torch.int64))) % (1 << 61)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gib", type=float, default=50)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=256)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True)
    layers = max(1, int(options.gib / 2))
    with torch.device("cuda"):
        model = torch.nn.Sequential(*(torch.nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(layers)))
        batch = torch.randn(options.batch, WIDTH)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, foreach=False)

    def step():
        optimizer.zero_grad(set_to_none=False)
        model(batch).square().mean().backward()
        optimizer.step()
        torch.cuda.synchronize()

    for _ in range(3):
        step()
    print("ready", torch.cuda.memory_reserved(), flush=True)
    began, longest, steps, marks = time.monotonic(), 0.0, 0, []
    while steps < options.steps:
        before = time.monotonic()
        step()
        took = time.monotonic() - before
        longest, steps = max(longest, took), steps + 1
        marks.append(took)
    seconds = time.monotonic() - began
    marks.sort()
    print(f"done {steps} {seconds:.3f} {longest:.3f} {checksum(model)} {marks[len(marks) // 2]:.5f}", flush=True)


main()
