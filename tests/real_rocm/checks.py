"""The checks of one version of AMD's runtime. Each check returns what it saw, in some words, or raises Failed."""
import json
import re
from concurrent.futures import ThreadPoolExecutor

import cost as launch_cost
import names
import programs
import saved as saved_file
import topology
from acceptance import Acceptance
from demands import SECONDS, Failed, Skipped, demand, ended_well
from documents import Documents
from installed import Installed
from suites import Suites

CODE = "/programs/kernels.co"
SOCKET = "/run/xserver.sock"
EXACT = re.compile(r"kernels (\d+) of \1\b")
PREEMPTED = re.compile(r"suspended \d+ times; .*")
P50 = re.compile(r"p50 ([\d.]+) ms")
# Queues that the emulated driver took off, by the ways that may be asked for (XSCHED_HIP_INTERRUPT).
SUSPENSIONS = {"debug": re.compile(r"suspended [1-9]\d* of"), "update": re.compile("percentage 0, priority")}
STREAMS = 2  # of programs/preempt.cpp; they have work at the same time
GPU_TIMES = 20  # suspensions on each of two GPUs
PER_SECOND = 40  # preemptions, at the least; 150 to 300 were seen

# The parameters of programs/bursts.cpp: a victim that has work for 2.2 s alone, and an urgent program with short bursts
# beside it. The victim's kernels are so long that an interrupt is worth its cost.
VICTIM = [30000, 4, 18, "sync"]
URGENT = [300, 8, 15, "sync", 100]
# xserver orders that a queue is taken off; it keeps them off for some of the pauses. The victim has two, for which the
# orders come together, and may be carried out by one call. One order may be taken back before the victim has seen it.
ORDER = re.compile(r"\(priority 0\) suspended: .* taken off the device")
LEAST_ORDERS = 4  # by 15 bursts; 8 and 9 were seen
ENDS = ["sync", "device", "copy", "event", "query"]


# A preempt level and variables with which an unexplained fault was seen once (docs/hip-design.md).
SEEN_ONCE = (2, {"GPU_STREAMOPS_CP_WAIT": 1})
PAIRS_AT_A_TIME = 4


# The order checker leaves these out. The emulator copies no rectangles, and has no pools of memory with 7.2.4. AMD's
# runtimes capture other things than CUDA's driver.
LEFT_OUT = "2d,capture,pool,peer"
OPERATIONS = 1500
NO_VIOLATION = re.compile(r"^operations \d+, violations 0,", re.M)


TOO_LONG = "and the kernel resets the GPU when it does not for 9 s"
FAULTY_TIMES = 60  # preemptions of a program whose driver fails; the faults come at the first ones
AT_A_TIME = 6  # such programs


UNMAP_US = 30000  # by which a program ends later for each page; its thread stores every few us


STEP = re.compile(r"^(\w+(?: \w+)?) +\d+\.\d  (done|hung|crashed|failed|refused|not run)\b", re.M)
DOCTOR_STEPS, DOCTOR_SECONDS = 21, 130


CARD_BYTES = 700 << 20  # 8 blocks of 66 MiB fit, but no 6 more


def lines(ended, level):
    return [line for line in ended.output.splitlines() if line.startswith(f"[{level}")]


class Fault:
    """The faults asked of the emulated driver (driver/faults.h), and the consequences that must follow."""

    def __init__(self, way, asked, level="", says="", goes_on=False):
        self.way, self.asked = way, asked
        self.level, self.says = level, says  # of the one line; "": there is none at WARN
        self.goes_on = goes_on  # level 3 is used afterwards

    def demand_met(self, ended):
        name = f"{self.way}, {self.asked}"
        ended_well(ended, name)
        demand(f"fault: {self.asked}, at call" in ended.output, f"{name}: the driver did not fail")
        warned = lines(ended, "WARN")
        said = [line for line in lines(ended, self.level) if self.says in line] if self.says else []
        demand(len(said) == (1 if self.says else 0) and len(warned) == (1 if self.level == "WARN" else 0),
               f"{name}: {len(said)} lines of \"{self.says}\"; WARN lines: {warned}")
        count = len(SUSPENSIONS[self.way].findall(ended.output))
        demand(count >= FAULTY_TIMES - 1 if self.goes_on else count < FAULTY_TIMES / 2,
               f"{name}: {count} suspensions; {ended.output[-800:]}")


