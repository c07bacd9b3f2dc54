"""1.3: device count, malloc, memcpy, launch, stream create, synchronize and destroy, free: all through the shim."""
import subprocess

from context import Outcome, verdict
from lib import report

ID, NAME, PASSES = "1.3", "API coverage", "every call goes through the shim, with the right result"
PROGRAM = report.ROOT / "tests" / "acceptance" / "api_calls.py"


def called(context, prefix):
    return subprocess.run([*map(str, prefix), "python3", str(PROGRAM), context.backend.name],
                          env=context.session.environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120)


def run(context):
    native = called(context, context.native("lp"))
    scheduled = called(context, context.session.under_xsched("--log", "DEBG"))
    if native.returncode == 77:
        return Outcome("skipped", {}, [native.stdout.strip()])
    if native.returncode != 0:
        return Outcome("failed", {}, [f"the program fails natively: {native.stderr[-1500:]}"])
    calls = [line.split(" ", 1) for line in native.stdout.splitlines() if line.startswith("call ")]
    names = [name for _, name in calls]
    seen = {name: any(word in scheduled.stderr for word in name.split("|")) for name in names}
    same = scheduled.returncode == 0 and scheduled.stdout == native.stdout
    unseen = [name for name, found in seen.items() if not found]
    notes = [] if same else [f"under XSched: status {scheduled.returncode}: {scheduled.stderr[-1500:]}"]
    if unseen:
        notes.append(f"forwarded without a line in the log: {', '.join(unseen)}")
    return Outcome(verdict(same and any(seen.values())), {
        "calls": seen, "results_same": same, "in_log": sum(seen.values()), "of": len(seen)}, notes,
        f"{len(names)} kinds of calls right, {sum(seen.values())} of them in the log", ran=len(names))
