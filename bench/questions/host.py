"""The cost that XSched adds to single calls on the host, and the time until a decision reaches its program."""
import time
from types import SimpleNamespace

from lib import programs
from lib.document import Document, NotHere

NAME, WEIGHT = "host", 8


def add_host_cost(suite, out):
    import host_cost
    try:
        with suite.host_alone():
            cost, directive = host_cost.measure(suite.session)
    except (OSError, programs.ProgramFailed) as error:
        out.notes.append(f"enqueue_cost and directive_latency: {error}"[:300])
        return
    out.targets += host_cost.targets(cost, directive)
    out.raw |= {"enqueue": cost, "directive": directive["runs"]}
    rows = [["without a device", "ns"]]
    rows += [[what, f"{value:.0f}"] for what, value, _, _, unit in host_cost.targets(cost, directive) if unit == " ns"]
    out.add_table("Host time that XSched adds to an enqueue on an open queue", rows)
    out.add_table("From an urgent queue's readiness to the directive in the victim's memory",
                  [["server", "n", "p50 us", "p99 us"],
                   *([found["run"], found.get("samples", "-"), f"{found['p50_us']:.1f}" if "p50_us" in found else "-",
                      f"{found['p99_us']:.1f}"] for found in directive["runs"])])


def add_launch_cost(suite, out, deadline):
    import launch_cost
    found = launch_cost.measure(suite.session, launch_cost.cuda_ways(suite.session), SimpleNamespace(
        rounds=suite.profile.rounds, seconds=max(min(suite.profile.seconds / 2, 1.5), 0.3),
        deadline=max(deadline, time.monotonic() + 8)))
    rows, targets = launch_cost.outcome(found)
    out.add_table("Host time of a call of the CUDA driver, ns", rows)
    out.targets += targets
    for (way, kind), value in found.items():
        out.add_rounds(f"{kind}, {way}", value["rounds_ns"], lambda ns: f"{ns:.0f} ns")
    out.raw["ns_per_call"] = {f"{kind}, {way}": value for (way, kind), value in found.items()}


def answer(suite, deadline):
    out = Document(NAME, "Host time", "What does XSched add to a call, and how soon does a decision arrive?")
    if (suite.session.build / "bin" / "enqueue_cost").exists() and suite.profile.seconds >= 1:
        suite.progress.doing("host time per enqueue, time of a decision")
        add_host_cost(suite, out)
    if suite.backend.name == "cuda":
        try:
            add_launch_cost(suite, out, deadline)
        except (programs.ProgramFailed, OSError) as error:
            out.failures.append(str(error))
    if not out.tables and not out.failures:
        raise NotHere("the programs that measure it are not in this build, or the profile is too short for them")
    return out
