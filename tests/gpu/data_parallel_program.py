#!/usr/bin/env python3
"""One of two ranks that train a model together, each on a device of its own: NCCL adds up their gradients in every
step. An ordinary PyTorch program.

    data_parallel_program.py --out FILE --store FILE --rank 0 [--steps 300] [--width 2048]

Rows: 0, end of a step (CLOCK_MONOTONIC ns); last: 1, fingerprint of the parameters.

It says "ready" after the first steps.
"""
import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "cuda" / "pytorch"))
import models  # noqa: E402
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402

RANKS, BATCH, WARM_UP_STEPS = 2, 512, 5


def make_model(device, width):
    torch.manual_seed(1)
    layers = [layer for _ in range(4) for layer in (torch.nn.Linear(width, width), torch.nn.ReLU())]
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, 10)).to(device)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--store", required=True)
    parser.add_argument("--rank", type=int, required=True)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--width", type=int, default=2048, help="of the model's four layers")
    options = parser.parse_args()
    models.deterministic()
    device = torch.device("cuda", options.rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", init_method=f"file://{options.store}", rank=options.rank, world_size=RANKS)
    model = torch.nn.parallel.DistributedDataParallel(make_model(device, options.width), device_ids=[options.rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    torch.manual_seed(2 + options.rank)
    given, wanted = torch.randn(BATCH, options.width, device=device), torch.randint(10, (BATCH,), device=device)
    rows = []
    for step in range(WARM_UP_STEPS + options.steps):
        if step == WARM_UP_STEPS:
            print("ready", flush=True)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(given), wanted).backward()
        optimizer.step()
        torch.cuda.synchronize()
        rows.append((0, time.monotonic_ns()))
    rows = [*rows[WARM_UP_STEPS:], (1, models.fingerprint(*model.parameters()))]
    dist.barrier()
    dist.destroy_process_group()
    with open(options.out, "w") as out:
        out.writelines(f"{kind} {value}\n" for kind, value in rows)


if __name__ == "__main__":
    main()
