"""How far a run has come, on standard error: a bar on a terminal, dots elsewhere."""
import sys
import time

BAR = 40
DOT_SECONDS = 5


class Progress:
    def __init__(self, total_seconds, stream=sys.stderr):
        self.total, self.stream = total_seconds, stream
        self.began, self.last, self.label = time.monotonic(), 0.0, ""
        self.stands = False  # a bar or dots stand on the line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.done()

    def say(self, text):
        """Prints on standard output, on a line of its own."""
        self.done()
        print(text, flush=True)

    def doing(self, label):
        self.label = label
        self.show()

    def wait(self, seconds):
        """Sleeps, and shows."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, 0.25))
            self.show()

    def show(self):
        now = time.monotonic()
        if self.stream.isatty():
            if now - self.last < 0.2:
                return
            part = min((now - self.began) / self.total, 0.99)
            bar = "#" * int(part * BAR)
            self.stream.write(f"\r[{bar:<{BAR}}] {part * 100:3.0f} %  {self.label:<40.40}")
        else:
            if now - max(self.last, self.began) < DOT_SECONDS:
                return
            self.stream.write(".")
        self.last, self.stands = now, True
        self.stream.flush()

    def done(self):
        if not self.stands:
            return
        self.stands = False
        self.stream.write("\r" + " " * (BAR + 50) + "\r" if self.stream.isatty() else "\n")
        self.stream.flush()
