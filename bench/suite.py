#!/usr/bin/env python3
"""The benchmark suite: one table per question, JSON for each, and one HTML report with plots.

    bench/suite.py                                   the quick profile, at most 3 minutes
    bench/suite.py --profile full --budget 1800      everything, within half an hour
    bench/suite.py --only main_job,lengths --lp-ms 0.3,3,endless --peers native,mps,xsched
    bench/suite.py --only main_job --peers mps,xsched_mps --baseline mps --tag _mps
    bench/suite.py --list                            questions and peers, and which are here
    bench/suite.py --report FOLDER                   only the report, from the JSON files in FOLDER

The ways that are compared run in turns. docs/benchmarks.md says how to read it and how to add a peer. Exit status 1 if
a run or a question failed, 2 if nothing could be measured. Missed targets are listed, and are no failure. """
import argparse
import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import questions  # noqa: E402
from lib import backend as backends  # noqa: E402
from lib import disturbance, html, peers, programs, report, workloads  # noqa: E402
from lib.document import NotHere  # noqa: E402
from lib.progress import Progress  # noqa: E402
from lib.suite import PROFILES, Suite  # noqa: E402

MOST_LOG_BYTES = 1 << 20
PATIENCE_SECONDS = 20  # with a program that should be ready or should have ended


def items(kind=str, allowed=None):
    def parse(text):
        found = [kind(word) for word in text.split(",") if word]
        if allowed and not set(found) <= set(allowed):
            raise argparse.ArgumentTypeError(f"use some of {', '.join(allowed)}")
        return found
    return parse


def parse_options(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--results", type=Path, help="where JSON and report go (BUILD/results)")
    parser.add_argument("--platform", choices=list(backends.TITLES), help="the first that answers, unless said")
    parser.add_argument("--profile", choices=list(PROFILES), default="quick")
    parser.add_argument("--budget", type=float, help="seconds for everything")
    parser.add_argument("--only", type=items(allowed=questions.ALL), help="these questions")
    parser.add_argument("--skip", type=items(allowed=questions.ALL), default=[])
    parser.add_argument("--peers", type=items(), default=[], help="these adapters of bench/peers")
    parser.add_argument("--baseline", default="native",
                        help="the peer of whose programs alone everything is a multiple")
    parser.add_argument("--patterns", type=items(allowed=workloads.GPU.patterns))
    parser.add_argument("--lp-ms", type=items(workloads.parse_length), default=[],
                        help="lengths of low's kernels; endless")
    parser.add_argument("--seconds", type=float, help="of each measurement, each round, at most")
    parser.add_argument("--rounds", type=int, help="at most")
    parser.add_argument("--stream", default="null", help="null, per-thread or own")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="environment of the programs")
    parser.add_argument("--tag", default="", help="at the end of the result files' names")
    parser.add_argument("--keep-log", action="store_true", help="also keep what programs and server logged")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--report", type=Path, metavar="FOLDER")
    options = parser.parse_args(words)
    options.results = options.results or options.build / "results"
    return options


def profile_of(options):
    chosen = PROFILES[options.profile]
    given = {"seconds": options.seconds, "rounds": options.rounds, "budget": options.budget,
             "patterns": tuple(options.patterns) if options.patterns else None}
    if options.peers:
        given["few_peers"] = ()  # all of those that were asked for
    return replace(chosen, **{name: value for name, value in given.items() if value is not None})


def make_suite(session, options, profile):
    backend = backends.choose(session.build, session.environment,
                              [options.platform] if options.platform else list(backends.TITLES))
    session.environment |= dict(setting.split("=", 1) for setting in options.set)
    session.patience = PATIENCE_SECONDS
    suite = Suite(session, backend, profile, Progress(profile.budget), options.peers, options.baseline, options.stream)
    suite.lengths_ms = tuple(options.lp_ms)
    suite.recordings = options.results
    suite.lp_ms = options.lp_ms[0] if options.lp_ms else None
    return suite


def are_here(suite, names, absent):
    """Returns the questions that can be answered on this machine."""
    found = []
    for name in names:
        try:
            getattr(questions.ALL[name], "here", lambda _: None)(suite)
            found.append(name)
        except NotHere as reason:
            absent.append(f"{name}: {reason}")
    return found


def finish(document, suite, watch, before, seconds):
    """Adds the facts about a question once it is answered: how it was measured, and the reasons against the figures."""
    document.notes += [f"{seconds:.0f} s in all", watch.says]
    if suite.awake and document.name not in questions.OF_THE_HOST:
        document.notes.append(suite.awake.says)
    document.doubts += [sentence for sentence in (before, watch.note, *suite.session.doubts) if sentence]


