"""A server of a language model that fills a given part of the card, in PyTorch (bench/cuda/memory_beside.py): it loads
a model of Llama's shape with random weights, takes the rest for its cache, and answers one prompt.

    server.py --gib 30

Writes lines to standard output: "starts" when PyTorch is loaded, "token SECONDS" at the first token, counted from
there, and "tokens COUNT MEDIAN LONGEST" after a second of decoding, in seconds for each.
"""
import argparse
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pytorch"))
import llama  # noqa: E402

BLOCK = 1 << 30  # bytes of the cache that are taken at once
PROMPT = 512  # words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gib", type=float, default=30)
    options = parser.parse_args()
    torch.manual_seed(1)
    print("starts", flush=True)
    began = time.monotonic()
    with torch.no_grad():
        model = llama.Llama()
        cache = []
        while torch.cuda.memory_reserved() + BLOCK <= options.gib * BLOCK:
            cache.append(torch.zeros(BLOCK, dtype=torch.uint8, device="cuda"))
        words = model(torch.ones(1, PROMPT, dtype=torch.long, device="cuda"))
        torch.cuda.synchronize()
        print(f"token {time.monotonic() - began:.3f}", flush=True)
        took, until = [], time.monotonic() + 1
        while time.monotonic() < until:
            before = time.monotonic()
            words = model(words)
            torch.cuda.synchronize()
            took.append(time.monotonic() - before)
    took.sort()
    print(f"tokens {len(took)} {took[len(took) // 2]:.5f} {took[-1]:.5f}", flush=True)


main()
