"""How a check says that something is not as it must be."""

SECONDS = 60  # for the programs of a check; they took 2 to 5 on two processors


class Failed(Exception):
    pass


class Skipped(Exception):
    """Why a check cannot run here."""


def demand(truth, text):
    if not truth:
        raise Failed(text)


def ended_well(ended, name):
    demand(ended.status == 0, f"{name}: {ended.how}: {ended.output[-1500:]}")
