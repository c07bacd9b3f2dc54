#!/usr/bin/env python3
"""A server that answers requests by inference of one model. An ordinary PyTorch program.

    request.py --out FILE --model resnet18 --period-ms 10 --seconds 6   per request: start (CLOCK_MONOTONIC ns),
                                                                        latency (ns)

Without a period or a pause it is always busy. Prints "ready" once measuring begins. Exit status 1 if an answer is not
the first one.
"""
import argparse
import select
import sys
import time

import models
import torch

WARM_UP_REQUESTS = 20
CHECKED_EVERY = 50


def input_ended():
    return bool(select.select([sys.stdin], [], [], 0)[0]) and not sys.stdin.buffer.read1(1)


def load(name):
    """The model, not yet on the device."""
    if name == "bert":
        return models.bert().eval().half()
    import torchvision
    return getattr(torchvision.models, name)(weights=None).eval()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--model", default="resnet18", help="one of torchvision's, or bert")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--pause-ms", type=float, default=0, help="from the end of a request to the next one")
    parser.add_argument("--period-ms", type=float, default=0,
                        help="from the begin of a request to that of the next one")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--bursts", type=int, default=0, help="at most so many requests, within --seconds")
    parser.add_argument("--wait", type=int, default=0, help="1: for a line of standard input, before using the device")
    parser.add_argument("--until-eof", type=int, default=0, help="1: also until standard input ends")
    options = parser.parse_args()
    torch.set_num_threads(1)
    models.deterministic()
    with torch.no_grad():
        model = load(options.model)
        if options.wait:
            models.wait_for_turn()
        model = model.cuda()
        given = models.words(options.batch, 128) if options.model == "bert" else models.images(options.batch)
        for _ in range(WARM_UP_REQUESTS):
            first = model(given)
        first = models.fingerprint(first)
        print("ready", flush=True)
        rows, wrong, end = [], 0, time.monotonic() + options.seconds
        while (not options.bursts or len(rows) < options.bursts) and time.monotonic() < end:
            if options.until_eof and input_ended():
                break
            begin = time.monotonic_ns()
            output = model(given)
            torch.cuda.synchronize()
            rows.append((begin, time.monotonic_ns() - begin))
            if len(rows) % CHECKED_EVERY == 0:
                wrong += models.fingerprint(output) != first
            pause_s = max(options.pause_ms / 1e3, begin / 1e9 + options.period_ms / 1e3 - time.monotonic())
            if pause_s > 0:
                time.sleep(pause_s)
    with open(options.out, "w") as out:
        out.writelines(f"{begin} {latency}\n" for begin, latency in rows)
    if wrong:
        sys.exit(f"request: the device's result is wrong: {wrong} answers differ from the first")


if __name__ == "__main__":
    main()
