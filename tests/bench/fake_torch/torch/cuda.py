"""torch.cuda, where everything is complete at once."""


class Event:
    def record(self):
        pass

    def synchronize(self):
        pass


def synchronize():
    pass


def current_stream():
    return Event()


def empty_cache():
    pass
