#!/usr/bin/env python3
"""Inference of several models one after the other, each timed. An ordinary PyTorch program.

    inference.py --out FILE --seconds 3   rows: number of the model, 0, nanoseconds of one inference
                                                number of the model, 1, fingerprint of its output

With --turns N it waits for a line of standard input before it loads a model onto the device. It also waits before each
of the N turns in which the model is measured. So another process may take turns with it; each time it says "ready"
first."""
import argparse
import gc
import time

import models
import torch

NAMES = ["ResNet-18, batch 32", "BERT-base, eager", "BERT-base, CUDA graph", "GPT-2, 32 tokens"]
WARM_UP_SECONDS = 0.5
GPT2_TOKENS = 32


# Each of these functions loads one model on the host. It returns a function that moves the model to the device and
# gives back a function for one inference.
def resnet18():
    import torchvision
    model = torchvision.models.resnet18(weights=None).eval()

    def on_device():
        on, pictures = model.cuda(), models.images(32)
        return lambda: on(pictures)
    return on_device


def bert():
    model = models.bert().eval().half()

    def on_device():
        on, text = model.cuda(), models.words(8, 128)
        return lambda: on(text)
    return on_device


def bert_graph():
    model = models.bert()

    def on_device():
        graph, _, output, _ = models.bert_graph(8, 128, model)

        def run():
            graph.replay()
            return output
        return run
    return on_device


def gpt2():
    model = models.gpt2().eval().half()

    def on_device():
        on, prompt = model.cuda(), models.words(1, 16)
        return lambda: models.greedy(on, prompt, GPT2_TOKENS)
    return on_device


def load(make):
    models.deterministic()
    return make()


def timed(run, seconds):
    """[nanoseconds] of each, for so long, without garbage collection in between."""
    found, end = [], time.monotonic() + seconds
    gc.collect()
    gc.disable()
    while time.monotonic() < end or not found:
        begin = time.perf_counter_ns()
        run()
        torch.cuda.synchronize()
        found.append(time.perf_counter_ns() - begin)
    gc.enable()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=3, help="of each model, each turn")
    parser.add_argument("--turns", type=int, default=0, help="0: one, at once")
    options = parser.parse_args()
    rows = []
    wait = models.wait_for_turn if options.turns else lambda: None
    with torch.no_grad():
        loaded = [load(make) for make in (resnet18, bert, bert_graph, gpt2)]
        gc.collect()
        gc.freeze()
        for number, on_device in enumerate(loaded):
            wait()
            run = on_device()
            timed(run, WARM_UP_SECONDS)
            for _ in range(max(options.turns, 1)):
                wait()
                rows += [(number, 0, ns) for ns in timed(run, options.seconds)]
            rows.append((number, 1, models.fingerprint(run())))
            del run
    wait()
    with open(options.out, "w") as out:
        out.writelines(" ".join(map(str, row)) + "\n" for row in rows)


if __name__ == "__main__":
    main()
