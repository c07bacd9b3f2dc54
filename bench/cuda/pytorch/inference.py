#!/usr/bin/env python3
"""Inference of several models one after the other, each timed. An ordinary PyTorch program.

    inference.py --out FILE --seconds 3   rows: number of the model, 0, nanoseconds of one inference
                                                number of the model, 1, fingerprint of its output
"""
import argparse
import time

import models
import torch

NAMES = ["ResNet-18, batch 32", "BERT-base, eager", "BERT-base, CUDA graph", "GPT-2, 32 tokens"]
WARM_UP_SECONDS = 0.7
GPT2_TOKENS = 32


def resnet18():
    import torchvision
    model, pictures = torchvision.models.resnet18(weights=None).eval().cuda(), models.images(32)
    return lambda: model(pictures)


def bert():
    model, text = models.bert().eval().half().cuda(), models.words(8, 128)
    return lambda: model(text)


def bert_graph():
    graph, _, output, _ = models.bert_graph(8, 128)

    def run():
        graph.replay()
        return output
    return run


def gpt2():
    model, prompt = models.gpt2().eval().half().cuda(), models.words(1, 16)
    return lambda: models.greedy(model, prompt, GPT2_TOKENS)


def timed(run, seconds):
    """[nanoseconds] of each, for so long."""
    found, end = [], time.monotonic() + seconds
    while time.monotonic() < end or not found:
        begin = time.perf_counter_ns()
        run()
        torch.cuda.synchronize()
        found.append(time.perf_counter_ns() - begin)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=3, help="of each model")
    options = parser.parse_args()
    rows = []
    with torch.no_grad():
        for number, make in enumerate([resnet18, bert, bert_graph, gpt2]):
            models.deterministic()
            run = make()
            timed(run, WARM_UP_SECONDS)
            rows += [(number, 0, ns) for ns in timed(run, options.seconds)]
            rows.append((number, 1, models.fingerprint(run())))
            del run
    with open(options.out, "w") as out:
        out.writelines(" ".join(map(str, row)) + "\n" for row in rows)


if __name__ == "__main__":
    main()