RESUME = "could not be resumed by"
REFUSES = "the kernel driver refuses to suspend"
# For the ways by one queue each: this program has 3, which are all taken off, so that the 7th call is the first of the
# second suspension, and the 5th of its first resumption.
FAULTS = [
    *(Fault("debug", f"resume={what}@2", "WARN", f"{RESUME} DBG_TRAP") for what in ("nothing", "miss", 16, 1, 5)),
    *(Fault("debug", f"suspend={what}@2", "INFO", REFUSES) for what in (16, 1, 5)),
    Fault("debug", "suspend=nothing@2", "INFO", REFUSES),
    Fault("debug", "suspend=miss@2", goes_on=True),
    Fault("debug", "enable=16", "INFO", REFUSES),
    Fault("debug", "snapshot=5", "INFO", REFUSES),
    Fault("debug", "suspend=slow@2", "WARN", TOO_LONG),
    Fault("debug", "resume=slow@2", "WARN", TOO_LONG),
    Fault("debug", "suspend=evict@2", goes_on=True),
    *(Fault("update", f"update={what}@8", "INFO", REFUSES) for what in (16, 1, 5)),
    *(Fault("update", f"update={what}@5", goes_on=True) for what in (16, 1, 5)),
    Fault("update", "update=5@5-9", "WARN", f"{RESUME} UPDATE_QUEUE"),
    Fault("update", "update=slow@7", "WARN", TOO_LONG),
    Fault("update", "update=evict@7", goes_on=True),
]


def exact(ended, name):
    ended_well(ended, name)
    demand(EXACT.search(ended.output), f"{name} is not exact: {ended.output[-1500:]}")
    return float(P50.search(ended.output)[1])


