"""Level 2 on OpenCL: how soon a suspended queue stands still when its kernels are guarded (docs/levels.md)."""
import json
import subprocess

from lib import programs, report
from lib.document import Document, NotHere

NAME, WEIGHT = "guard", 4
LENGTHS_MS = (1, 2, 5)
LEVELS = (1, 2)
GUARD_US = 30    # 1.1 T and so much is what level 2 may take on a GPU
PATIENCE = 90    # seconds more than a measurement needs: the driver compiles everything twice


def program(suite):
    return suite.session.build / "bench" / "opencl" / "guard_latency"


def here(suite):
    if suite.backend.name != "opencl":
        raise NotHere("it is about OpenCL")
    if not program(suite).exists():
        raise NotHere("its program is not in this build")


def measure(suite, level, kernel_ms, seconds):
    """us from XQueueSuspend to the end of the last work-group, for each suspension."""
    environment = {**suite.session.environment, "XSCHED_SCHEDULER": "app", "XLOG_LEVEL": "ERRO",
                   "XSCHED_AUTO_XQUEUE_LEVEL": str(level),
                   "LD_PRELOAD": str(suite.session.build / "lib" / "libshimopencl.so")}
    result = subprocess.run([program(suite), "--kernel-ms", str(kernel_ms), "--seconds", str(seconds)], env=environment,
                            text=True, capture_output=True, timeout=seconds + PATIENCE)
    if result.returncode == 77:
        raise NotHere("there is no OpenCL device that is a CPU")
    if result.returncode != 0:
        raise programs.ProgramFailed(f"guard_latency ended with status {result.returncode}: {result.stderr[-500:]}")
    return json.loads(result.stdout)


def answer(suite, deadline):
    del deadline  # short, and of a fixed length
    out = Document(NAME, "Level 2 on OpenCL", "How soon does a suspended queue stand still, if its kernels take T?")
    rows = [["T ms, level", "stands still p50 / p99 us", "p99 / T", "one work-group us", "samples"]]
    for length in LENGTHS_MS:
        for level in LEVELS:
            suite.progress.doing(f"level {level}, T {length} ms")
            try:
                found = measure(suite, level, length, suite.profile.seconds)
            except (programs.ProgramFailed, OSError, ValueError, subprocess.TimeoutExpired) as error:
                out.failures.append(f"level {level}, T {length} ms: {error}")
                continue
            p50, p99 = (report.percentile(found["still_us"], percent) for percent in (50, 99))
            rows.append([f"{length}, level {level}", f"{p50:.0f} / {p99:.0f}", f"{p99 / 1e3 / length:.2f}",
                         f"{found['group_us']:.0f}", len(found["still_us"])])
            out.add_samples(f"level {level}, T {length} ms: stands still", found["still_us"])
            out.raw[f"level_{level}_T_{length}_ms"] = report.summary(found["still_us"])
            if level == 2:
                out.targets.append((f"level 2, T {length} ms: stands still after, p99", p99, "<=",
                                    1100 * length + GUARD_US, " us"))
    out.add_table("From XQueueSuspend to the end of the last work-group; two kernels in the queue", rows)
    return out
