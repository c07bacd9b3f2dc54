"""The suite's questions, one module each: NAME, WEIGHT (its part of the time) and answer(suite, deadline), which
returns a Document or raises NotHere; here(suite), if a module has it, raises that before the time is divided."""
from . import (auto, fixed_priority, guard, host, lengths, main_job, overhead, partition,  # noqa: F401
               preemption, pytorch, server_cpu, shares, targets, thresholds)

ALL = {module.NAME: module for module in (main_job, lengths, overhead, preemption, guard, thresholds, fixed_priority,
                                          partition, shares, auto, targets, server_cpu, host, pytorch)}
OF_THE_HOST = (host.NAME,)  # no device is used
