"""The tests of the shim that run on HIP's stand-in, on a version's runtime: those that need nothing of the stand-in."""
import json
import re

import topology
from demands import SECONDS, demand

# Tests of test_shim_hip that need the stand-in, and why.
LEFT_OUT = {
    "HipPieces.*": "its driver counts the pieces",
    "Profiler.*:Tools.*": "stand-ins of AMD's tools",
    "HardwareQueues.*:*OfTwoPriorities*": "its HSA library moves streams as it is told",
    "UnknownCapture.*:UnknownFunction.*": "functions that no runtime has",
    "Runtime.AnErrorOfAnyCall*": "calls that fail as they are told",
    "Runtime.AFunctionThatTheRuntimeLacks*": "a stand-in of hiprtc; the check hiprtc has the real one",
}
# With 7.2.4 any call about a stream crashes that hipDeviceReset has ended, without XSched too.
LEFT_OUT_ON = {"7": ["Streams.WhatIsTornDown*"]}
# The modes of the storm test (tests/system/hip_storm_test.cpp) to run here. Other modes inject faults of the stand-in
# kernel driver; the emulator has its own, in the check "faults". Copies in pieces before gates are left out for time.
MODES = ["by_the_debugger", "signal_memory", "gates_alone", "copies_in_pieces", "queues_observed"]
STORM = ":".join(["*HipStorm.Kills", *(f"*HipStormModes*/{mode}" for mode in MODES)])
ALL_MODES = 14  # among which XSCHED_TEST_PREEMPTIONS are divided
EACH, KILLS = 5, 4
TOLD = re.compile(r"^storm: (.*)$", re.M)
PASSED = re.compile(r"^\[  PASSED  \] (\d+) tests?\.$", re.M)
GPUS = 2


class Suites:
    """Checks of class Checks: suites of tests."""

    def library(self):
        return f"/usr/lib/x86_64-linux-gnu/libamdhip64.so.{self.version.name}"

    def units(self):
        """test_shim_hip, with two GPUs."""
        left_out = [*LEFT_OUT, *LEFT_OUT_ON.get(self.version.name, [])]
        topology.put_kernel(self.root, GPUS)
        try:
            ended = self.room.run([self.room.build / "bin/test_shim_hip", f"--gtest_filter=-{':'.join(left_out)}"],
                                  SECONDS, preload=True, XSCHED_SCHEDULER="app", XLOG_LEVEL="WARN",
                                  XSCHED_HIP_LIB=self.library(), ORDER_HIP_CODE="/programs/kernels.co.bundle",
                                  KFD_EMULATOR_GPUS=GPUS)
        finally:
            topology.put_kernel(self.root, 1)
        passed = PASSED.search(ended.output)
        demand(ended.status == 0 and passed and "SKIPPED" not in ended.output, f"{ended.how}: {ended.output[-3000:]}")
        return f"{passed[1]} tests of test_shim_hip"

    def storm(self):
        """Preemptions and kills one after the other."""
        build = self.room.build
        ended = self.room.run([build / "bin/test_hip_system", f"--gtest_filter={STORM}"], SECONDS, LD_PRELOAD=None,
                              TEST_SHIM=f"{build}/lib/libshimhip.so:{self.room.emulator}", TEST_DRIVER=self.library(),
                              ORDER_HIP_CODE="/programs/kernels.co.bundle", XSCHED_TEST_PREEMPTIONS=EACH * ALL_MODES,
                              XSCHED_TEST_KILLS=KILLS)
        passed = PASSED.search(ended.output)
        demand(ended.status == 0 and passed and int(passed[1]) == len(MODES) + 1,
               f"{ended.how}: {ended.output[-3000:]}")
        told = [json.loads(line) for line in TOLD.findall(ended.output)]
        preemptions, kills = (sum(each.get(what, 0) for each in told) for what in ("preemptions", "kills"))
        return f"{preemptions} preemptions in {len(MODES)} modes and {kills} kills, exact"
