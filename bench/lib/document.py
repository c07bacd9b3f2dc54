"""The answer to one question, as people and programs read it: sentences, tables, plots, targets and numbers. It is
written as JSON; lib/html.py makes the report out of such files alone."""
from . import report, spread

CDF_POINTS = [*range(0, 99, 2), *(99 + i / 10 for i in range(10)), 100]


class NotHere(Exception):
    """A question that cannot be answered on this machine; the reason is a sentence."""


class Document:
    def __init__(self, name, title, question):
        self.name, self.title, self.question = name, title, question
        self.answer = []     # sentences
        self.headline = []   # {"label", "values": [[name, text]]}: the report's first lines
        self.tables = []     # {"caption", "rows"}: the first row is the heading
        self.plots = []      # see lib/plots.py
        self.targets = []    # (what, measured, relation, limit, unit)
        self.notes = []      # how it was measured
        self.failures = []
        self.doubts = []     # why the figures may mean nothing, as sentences
        self.raw = {}        # numbers for programs
        self.samples, self.rounds = [], []  # rows of the tables that say how sure the figures are

    def add_table(self, caption, rows):
        self.tables.append({"caption": caption, "rows": [[str(cell) for cell in row] for row in rows]})

    def add_samples(self, what, values, by_round=(), text=None):
        """Single measurements, such as bursts (us, unless `text` makes words of them), and each round's median."""
        text = text or time_text
        if values:
            self.samples.append([what, str(len(values)), *(word for which in (50, 99) for word in (
                text(report.percentile(values, which)), spread.shown(*spread.interval(values, which), text))),
                spread.rounds_shown(by_round, text)])

    def add_rounds(self, what, values, text):
        """A figure that each round gives once."""
        known = [value for value in values if value is not None]
        if known:
            self.rounds.append([what, str(len(known)), text(report.percentile(known, 50)),
                                spread.rounds_shown(known, text)])

    @property
    def all_tables(self):
        """The figures, and how sure they are."""
        found = list(self.tables)
        if self.samples:
            found.append({"caption": "How sure: n, and the 95 % interval of each percentile", "rows": [
                ["", "n", "p50", "95 %", "p99", "95 %", "p50, by round"], *self.samples]})
        if self.rounds:
            found.append({"caption": "How sure: the rounds, from the least to the most", "rows": [
                ["", "rounds", "median", "by round"], *self.rounds]})
        return found

    @property
    def empty(self):
        """Nothing was measured, and nothing failed."""
        return not self.failures and not any(cell.strip("-/ ") for table in self.tables for row in table["rows"][1:]
                                             for cell in row[1:])

    @property
    def missed(self):
        """Targets, as they were declared."""
        return [target for target in self.targets if not report.met(*target[1:4])]

    @property
    def status(self):
        """A run that failed failed, whatever else the machine did; on a disturbed one no target is met or missed."""
        if self.failures:
            return "failed"
        return "disturbed" if self.doubts else "failed" if self.missed else "passed"

    def metrics(self):
        return {"question": self.question, "answer": self.answer, "headline": self.headline, "tables": self.all_tables,
                "plots": self.plots, "targets": report.targets_json(self.targets), "failures": self.failures,
                "doubts": self.doubts,
                **self.raw}

    def text(self):
        parts = [f"=== {self.title}\n{self.question}"]
        parts += [" ".join(self.answer)] if self.answer else []
        parts += [f"{table['caption']}\n\n{report.table(table['rows'])}" for table in self.all_tables
                  if len(table["rows"]) > 1]
        parts += [report.targets_table(self.targets)] if self.targets else []
        parts += [f"disturbed: {sentence}" for sentence in self.doubts]
        parts += [f"failed: {sentence[:1200]}" for sentence in self.failures[:4]]
        return "\n\n".join(parts) + "\n"

    def write(self, folder, backend, tag=""):
        return report.write_result(folder, f"bench_{self.name}{tag}", self.title, backend, self.status, self.metrics(),
                                   "; ".join(self.notes))


def cdf(values):
    """[[value, percent]] of a distribution, dense where its tail is."""
    return [[round(report.percentile(values, percent), 4), percent] for percent in CDF_POINTS]


def shown(value, digits=2, unit=""):
    return f"{value:.{digits}f}{unit}" if value is not None else "-"


def time_text(us):
    """A length in microseconds as people say it."""
    if us is None:
        return "-"
    return f"{us / 1e6:.2f} s" if us >= 1e6 else f"{us / 1e3:.3g} ms" if us >= 1e4 else f"{us:.0f} us"


def in_one_unit(values_us):
    """Returns a function that writes lengths in microseconds in the unit that suits all of these values: microseconds
    if all are below 10 ms, seconds if none is below 1 s, and milliseconds otherwise."""
    known = [value for value in values_us if value is not None]
    if not known or max(known) < 1e4 or min(known) >= 1e6:
        return time_text

    def text(us):
        if us is None:
            return "-"
        return f"{us / 1e3:.0f} ms" if us >= 1e5 else f"{us / 1e3:.3g} ms"
    return text


def percent(value, digits=0):
    return shown(value * 100 if value is not None else None, digits, " %")
