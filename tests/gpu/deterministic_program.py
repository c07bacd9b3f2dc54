#!/usr/bin/env python3
"""A training whose every step is deterministic: attention, a convolution and dropout in half precision, batches from
pinned memory on a stream of their own, and a look at the loss now and then. An ordinary PyTorch program.

    deterministic_program.py --out FILE [--steps 1000]

Rows: 0, end of a step (CLOCK_MONOTONIC ns); 1, fingerprint of the parameters after every tenth part of the steps. It
says "ready" once it is loaded, and uses the device after a line of standard input.
"""
import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "cuda" / "pytorch"))
import models  # noqa: E402
import torch  # noqa: E402
from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402

LAYERS, HIDDEN, BATCH, LENGTH, VOCABULARY, BATCHES = 4, 512, 16, 128, 5000, 8
LOOK_EVERY = 25


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = models.Encoder(LAYERS, HIDDEN, VOCABULARY, LENGTH)
        self.mix, self.head = torch.nn.Conv1d(HIDDEN, HIDDEN, 3, padding=1), torch.nn.Linear(HIDDEN, VOCABULARY)

    def forward(self, text):
        return self.head(self.mix(self.encoder(text).transpose(1, 2)).transpose(1, 2))


class Loader:
    """The next batch, copied on a stream of its own while the step before it runs."""

    def __init__(self):
        chance = torch.Generator().manual_seed(3)
        self.host = [torch.randint(1, VOCABULARY, (BATCH, LENGTH), generator=chance).pin_memory()
                     for _ in range(BATCHES)]
        self.stream = torch.cuda.Stream()

    def batch(self, step):
        with torch.cuda.stream(self.stream):
            text = self.host[step % BATCHES].to("cuda", non_blocking=True)
        torch.cuda.current_stream().wait_stream(self.stream)
        text.record_stream(torch.cuda.current_stream())
        return text


def train(steps):
    rows, loader, model = [], Loader(), Model().cuda().train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for step in range(steps):
        text = loader.batch(step)
        with torch.autocast("cuda", torch.bfloat16), sdpa_kernel(SDPBackend.MATH):
            loss = torch.nn.functional.cross_entropy(model(text).flatten(0, 1), text.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step % LOOK_EVERY == 0:
            loss.item()
        rows.append((0, time.monotonic_ns()))
        if (step + 1) % (steps // 10) == 0:
            rows.append((1, models.fingerprint(*model.parameters())))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, default=1000)
    options = parser.parse_args()
    models.deterministic(seed=5)
    models.wait_for_turn()
    rows = train(options.steps)
    with open(options.out, "w") as out:
        out.writelines(f"{kind} {value}\n" for kind, value in rows)


if __name__ == "__main__":
    main()