class Checks(Acceptance, Documents, Installed, Suites):
    def __init__(self, version, root, folder, room, top, times):
        self.version, self.root, self.folder, self.room, self.top = version, root, folder, room, top
        self.times = times  # preemptions for each way

    # --- without a GPU

    def declarations(self):
        count = programs.declarations(self.root, self.folder / f"declarations-{self.version.name}",
                                      self.room.build / "api/hip")
        demand(count > 140, f"only {count} functions were compared")
        return f"{count} functions are declared as in {self.version.runtime}'s headers"

    def names(self):
        library = self.root / programs.LIBRARIES / f"libamdhip64.so.{self.version.name}"
        count, wrong = names.wrong(library, self.top / "api/hip.json")
        demand(not wrong, "; ".join(wrong[:20]))
        return f"{count} names, all with the symbol version of api/hip.json"

    def dlsym(self):
        """A program finds the same names by dlsym with the shim as without it: those that the runtime has."""
        asked = names.asked_by_programs(self.top / "api/hip.json")
        (self.root / "names").write_text("\n".join(asked) + "\n")
        natively, *others = (self.room.run(["/programs/names", "/names"], **how)
                             for how in ({}, {"preload": True}, self.in_its_place()))
        for name, ended in zip(("natively", "preloaded", "in its place"), (natively, *others)):
            ended_well(ended, name)
            differ = sorted(set(ended.output.splitlines()) - set(natively.output.splitlines()))
            demand(not differ, f"{name}: {len(differ)} differ, as {'; '.join(differ[:5])}")
        lacking = natively.output.count(" default 0 ")
        demand(lacking > 0, "the runtime lacks no name, so that this proves nothing")
        return f"{len(asked)} names are found as natively, {lacking} of them nowhere"

    def hiprtc(self):
        """Linked to hiprtc; and the same with the shim preloaded, and in the runtime's place."""
        ways = {"alone": {}, "preloaded": {"preload": True}, "in its place": self.in_its_place()}
        for name, how in ways.items():
            ended_well(self.room.run(["/programs/hiprtc"], **how), name)
        return "compiles " + ", ".join(ways)

    def in_its_place(self):
        """The shim under the runtime's name, found before it."""
        place = self.root / "place"
        place.mkdir(exist_ok=True)
        link = place / f"libamdhip64.so.{self.version.name}"
        if not link.is_symlink():
            link.symlink_to(self.room.build / "lib/libshimhip.so")
        return {"LD_LIBRARY_PATH": f"/place:{self.room.build}/lib"}

    # --- on the emulated kernel driver

    def driver(self):
        faults = "resume=nothing@1,update=5@2"
        for name, variables in (("well", {}), ("with faults", {"KFD_EMULATOR_FAULTS": faults})):
            ended_well(self.room.run(["/programs/driver_check"], **variables), f"the emulated driver {name}")
        return "the emulated driver does what KFD does, and fails as asked"

    def alone(self):
        """Programs that end their bursts in each way, without a scheduler between them."""
        seen = []
        for name, how in (("alone", {}), ("preloaded", {"preload": True}), ("in its place", self.in_its_place())):
            started = [self.room.program(["/programs/bursts", CODE, 200, 10, 5, end], XSCHED_SCHEDULER="local", **how)
                         for end in ENDS]
            for end, ended in zip(ENDS, self.room.run_together(started, SECONDS)):
                exact(ended, f"{name}, {end}")
            seen.append(name)
        return "exact " + ", ".join(seen)

    def preemptions(self):
        """Streams that are suspended and resumed as fast as they get on, by each of the kernel driver's ways."""
        seen = []
        for way, suspension in SUSPENSIONS.items():
            ended = self.room.run(["/programs/preempt", CODE, self.times // STREAMS, STREAMS],
                                  SECONDS + self.times // PER_SECOND, preload=True, XSCHED_SCHEDULER="app",
                                  XSCHED_INTERRUPT=1, XSCHED_HIP_INTERRUPT=way, KFD_EMULATOR_LOG=1)
            ended_well(ended, way)
            count = len(suspension.findall(ended.output))
            demand(count >= self.times, f"{way}: {count} suspensions in the driver, {self.times} of streams")
            seen.append(f"{way}: {PREEMPTED.search(ended.output)[0]}, {count} in the driver")
        return "; ".join(seen)

    def ending(self):
        """Programs that end while a stream of theirs is suspended and resumed at level 2. Nothing of ours touches what
        the runtime has freed."""
        for name, variables in (("gates", {}), ("gates in the runtime's memory", {"GPU_STREAMOPS_CP_WAIT": 1})):
            ended_well(self.room.run(["/programs/ending", CODE], preload=True, XSCHED_SCHEDULER="app",
                                     KFD_EMULATOR_UNMAP_US=UNMAP_US, **variables), name)
        return "ends well with gates of each kind"

    def gpus(self):
        """Two GPUs: a stream on each is suspended and goes on, the other one runs all the time; copies between them."""
        topology.put_kernel(self.root, 2)
        try:
            for way, suspension in SUSPENSIONS.items():
                ended = self.room.run(["/programs/gpus", CODE, GPU_TIMES], SECONDS, preload=True,
                                      XSCHED_SCHEDULER="app", XSCHED_INTERRUPT=1, XSCHED_HIP_INTERRUPT=way,
                                      KFD_EMULATOR_LOG=1, KFD_EMULATOR_GPUS=2)
                ended_well(ended, way)
                count = len(suspension.findall(ended.output))
                demand(count >= 2 * GPU_TIMES, f"{way}: {count} suspensions in the driver")
        finally:
            topology.put_kernel(self.root, 1)
        return f"{GPU_TIMES} suspensions on each, by {', '.join(SUSPENSIONS)}, and copies: exact"

    def pair(self, level, way="", faults="", **more):
        """A victim and an urgent program, with xserver. (xserver, the victim, the urgent one)"""
        common = {"preload": True, "XSCHED_SOCKET": SOCKET, "XSCHED_AUTO_XQUEUE_LEVEL": level, "XSCHED_INTERRUPT": 1,
                  "XSCHED_HIP_INTERRUPT": way, "XLOG_LEVEL": "WARN", **more}
        room = self.room
        return room.run_together([
            room.program([room.build / "bin/xserver", "HPF"], background=True, head_start=0.5, LD_PRELOAD=None,
                         XSCHED_SOCKET=SOCKET, XLOG_LEVEL="DEBG"),
            room.program(["/programs/bursts", CODE, *VICTIM], head_start=1, XSCHED_AUTO_XQUEUE_PRIORITY=0,
                         KFD_EMULATOR_LOG=1, KFD_EMULATOR_FAULTS=faults, **common),
            room.program(["/programs/bursts", CODE, *URGENT], XSCHED_AUTO_XQUEUE_PRIORITY=1, **common)], SECONDS)

    def levels(self):
        seen = []
        for level, way in ((1, ""), (2, ""), (3, "debug"), (3, "update")):
            name = f"level {level}" + (f" by {way}" if way else "")
            server, victim, urgent = self.pair(level, way)
            exact(victim, f"{name}: the victim")
            p50 = exact(urgent, f"{name}: the urgent program")
            orders = len(ORDER.findall(server.output))
            count = len(SUSPENSIONS[way].findall(victim.output)) if way else 0
            demand(not way or 2 * count + 2 >= orders >= LEAST_ORDERS,
                   f"{name}: {count} suspensions, {orders} orders")
            demand(way or not any(each.search(victim.output) for each in SUSPENSIONS.values()), f"{name}: suspended")
            seen.append(f"{name}: {p50:.1f} ms" + (f", {count} suspensions for {orders} orders" if way else ""))
        return "exact; p50 of the urgent program at " + "; ".join(seen)

    def memory(self):
        """A program whose memory fills the card makes room for an urgent one, and has all of its bytes back."""
        room = self.room
        if self.version.name == "6":
            raise Skipped("XSched moves no memory with this runtime, which does not always survive it")
        common = {"preload": True, "XSCHED_SOCKET": SOCKET, "XLOG_LEVEL": "INFO", "XSCHED_DEBUG": "hip_memory=1",
                  "KFD_EMULATOR_MEMORY": CARD_BYTES}
        _, victim, urgent = room.run_together([
            room.program([room.build / "bin/xserver", "HPF"], background=True, head_start=0.5, LD_PRELOAD=None,
                         XSCHED_SOCKET=SOCKET),
            room.program(["/programs/moves", 8, 65, 8000, 1], head_start=3, XSCHED_EVICTABLE=1, **common),
            room.program(["/programs/moves", 6, 65, 1500, 2], XSCHED_AUTO_XQUEUE_PRIORITY=10, **common)], SECONDS)
        for name, ended, blocks in (("the victim", victim, 8), ("the urgent program", urgent, 6)):
            ended_well(ended, name)
            demand(f"has {blocks} blocks, 0 refused" in ended.output and "exact" in ended.output,
                   f"{name}: {ended.output[-2000:]}")
        out, back = (victim.output.count(words) for words in ("went to the host", "came back in"))
        demand(out > 0 and back > 0, f"the victim's memory did not move: {victim.output[-2000:]}")
        return f"the victim's memory went to the host {out} times and came back {back} times; exact"

    def faults(self):
        """Level 3 on a driver that fails: the fault came, one line says what it means, and the program goes on exactly.
        Each program has a GPU of its own, and a scheduler in its process, whose agent tries again what has failed."""
        programs = [self.room.program(["/programs/preempt", CODE, FAULTY_TIMES, 1], preload=True,
                                      XSCHED_SCHEDULER="local", XSCHED_INTERRUPT=1, XSCHED_HIP_INTERRUPT=fault.way,
                                      XLOG_LEVEL="INFO", KFD_EMULATOR_LOG=1, KFD_EMULATOR_FAULTS=fault.asked,
                                      KFD_EMULATOR_DEVICE=f"/run/gpu{number}")
                    for number, fault in enumerate(FAULTS)]
        for first in range(0, len(FAULTS), AT_A_TIME):
            some = slice(first, first + AT_A_TIME)
            for fault, ended in zip(FAULTS[some], self.room.run_together(programs[some], SECONDS)):
                fault.demand_met(ended)
        return f"{len(FAULTS)} kinds of them: each came and was named, and the program went on as it should"

    def hang(self):
        """The victim's GPU hangs as the victim is taken off it: the victim ends, the urgent program goes on. (On the
        same real GPU it would end as well.)"""
        for way, fault in (("debug", "suspend=hang@2"), ("update", "update=hang@7")):
            _, victim, urgent = self.pair(3, way, fault)
            demand("fault: " in victim.output, f"{way}: the driver did not fail")
            exact(urgent, f"{way}: the urgent program")
            demand(victim.status not in (None, 0), f"{way}: the victim: {victim.how}: {victim.output[-1500:]}")
            warned = lines(victim, "WARN")
            demand(len(warned) == 1 and TOO_LONG in warned[0], f"{way}: {warned}")
        return "the runtime ends the victim, with one line of ours before; the urgent program is exact"


    def order(self):
        """The random order checker, natively and under the shim with random suspensions at each level."""
        levels = {f"level {level}": {"preload": True, "XSCHED_SCHEDULER": "app", "XSCHED_AUTO_XQUEUE_LEVEL": level,
                                     "XSCHED_INTERRUPT": 1, "XLOG_LEVEL": "WARN"} for level in (1, 2, 3)}
        for name, how in ({"natively": {}} | levels).items():
            words = [self.room.build / "bin/order_check_hip", "--ops", OPERATIONS, "--without", LEFT_OUT]
            ended = self.room.run(words + (["--chaos"] if how else []), SECONDS, ORDER_HIP_CODE=f"{CODE}.bundle",
                                  KFD_EMULATOR_LOG=0,  # a crash shows its stack
                                  FAKE_HIP_DIRECT=f"libamdhip64.so.{self.version.name}", **how)
            ended_well(ended, name)
            demand(NO_VIOLATION.search(ended.output), f"{name}: {ended.output[-1500:]}")
        return f"exact natively and with random suspensions at {', '.join(levels)}; {OPERATIONS} operations each"

    def repeated(self):
        """The setting with which something was seen once: so many pairs, a few of them at once."""
        level, variables = SEEN_ONCE
        with ThreadPoolExecutor(PAIRS_AT_A_TIME) as pool:
            pairs = list(pool.map(lambda _: self.pair(level, **variables), range(self.times)))
        wrong = [ended for _, *both in pairs for ended in both if ended.status != 0 or not EXACT.search(ended.output)]
        for number, ended in enumerate(wrong):
            (self.folder / f"repeated-{self.version.name}-{number}").write_text(f"{ended.how}\n{ended.output}")
        demand(not wrong, f"{len(wrong)} of {2 * self.times} programs; their words are in {self.folder}")
        return f"{self.times} pairs at level {level} with {variables}: exact"

    def cost(self):
        """The cost that XSched adds to a launch; into bench/results. It fails where that is more than the limit."""
        metrics = launch_cost.measure(self.room, CODE)
        file = self.top / "bench/results/hip_launch_cost_real_runtimes.json"
        launch_cost.write(file, self.version, metrics, self.top)
        added = {way: each["added_cpu"]["median_ns"] for way, each in metrics.items() if way != "native"}
        said = ", ".join(f"{way} adds {ns:.0f} ns" for way, ns in added.items())
        demand(max(added.values()) <= launch_cost.LIMIT_NS, said)
        return f"natively {metrics['native']['runtime_cpu']['median_ns']:.0f} ns; {said}"

    def saved(self):
        """The file that xcli doctor --save writes, by a few of its steps."""
        topology.put_queue(self.root, 77)
        file = self.root / "saved.json"
        file.unlink(missing_ok=True)
        ended = self.room.run([self.room.build / "bin/xcli", "doctor", "--run", "--platform", "hip", "--steps",
                               "runtime,device,routes", "--save", "/saved.json"], SECONDS, SOME_PASSWORD="secret-value")
        demand(ended.status in (0, 1) and file.exists(), f"{ended.how}: {ended.output[-1500:]}")
        text = file.read_text()
        wrong = saved_file.wrong(json.loads(text), text)
        demand(not wrong, "; ".join(wrong))
        return f"{len(text) >> 10} KiB, with all that docs/HIP.md says"

    def doctor(self):
        """xcli doctor --run: all of its steps, and a sentence for each level. The times in the sentences are the
        emulator's and this machine's affair."""
        ended = self.room.run([self.room.build / "bin/xcli", "doctor", "--run", "--platform", "hip", "--seconds", "0.3",
                               "--save", "/run/doctor.json"], DOCTOR_SECONDS)
        demand(ended.status in (0, 1), f"{ended.how}: {ended.output[-1500:]}")
        rows = STEP.findall(ended.output)
        wrong = [f"{name.strip()} {ending}" for name, ending in rows if ending != "done"]
        demand(len(rows) == DOCTOR_STEPS and not wrong, f"{len(rows)} steps, of which {', '.join(wrong)}")
        of_each = all(f"\nlevel {level}: " in ended.output for level in (1, 2, 3))
        demand(of_each or "\nall levels: " in ended.output, f"a level has no verdict: {ended.output[-1500:]}")
        return f"{len(rows)} steps, all done"


# The checks that run by default, in this order. Each is a function of Checks.
ALL = ["declarations", "names", "dlsym", "hiprtc", "driver", "alone", "preemptions", "ending", "gpus", "levels",
       "memory", "order", "faults", "hang", "saved", "calls", "examples", "ctypes", "debug_log", "phase_4",
       "units", "storm"]
# Checks that run only if they are named. The time that the doctor gives each step is too short at times on a busy
# machine of two processors.
MORE = ["acceptance", "cost", "doctor", "installed", "repeated"]
