"""Stands for torchvision: the dual model's two networks. At the end of the process the kernels have counted themselves,
or it says so and ends with status 3."""
import atexit
import os
import sys
import types

import torch

US = 1000
_made = []


def _network(kernels, us):
    def make(weights=None):
        _made.append(torch.Kernels(kernels, us * US))
        return _made[-1]
    return make


models = types.SimpleNamespace(resnet18=_network(5, 200), resnet50=_network(20, 300))


@atexit.register
def _count():
    torch.cuda.synchronize()
    wrong = [f"{each.counted()} of {each.launched}" for each in _made if each.counted() != each.launched]
    if wrong:
        print(f"kernels: {', '.join(wrong)}", file=sys.stderr, flush=True)
        os._exit(3)
    print(f"kernels: all of {sum(each.launched for each in _made)}", file=sys.stderr, flush=True)
