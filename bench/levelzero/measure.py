#!/usr/bin/env python3
"""The time that XSched adds to calls of Level Zero on the host, without a GPU: on the tests' stand-in, where each
command is complete at once. Some seconds; prints one JSON object, and a table on stderr.

    measure.py [--build DIR] [--rounds N]     DIR has lib/, fake_levelzero/ and bench/levelzero/host_cost

The added time contains the stand-in's time for the calls that XSched makes beside the program's: its events are asked
and reset, and a signal comes behind a command that has an event of the program's (bench/lib/call_cost.py has the ways).
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lib import call_cost  # noqa: E402

WORK, OTHER = call_cost.MOST_FOR_WORK_NS, call_cost.MOST_FOR_OTHERS_NS
LIMITS_NS = {"fill": WORK, "fill_with_event": WORK, "fill_any_order": WORK, "execute": WORK, "event_query": OTHER,
             "synchronize": OTHER}

if __name__ == "__main__":
    sys.exit(call_cost.main(__doc__, "levelzero", {"FAKE_ZE_NOOP": "1"}, LIMITS_NS))
