#!/usr/bin/env python3
"""One of two ranks that train a model together, each on a device of its own: NCCL adds up their gradients in every
step (data parallel), or what each rank's half of the layers gives (tensor parallel). An ordinary PyTorch program.

    data_parallel_program.py --out FILE --store FILE --rank 0 [--steps 300] [--width 2048] [--parallel tensor]

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


class SumBackward(torch.autograd.Function):
    """The identity, whose gradients are added up over the ranks."""

    @staticmethod
    def forward(_, given):
        return given

    @staticmethod
    def backward(_, gradient):
        gradient = gradient.contiguous()
        dist.all_reduce(gradient)
        return gradient


class SumForward(torch.autograd.Function):
    """The sum over the ranks, whose gradients pass as they are."""

    @staticmethod
    def forward(_, given):
        given = given.clone()
        dist.all_reduce(given)
        return given

    @staticmethod
    def backward(_, gradient):
        return gradient


class Halves(torch.nn.Module):
    """Two layers of which each rank has half: of the first one the outputs, of the second one the inputs."""

    def __init__(self, width):
        super().__init__()
        self.into, self.out = torch.nn.Linear(width, width // RANKS), torch.nn.Linear(width // RANKS, width, bias=False)

    def forward(self, given):
        return SumForward.apply(self.out(self.into(SumBackward.apply(given)).relu()))


def make_model(device, options):
    torch.manual_seed(1)
    if options.parallel == "tensor":
        model = torch.nn.Sequential(Halves(options.width), Halves(options.width), torch.nn.Linear(options.width, 10))
        return model.to(device)
    layers = [layer for _ in range(4) for layer in (torch.nn.Linear(options.width, options.width), torch.nn.ReLU())]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(options.width, 10)).to(device)
    return torch.nn.parallel.DistributedDataParallel(model, device_ids=[options.rank])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--store", required=True)
    parser.add_argument("--rank", type=int, required=True)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--width", type=int, default=2048, help="of the model's four layers")
    parser.add_argument("--parallel", choices=("data", "tensor"), default="data")
    options = parser.parse_args()
    models.deterministic()
    device = torch.device("cuda", options.rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", init_method=f"file://{options.store}", rank=options.rank, world_size=RANKS)
    model = make_model(device, options)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    torch.manual_seed(2 + (options.rank if options.parallel == "data" else 0))
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
