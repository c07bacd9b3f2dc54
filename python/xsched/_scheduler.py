"""The scheduler of this process."""
from typing import Dict

from ._bindings import XSched
from ._names import meant
from .errors import check, within
from .types import TIMESLICE_MAX, TIMESLICE_MIN, XPolicyType, XSchedulerType

SCHEDULERS: Dict[str, XSchedulerType] = {
    "global": XSchedulerType.kSchedulerGlobal, "glb": XSchedulerType.kSchedulerGlobal,
    "local": XSchedulerType.kSchedulerLocal, "lcl": XSchedulerType.kSchedulerLocal,
    "app": XSchedulerType.kSchedulerAppManaged,
}
POLICIES: Dict[str, XPolicyType] = {
    "HPF": XPolicyType.kPolicyHighestPriorityFirst,
    "HHPF": XPolicyType.kPolicyHeterogeneousHighestPriorityFirst,
    "CHPF": XPolicyType.kPolicyCPUHighestPriorityFirst,
    "UP": XPolicyType.kPolicyUtilizationPartition,
    "PUP": XPolicyType.kPolicyProcessUtilizationPartition,
    "SPUP": XPolicyType.kPolicyStrictProcessUtilizationPartition,
    "KEDF": XPolicyType.kPolicyKEarliestDeadlineFirst,
    "LAX": XPolicyType.kPolicyLaxity,
    "AWF": XPolicyType.kPolicyActiveWindowFirst,
    "CFS": XPolicyType.kPolicyCompletelyFairScheduler,
    "MLFQ": XPolicyType.kPolicyMultiLevelFeedbackQueue,
}

WITHOUT_NUMBER = ("AUTO", "OBSERVE")  # policies that are found by name alone


def set_scheduler(scheduler: str, policy: str = "HPF") -> None:
    """From now on "global" (xserver), "local" (this process, by `policy`) or "app" (only its own suspend and resume)
    decides, in place of what XSCHED_SCHEDULER says. XSchedError (NotSupported) if this build lacks the policy."""
    if scheduler.lower() not in SCHEDULERS:
        raise ValueError(f"scheduler {scheduler!r} is none: use global, local or app"
                         f"{meant(scheduler.lower(), SCHEDULERS)}")
    if policy.upper() in WITHOUT_NUMBER:
        raise ValueError(f"policy {policy!r} has no number, which XHintSetScheduler needs: set XSCHED_SCHEDULER=local "
                         f"and XSCHED_POLICY={policy.upper()} before the program uses a device")
    if policy.upper() not in POLICIES:
        raise ValueError(f"policy {policy!r} is none: use {', '.join(POLICIES)}"
                         f"{meant(policy.upper(), (*POLICIES, *WITHOUT_NUMBER))}")
    check("XHintSetScheduler", XSched.XHintSetScheduler(SCHEDULERS[scheduler.lower()], POLICIES[policy.upper()]))


def set_timeslice(microseconds: int) -> None:
    """The length of a turn, for policies that take turns: 100 to 10,000,000."""
    microseconds = within("microseconds", microseconds, TIMESLICE_MIN, TIMESLICE_MAX)
    check("XHintTimeslice", XSched.XHintTimeslice(microseconds), microseconds)