def ask(suite, names, deadline, options, before=""):
    """Every question in its time; writes its result at once. Returns the documents and what is not here. `before`: how
    other programs disturbed the machine before the start, as a sentence."""
    documents, absent = [], list(suite.absent.values())
    names = are_here(suite, names, absent)
    for position, name in enumerate(names):
        weights = [questions.ALL[left].WEIGHT for left in names[position:]]
        until = time.monotonic() + max(deadline - time.monotonic(), 0) * weights[0] / sum(weights)
        began, watch = time.monotonic(), disturbance.Watch(suite.running_pids)
        try:
            document = questions.ALL[name].answer(suite, until)
        except NotHere as reason:
            absent.append(f"{name}: {reason}")
            continue
        except (programs.ProgramFailed, OSError, ValueError) as error:
            absent.append(f"{name}: FAILED: {error}")
            suite.session.kill_all()
            continue
        if document.empty:
            absent.append(f"{name}: no time was left")
            continue
        documents.append(document)
        finish(document, suite, watch.stop(), before, time.monotonic() - began)
        document.write(options.results, suite.backend, options.tag)
        suite.progress.say(f"\n{document.text()}")
    return documents, absent


def keep_logs(suite, options):
    """Adds the answers of xcli in the first shared run, and the log lines of programs and server."""
    path = options.results / f"bench{options.tag}.log"
    path.write_text((suite.witness + suite.session.logs())[:MOST_LOG_BYTES])


def run(options):
    profile, began = profile_of(options), time.monotonic()
    names = options.only or [name for name in questions.ALL if name not in (*options.skip, *profile.skip)]
    options.results.mkdir(parents=True, exist_ok=True)
    disturbed = disturbance.note_before()
    with programs.Session(options.build) as session, make_suite(session, options, profile) as suite:
        suite.progress.say(f"{suite.backend.device}, driver {suite.backend.driver}, XSched {report.version()}; "
                           f"{os.cpu_count()} CPUs; profile {options.profile}, at most {profile.budget:.0f} s")
        print(f"peers: {', '.join(peer.title for peer in suite.peers)}", flush=True)
        if disturbed:
            print(f"Note: {disturbed}", flush=True)
        documents, absent = ask(suite, names, began + profile.budget, options, disturbed)
        if options.keep_log or any(document.failures for document in documents):
            keep_logs(suite, options)
    if disturbed:
        absent.insert(0, f"Note: {disturbed}")
    (options.results / "not_measured.json").write_text(json.dumps(absent, indent=2) + "\n")
    for sentence in absent:
        print(f"not measured: {sentence}" if not sentence.startswith("Note") else sentence)
    return documents, [sentence for sentence in absent if ": FAILED: " in sentence]


def show_list(options):
    for name, module in questions.ALL.items():
        print(f"question  {name:<16} {module.__doc__.splitlines()[0]}")
    with programs.Session(options.build) as session, make_suite(session, options, profile_of(options)) as suite:
        for peer in peers.all_peers():
            print(f"peer      {peer.name:<18} {suite.absent.get(peer.name) or peer.title}")


def summary(documents):
    rows = [("question", "status", "targets met", "failed runs")]
    for document in documents:
        met = len(document.targets) - len(document.missed)
        rows.append((document.title, document.status, f"{met} of {len(document.targets)}", len(document.failures)))
    return report.table(rows)


def missed(documents):
    """A line for each target that was missed; those of a disturbed run say so."""
    lines = []
    for document in documents:
        for what, value, relation, limit, unit in document.missed:
            measured = "not measured" if value is None else f"{value:.2f}{unit}"
            aside = " (disturbed: no verdict)" if document.doubts else ""
            lines.append(f"target missed: {document.title}: {what}: {measured}, "
                         f"asked {relation} {limit:g}{unit}{aside}")
    return "".join(f"{line}\n" for line in lines)


def main():
    options = parse_options()
    try:
        if options.report:
            print(html.write(options.report))
            return 0
        if options.list:
            show_list(options)
            return 0
        documents, failed = run(options)
    except (LookupError, programs.ProgramFailed, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    if not documents:
        return 2
    print(f"\n{summary(documents)}\n{missed(documents)}\nreport: {html.write(options.results)}")
    return 1 if failed or any(document.failures for document in documents) else 0


if __name__ == "__main__":
    sys.exit(main())
