#!/usr/bin/env python3
"""A server with several instances of a model, as inference servers have them: four threads, each with a stream of its
own and a ResNet-50 in half precision as a CUDA graph, answer requests of 8 images that arrive at random (Poisson, 100 a
second). With --eager the model's kernels are launched one by one from Python, which is what limits the server then.
Ordinary PyTorch. Prints the time from a request's arrival to its answer."""
import queue
import random
import sys
import threading
import time

import common
import torch
import torchvision

INSTANCES, REQUESTS_PER_SECOND, IMAGES = 4, 100, 8
WARM_UP = 10


class Instance:
    def __init__(self, requests, times):
        self.requests, self.times, self.stream = requests, times, torch.cuda.Stream()
        self.model = torchvision.models.resnet50().half().cuda().eval()
        self.images = torch.randn(IMAGES, 3, 224, 224).half().pin_memory()
        self.input = self.images.cuda()
        self.output = torch.empty(IMAGES, dtype=torch.long, pin_memory=True)
        with torch.no_grad(), torch.cuda.stream(self.stream):
            for _ in range(WARM_UP):
                self.found = self.model(self.input).argmax(1)
            self.graph = None if "--eager" in sys.argv else self.capture()
        threading.Thread(target=self.loop, daemon=True).start()

    def capture(self):
        self.stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self.stream):
            self.found = self.model(self.input).argmax(1)
        return graph

    @torch.no_grad()
    def answer(self):
        with torch.cuda.stream(self.stream):
            self.input.copy_(self.images, non_blocking=True)
            if self.graph:
                self.graph.replay()
            else:
                self.found = self.model(self.input).argmax(1)
            self.output.copy_(self.found, non_blocking=True)
        self.stream.synchronize()

    def loop(self):
        while True:
            arrived = self.requests.get()
            self.answer()
            self.times.append(time.monotonic() - arrived)
            self.requests.task_done()


class Server:
    def __init__(self):
        torch.manual_seed(0)
        self.requests, self.times = queue.Queue(), []
        self.instances = [Instance(self.requests, self.times) for _ in range(INSTANCES)]

    def measure(self, seconds):
        self.times.clear()
        chance, begin = random.Random(1), time.monotonic()
        arrival = begin
        while (arrival := arrival + chance.expovariate(REQUESTS_PER_SECOND)) < begin + seconds:
            time.sleep(max(arrival - time.monotonic(), 0))
            self.requests.put(arrival)
        self.requests.join()
        return {"answer_ms": common.in_ms(self.times)}


if __name__ == "__main__":
    torch.set_num_threads(1)
    common.run(Server().measure, __doc__)
