"""Measures published workloads with programs that stay (lib/residents.py): the same turns as lib/published_run.py, in a
tenth of the time. An urgent or background program's figures alone are measured once for all variants that have the
same."""
import contextlib
import shutil

from . import published, published_run, report
from .programs import ProgramFailed

# Models so large that several programs with them do not fit onto a device together.
HEAVY = {"llama_8b", "gpt2_large", "whisper_large"}
LONG_STEPS = {"whisper_large"}
LEAST_SECONDS = 2
BACKGROUND_SECONDS = 1.5   # alone: nothing but its rate
LONG_STEPS_SECONDS = 16    # of models whose steps take seconds
LOOK_SECONDS = 1
WARM_SECONDS, END_SECONDS, REST_SECONDS = 60, 40, 30
EQUALS_SECONDS = 2.5  # for this long after a program's work, an equal does not keep the device (kLately)
TURN_SECONDS, BUILD_SECONDS, HEAVY_SECONDS = 0.8 + EQUALS_SECONDS, 3, 4  # guesses, of what is not measuring


class Staying(published_run.Measuring):
    """`most_requests`: urgent ones that are enough, if they come in less than `seconds`. `keep_rows`: a folder for each
    request's begin and latency."""

    def __init__(self, house, progress, ways, seconds, load=None, most_requests=0, keep_rows=None):
        super().__init__(house.session, progress, ways, seconds, load)
        self.house, self.most_requests, self.most_seconds, self.keep_rows = house, most_requests, seconds, keep_rows
        self.service_s = house.service_s

    def resident(self, way, program, place):
        return self.house.resident(self.ways[way], published.ROLES[program.role], place)

    def places(self, variant, way, roles):
        """[(program, resident)] of a turn."""
        return [(program, self.resident(way, program, place)) for role in roles
                for place, program in enumerate(variant.of(role))]

    def options(self, program, seed=1):
        return program.options(seed, published.per_s(program, self.service_s.get(program), self.load))

    def start_all(self, variants):
        """Python and PyTorch of every program that any of them needs, before anything is measured."""
        for variant in variants:
            for way in self.ways:
                self.places(variant, way, ("urgent", "background"))
        for resident in self.house.residents.values():
            with contextlib.suppress(ProgramFailed):  # its turn starts another one
                resident.wait_ready(self.progress)

    def prepare(self, variant):
        """The models of all ways are on the device, but for heavy ones; nothing else is."""
        at_work = [pair for way in self.ways for pair in self.places(variant, way, ("urgent", "background"))]
        meant = {id(resident) for _, resident in at_work}
        self.house.drop([each for each in self.house.residents.values() if id(each) not in meant or
                         each.has and each.has[0] in HEAVY])
        for way in self.ways:  # one after the other: none builds beside programs that another way favours
            try:
                self.build([pair for pair in self.places(variant, way, ("urgent", "background"))
                            if pair[0].model not in HEAVY])
            except ProgramFailed as failure:  # its turn tries once more
                self.progress.say(f"{variant.id}: loading: {failure}")
        self.seconds = self.seconds_of(variant)

    def build(self, pairs):
        self.house.build([(resident, program, program.options(1, 0)) for program, resident in pairs])

    def seconds_of(self, variant):
        """Waits as long as the urgent programs need for their requests."""
        rates = [self.options(program)["per-s"] for program in variant.of("urgent")]
        kinds = {program.arrival.kind for program in variant.of("urgent")}
        if not self.most_requests or "bursty" in kinds:  # whose lulls last a second
            return self.most_seconds
        if "closed" in kinds:
            return min(self.most_seconds, LEAST_SECONDS)
        return min(self.most_seconds, max(LEAST_SECONDS, self.most_requests / sum(rates)))

    def look(self, variant):
        """How long a request takes alone, of programs whose rate follows from that."""
        for program in self.unknown(variant):
            resident = self.resident("native", program, 0)
            self.build([(program, resident)])
            self.house.ask([(resident, "warm", {})], WARM_SECONDS)
            words = {**program.options(1, 0), "arrival": "closed", "seconds": LOOK_SECONDS, "pause-ms": 0, "depth": 1,
                     "until-told": 0, "out": str(resident.out)}
            self.house.ask([(resident, "work", words)], END_SECONDS)
            self.service_s[program] = report.percentile([row[1] for row in resident.rows()], 50) / 1e9

    def round(self, variant, number):
        self.progress.doing(f"{variant.id}: loading")
        self.prepare(variant)
        for turn in published.turns(variant, self.ways_shared):
            self.progress.doing(f"{variant.id}: {turn[0]}")
            try:
                self.turn(variant, turn, number)
            except (ProgramFailed, OSError, ValueError, IndexError) as error:
                self.failures.append(f"{turn[0]}: {error}")
                for _, resident in self.places(variant, turn[1], turn[2]):
                    resident.kill()

    def turn(self, variant, turn, number):
        name, way, roles = turn
        known = None if len(roles) > 1 else \
            (number, self.seconds if roles[0] == "urgent" else 0, tuple(variant.of(roles[0])))
        if known not in self.house.alone:
            found = self.measure(variant, self.places(variant, way, roles), number)
            if known is None:
                return self.add(name, *found)
            self.house.alone[known] = found
        return self.add(name, *self.house.alone[known])

    def measure(self, variant, pairs, number):
        """(urgent rows of all, [background rows of each])"""
        self.build(pairs)  # those that failed before, and heavy ones
        self.house.ask([(resident, "warm", {}) for _, resident in pairs], WARM_SECONDS)
        urgent = [pair for pair in pairs if pair[0].role == "urgent"]
        background = [pair for pair in pairs if pair[0].role == "background"]
        for at, (program, resident) in enumerate(background):
            self.begin(program, resident, variant.seed + number * 100 + len(urgent) + at,
                       seconds=published_run.MANY_SECONDS, depth=published_run.BACKGROUND_DEPTH, until_told=1)
        for at, (program, resident) in enumerate(urgent):
            self.begin(program, resident, variant.seed + number * 100 + at, seconds=self.seconds, depth=1, until_told=0)
        if not urgent:
            long_steps = any(program.model in LONG_STEPS for program, _ in pairs)
            self.progress.wait(min(self.seconds, LONG_STEPS_SECONDS if long_steps else BACKGROUND_SECONDS))
        for _, resident in urgent:
            resident.answer(self.progress, self.seconds + END_SECONDS)
        for _, resident in background:
            resident.say("stop")
        for _, resident in background:
            resident.answer(self.progress, END_SECONDS)
        found = [row for _, resident in urgent for row in resident.rows()], [each.rows() for _, each in background]
        if self.keep_rows:
            self.keep(variant, pairs, number)
        self.rest(pairs)
        self.progress.wait(EQUALS_SECONDS)
        return found

    def keep(self, variant, pairs, number):
        self.keep_rows.mkdir(parents=True, exist_ok=True)
        for _, resident in pairs:
            name = f"{variant.id}_{len(pairs)}_{resident.out.name}_{number}"
            shutil.copy(resident.out, self.keep_rows / f"{name}.rows")
            if "XLOG_LEVEL" in self.house.session.environment:
                shutil.copy(resident.log, self.keep_rows / f"{name}.log")
        way = pairs[0][1].name.split()[0]
        if way.startswith("xsched"):
            said = self.house.session.xcli("list") + self.house.session.xcli("metrics", "--json")
            (self.keep_rows / f"{variant.id}_{way}_{number}.metrics").write_text(said)

    def begin(self, program, resident, seed, until_told, **more):
        resident.say("work", **{**self.options(program, seed), **more, "until-told": until_told,
                                "out": str(resident.out)})

    def rest(self, pairs):
        self.house.ask([(resident, "rest", {}) for program, resident in pairs if program.model not in HEAVY],
                       REST_SECONDS)
        self.house.drop([resident for program, resident in pairs if program.model in HEAVY])


def guess_seconds(variant, options, alone=2):
    """Runs the turns of one variant; `alone`: those turns whose programs no earlier variant had."""
    heavy = any(program.model in HEAVY for program in variant.programs)
    turns = len(options.ways) + alone
    return options.rounds * (turns * (options.seconds + TURN_SECONDS + (HEAVY_SECONDS if heavy else 0)) + BUILD_SECONDS)
