"""The checks of one version of AMD's runtime. Each check returns what it saw, in some words, or raises Failed."""
import re

import names
import programs

CODE = "/programs/kernels.co"
SOCKET = "/run/xserver.sock"
EXACT = re.compile(r"kernels (\d+) of \1\b")
P50 = re.compile(r"p50 ([\d.]+) ms")
SUSPENSION = re.compile(r"DBG_TRAP: operation 6\b|percentage 0, priority")
SECONDS = 60  # for the programs of a check; they took 2 to 5 on two processors

# Of programs/bursts.cpp: a victim that has work for 3 s alone, and an urgent program with short bursts beside it. The
# victim's kernels are so long that an interrupt is worth its cost.
VICTIM = [10000, 6, 50, "sync"]
URGENT = [300, 8, 25, "sync", 30]
LEAST_SUSPENSIONS = 2  # of the victim, by 25 bursts; the scheduler leaves others to the gate (5 to 12 were seen)
ENDS = ["sync", "device", "copy", "event", "query"]


class Failed(Exception):
    pass


def demand(truth, text):
    if not truth:
        raise Failed(text)


def ended_well(ended, name):
    demand(ended.status == 0, f"{name}: {ended.how}: {ended.output[-1500:]}")


def exact(ended, name):
    ended_well(ended, name)
    demand(EXACT.search(ended.output), f"{name} is not exact: {ended.output[-1500:]}")
    return float(P50.search(ended.output)[1])


class Checks:
    def __init__(self, version, root, folder, room, top):
        self.version, self.root, self.folder, self.room, self.top = version, root, folder, room, top

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

    def pair(self, level, way="", faults=""):
        """A victim and an urgent program, with xserver. (the victim, the urgent one)"""
        common = {"preload": True, "XSCHED_SOCKET": SOCKET, "XSCHED_AUTO_XQUEUE_LEVEL": level, "XSCHED_INTERRUPT": 1,
                  "XSCHED_HIP_INTERRUPT": way, "XLOG_LEVEL": "WARN"}
        room = self.room
        return room.run_together([
            room.program([room.build / "bin/xserver", "HPF"], background=True, head_start=0.5, LD_PRELOAD=None,
                         XSCHED_SOCKET=SOCKET),
            room.program(["/programs/bursts", CODE, *VICTIM], head_start=1, XSCHED_AUTO_XQUEUE_PRIORITY=0,
                         KFD_EMULATOR_LOG=1, KFD_EMULATOR_FAULTS=faults, **common),
            room.program(["/programs/bursts", CODE, *URGENT], XSCHED_AUTO_XQUEUE_PRIORITY=1, **common)], SECONDS)[1:]

    def levels(self):
        seen = []
        for level, way in ((1, ""), (2, ""), (3, "debug"), (3, "update")):
            name = f"level {level}" + (f" by {way}" if way else "")
            victim, urgent = self.pair(level, way)
            exact(victim, f"{name}: the victim")
            p50 = exact(urgent, f"{name}: the urgent program")
            count = len(SUSPENSION.findall(victim.output))
            demand(count >= LEAST_SUSPENSIONS if way else count == 0, f"{name}: {count} suspensions of the victim")
            seen.append(f"{name}: {p50:.1f} ms" + (f", {count} suspensions" if way else ""))
        return "exact; p50 of the urgent program at " + "; ".join(seen)

    def faults(self):
        """Level 3 on a driver that fails: the programs go on, exactly, and a line says what is wrong."""
        seen = []
        for way, fault, line in (("debug", "resume=nothing@2", "could not be resumed by DBG_TRAP"),
                                 ("debug", "resume=5@2", "could not be resumed by DBG_TRAP"),
                                 ("debug", "suspend=miss@2", ""), ("debug", "suspend=16@2", ""),
                                 ("update", "update=5@3", ""), ("update", "update=1", "")):
            victim, urgent = self.pair(3, way, fault)
            exact(victim, f"{way}, {fault}: the victim")
            exact(urgent, f"{way}, {fault}: the urgent program")
            warned = [text for text in victim.output.splitlines() if "[WARN" in text]
            demand(len(warned) <= 1 and (not line or (warned and line in warned[0])),
                   f"{way}, {fault}: {len(warned)} WARN lines, wanted {int(bool(line))}: {warned[:3]}")
            seen.append(f"{way} {fault}")
        return "exact with " + ", ".join(seen)


# In this order; each is a function of Checks.
ALL = ["declarations", "names", "hiprtc", "driver", "alone", "levels", "faults"]
