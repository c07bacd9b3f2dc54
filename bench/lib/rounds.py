"""Measurements in rounds: whatever is compared runs in turns, so that a device that warms up, or a machine that others
use, changes all of them alike; and everything ends when its time is over."""
import time

LONGEST_GUESS = 30  # seconds


class Pace:
    """How long one measurement takes besides the measuring itself, learned as they go by."""

    def __init__(self, start_up):
        self.start_up = start_up

    def fit_seconds(self, left, pieces, wanted, least):
        """How long each of `pieces` measurements may take so that one round fits into `left` seconds."""
        return max(min(wanted, left / max(pieces, 1) - self.start_up), min(least, wanted))

    def note(self, took, seconds):
        if took > 0.05:  # else it was left out
            self.start_up += (min(max(took - seconds, 0), LONGEST_GUESS) - self.start_up) / 4


def run(groups, most_rounds, deadline, seconds, pace):
    """`groups`: lists of functions of the round's number, each a measurement of so many seconds; those of a group are
    compared, and begin with another one each round. Whole rounds only, but for the first, so that everything counts the
    same. Returns how many rounds were whole."""
    longest = 0
    for number in range(most_rounds):
        began = time.monotonic()
        if number > 0 and began + longest > deadline:
            return number
        whole = True
        for group in groups:
            first = number % max(len(group), 1)
            for piece in group[first:] + group[:first]:
                start = time.monotonic()
                if start + seconds + pace.start_up > deadline:
                    whole = False
                    continue
                piece(number)
                pace.note(time.monotonic() - start, seconds)
        if not whole:
            return number
        longest = max(longest, time.monotonic() - began)
    return most_rounds


def says(done, seconds):
    """For the notes of a result."""
    rounds = f"{done} rounds" if done > 1 else "one round" if done == 1 else "not even one whole round"
    return f"{rounds} of {seconds:.2g} s for each measurement, interleaved"
