#!/usr/bin/env python3
"""The time that XSched adds to calls of CANN's runtime on the host, without an NPU: on the tests' stand-in, where each
command is complete at once. Some seconds; prints one JSON object, and a table on stderr.

    measure.py [--build DIR] [--rounds N]     DIR has lib/, fake_ascend/ and bench/ascend/host_cost

bench/lib/call_cost.py has the ways.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lib import call_cost  # noqa: E402

WORK, OTHER = call_cost.MOST_FOR_WORK_NS, call_cost.MOST_FOR_OTHERS_NS
LIMITS_NS = {"fill": WORK, "fill_below": WORK, "record": WORK, "event_query": OTHER,
             "synchronize": 100}  # judgement: beside a wait, and a call of acl passes two hooks

if __name__ == "__main__":
    sys.exit(call_cost.main(__doc__, "ascend", {"FAKE_CUDA_NOOP": "1"}, LIMITS_NS))
