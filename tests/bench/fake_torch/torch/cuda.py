"""torch.cuda, where everything is complete at once, and a graph is what was called last."""
import contextlib
import time


class Event:
    def record(self):
        pass

    def synchronize(self):
        pass


class Stream(Event):
    def wait_stream(self, _):
        pass


class CUDAGraph:
    def replay(self):
        time.sleep(0.001)


def stream(_):
    return contextlib.nullcontext()


def graph(_):
    return contextlib.nullcontext()


def synchronize():
    pass


def current_stream():
    return Stream()


def empty_cache():
    pass
