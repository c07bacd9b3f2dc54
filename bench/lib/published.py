"""The published systems' workloads as files say them (bench/workloads/published): read, checked, and planned."""
import dataclasses
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from . import arrivals

FOLDER = Path(__file__).resolve().parents[1] / "workloads" / "published"
ROLES = {"urgent": "hp", "background": "lp"}
TASKS = ("inference", "training", "decode", "prefill")
WAYS = ("native", "mps", "static_timeslices", "xsched")


class Wrong(Exception):
    """A sentence about a file."""


@dataclass(frozen=True)
class Arrival:
    kind: str = "closed"
    per_s: float = 0     # open loops: either this,
    load: float = 0      # or which part of the time it is to work, alone
    pause_ms: float = 0  # closed loops: from an answer to the next request


@dataclass(frozen=True)
class Program:
    role: str
    model: str
    batch: int = 1
    task: str = "inference"
    words: int = 128
    half: bool = False
    graph: bool = True   # a request of inference is one CUDA graph, as TensorRT and TVM make of it
    arrival: Arrival = field(default_factory=Arrival)

    @property
    def model_key(self):
        """Returns the key of its model, however often it is asked."""
        return (self.model, self.batch, self.task, self.words, self.half, self.graph)

    def options(self, seed, per_s):
        """Returns the words for bench/cuda/pytorch/workload.py."""
        return {"model": self.model, "batch": self.batch, "task": self.task, "words": self.words,
                "half": int(self.half), "graph": int(self.graph and self.task == "inference"),
                "arrival": self.arrival.kind, "per-s": per_s, "pause-ms": self.arrival.pause_ms, "seed": seed}


@dataclass(frozen=True)
class Variant:
    """One measurement: W1.A. `asks`: percentile, most (of alone), background (of its rate alone, less what the urgent
    ones use)."""
    id: str
    name: str
    programs: tuple
    asks: dict
    seed: int
    source: str
    claims: tuple

    def of(self, role):
        return [program for program in self.programs if program.role == role]

    def eager(self):
        """The same with kernels that Python launches one by one."""
        return dataclasses.replace(self, programs=tuple(dataclasses.replace(each, graph=False)
                                                        for each in self.programs))


def made(kind, given, where):
    known = {each.name for each in dataclasses.fields(kind)}
    unknown = set(given) - known
    if unknown:
        raise Wrong(f"{where}: {', '.join(sorted(unknown))} is not known; there are {', '.join(sorted(known))}")
    try:
        return kind(**given)
    except TypeError as error:
        raise Wrong(f"{where}: {error}") from error


def program_of(given, where):
    arrival = made(Arrival, given.get("arrival", {}), where)
    program = made(Program, {**given, "arrival": arrival}, where)
    if program.role not in ROLES:
        raise Wrong(f"{where}: role {program.role}: use urgent or background")
    if program.task not in TASKS:
        raise Wrong(f"{where}: task {program.task}: use one of {', '.join(TASKS)}")
    if arrival.kind not in arrivals.KINDS:
        raise Wrong(f"{where}: arrivals of kind {arrival.kind}: use one of {', '.join(arrivals.KINDS)}")
    if (arrival.kind == "closed") == bool(arrival.per_s or arrival.load):
        raise Wrong(f"{where}: closed arrivals have neither per_s nor load, all others one of them")
    return program


def read(path):
    """The variants of one file."""
    said = tomllib.loads(Path(path).read_text())
    found = []
    for each in said["variant"]:
        where = f"{Path(path).name}, variant {each.get('id')}"
        programs = tuple(program_of(given, where) for given in each["programs"])
        variant = Variant(f"{said['id']}.{each['id']}", each["name"], programs, each.get("asks", said["asks"]),
                          said["seed"], said["source"], tuple(said["claims"]))
        if not variant.of("urgent") or not variant.of("background"):
            raise Wrong(f"{where}: it needs an urgent and a background program")
        found.append(variant)
    return found


def read_all(folder=FOLDER):
    return [variant for path in sorted(Path(folder).glob("*.toml")) for variant in read(path)]


def chosen(variants, words):
    """Returns the variants that are meant, in the order of the words: W1 is all of W1, W1.A one of them. Without words
    all."""
    def meant(variant, word):
        return variant.id == word or variant.id.startswith(word + ".")
    unknown = [word for word in words if not any(meant(variant, word) for variant in variants)]
    if unknown:
        raise Wrong(f"there is no workload {', '.join(unknown)}: there are {', '.join(v.id for v in variants)}")
    found = {variant.id: variant for word in words for variant in variants if meant(variant, word)}
    return list(found.values()) if words else variants


def per_s(program, service_s, load=None):
    """Requests per second. `load` (urgent programs alone): instead of what the file says; `service_s`: of one request
    alone, None if it was not measured."""
    wanted = load if load is not None and program.role == "urgent" and program.arrival.kind != "closed" else \
        program.arrival.load
    if not wanted:
        return program.arrival.per_s
    if not service_s:
        raise Wrong(f"{program.model}: how long a request takes alone is not known, so load {wanted:g} has no rate")
    return wanted / service_s


def turns(variant, ways):
    """[(name, way, roles)]: what is measured each round, alone first."""
    return [("alone", "native", ("urgent",)), ("background alone", "native", ("background",)),
            *((way, way, ("urgent", "background")) for way in ways)]
