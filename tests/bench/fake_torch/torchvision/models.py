"""A model that takes a millisecond, and two others: one cannot be made, the other ends the program."""
import os
import time


class Model:
    def eval(self):
        return self

    cuda = half = eval

    def __call__(self, _):
        time.sleep(0.001)


def resnet50(**_):
    return Model()


def vgg19(**_):
    raise RuntimeError("no memory is left")


def resnet152(**_):
    os._exit(3)
