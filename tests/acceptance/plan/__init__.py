"""The tests, one module each: ID, NAME, PASSES (when, for people) and run(context), which returns an Outcome."""
from . import (api_coverage, build_install, dual_model, examples, fixed_priority, levels, models, overhead, preemption,
               two_processes)

ALL = {module.ID: module for module in (build_install, examples, api_coverage, fixed_priority, overhead, preemption,
                                        models, two_processes, dual_model, levels)}
