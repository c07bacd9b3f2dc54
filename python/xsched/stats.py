"""xserver's knowledge, as frozen dataclasses: the data of `xcli status`, `list`, `explain` and `top`.

    for program in xsched.programs():
        print(program.pid, program.program, program.held[0].ms, "ms held in the last second")

Names are those of --json (docs/json.md), and units are in the names: _ms, _us, _s, _percent; what has none is a count.
None: not measured. A user sees the own programs; root and the server's own user see all. NoServerError if no server
answers, NotFoundError if there is no such program."""
import json
import subprocess
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Dict, List, Optional, Tuple, Type, TypeVar, Union

from . import _libraries
from ._link import Link
from .errors import NoServerError, refusal

Made = TypeVar("Made")
Percents = Tuple[Optional[float], Optional[float], Optional[float]]


@dataclass(frozen=True)
class ProcessStatus:
    """A process, in sentences: what it does now and why."""
    pid: int
    uid: int
    client: int
    program: str
    queues: int
    state: str                     # a word of docs/seeing.md: runs, mixed, held, idle, suspended, stopped, away
    completed: int                 # commands
    explanations: Tuple[str, ...]  # a sentence for each priority and device
    delayed_ms: float              # suspended with work to do, in all
    caused_ms: float               # that others were, for its sake
    preemptions: int


@dataclass(frozen=True)
class Status:
    policy: str
    processes: Tuple[ProcessStatus, ...]


@dataclass(frozen=True)
class QueueStats:
    """A queue of a program. `queue` with `pid` names it, as in xcli's options: PID.QUEUE."""
    pid: int
    uid: int
    client: int
    program: str
    queue: int
    device: str
    device_index: Optional[int]
    device_name: str
    platform: str
    level: int                # preempt level in use
    level_pauses: str         # why its own level, which is higher, does not act at the moment; empty: its own acts
    levels: Tuple[int, ...]   # that the hardware supports
    threshold: int            # most commands in flight; 0: automatic
    batch_size: int
    state: str                # as of a program, for this queue
    submitted: int
    pending: int
    in_flight: int
    completed: int
    copies: int               # of the submitted commands; each piece of a large copy counts
    command_ms: float         # device time of a command, about
    busy_ms: float            # device time so far
    running_ms: float         # with work, and not suspended
    idle_ms: float            # without work, since it was first seen; only as far as it was followed
    held_ms: float
    held_now_ms: float        # 0: it is not held now
    suspended: bool
    mechanism: str
    reason: str
    by_pid: int               # the process that it makes room for; 0: none
    preemptions: int
    explanation: str
    priority: int
    utilization: int          # percent
    timeslice_us: int
    deadline_us: int
    laxity_us: int
    lax_priority: int
    critical_priority: int
    period_us: int
    share: int                # percent that it asked for; 0: nothing said
    limit: int                # percent at most; 0: no limit
    gang: str                 # empty: none
    background: int           # 1: less urgent than every priority
    side_by_side: int         # 1: runs beside more urgent programs where that hardly slows them down
    evictable: int            # 1: memory that it allocates may be moved to the host
    memory_on_card: int       # bytes of its program on the devices, as far as they are counted
    memory_on_host: int       # bytes of its program that were moved to the host
    memory_limit: int         # bytes that the program may allocate on each device; 0: no limit
    memory_guarantee: int     # bytes of the program that stay on each device; 0: none
    memory_swaps: int         # times that memory of the program went to the host
    memory_waited_ms: float   # by the program, for its own memory or for room for an allocation
    k_deadline: int
    window: int
    slo_p99: int              # microseconds; below 0: percent of the time alone; 0: no target
    got_percent: Percents     # of the device, in the last 1, 10 and 60 seconds
    why_less: str


@dataclass(frozen=True)
class Lengths:
    """Lengths of bursts, requests, commands, holds, stops or resumptions, in milliseconds."""
    count: int
    sum_ms: float
    p50_ms: float
    p99_ms: float


@dataclass(frozen=True)
class HeldBy:
    """A cause of holds. Another user's program has neither pid nor priority."""
    reason: str
    why: str
    holds: int
    ms: float
    longest_ms: float
    mechanism: str
    itself: bool
    program: str = ""
    pid: Optional[int] = None
    priority: Optional[int] = None


@dataclass(frozen=True)
class Held:
    """For how long a program was suspended with work to do in the last `seconds`."""
    seconds: int
    holds: int
    ms: float
    longest_ms: float
    by: Tuple[HeldBy, ...]


@dataclass(frozen=True)
class Victim:
    holds: int
    ms: float
    longest_ms: float
    mechanism: str
    program: str = ""
    pid: Optional[int] = None
    priority: Optional[int] = None


@dataclass(frozen=True)
class Cost:
    """Whom a program kept waiting in the last `seconds`."""
    seconds: int
    victims: Tuple[Victim, ...]


@dataclass(frozen=True)
class DeviceUse:
    """A device that a program has queues on."""
    device: str
    device_index: Optional[int]
    device_name: str
    platform: str
    got_percent: Percents  # in the last 1, 10 and 60 seconds
    others_at_work: int    # programs of other users
    others_got_percent: Percents  # these together
    share_worth: Optional[int]  # percent that its share comes to; None: the policy keeps no shares
    why_less: str
    driver_queues: Optional[int]       # of all programs, as AMD's kernel driver counts them
    most_driver_queues: Optional[int]  # that the hardware takes at once; with more it is given in turns


@dataclass(frozen=True)
class ProgramStats:
    """A program: what it asked for and got."""
    pid: int
    uid: int
    client: int
    program: str
    queues: int
    unscheduled: int          # queues beyond its user's limit
    state: str                # runs, mixed, held, idle, suspended, stopped, away
    stopped: bool             # by a signal
    suspended_by_itself: bool
    lost_claim: bool          # it has completed nothing for too long, so that no program makes room for it
    waits_for_host: bool      # or for another program or device: nothing of it can use this one
    followed: bool            # another program competes: device time and bursts are measured
    priority: int             # of its most urgent queue
    share: int                # percent
    limit: int                # percent
    level: int
    level_pauses: str         # why its own level, which is higher, does not act at the moment; empty: its own acts
    best_level: int
    submitted: int            # commands; these counts include queues that are gone
    pending: int
    in_flight: int
    completed: int
    busy_ms: float
    command_ms: float
    held_since_ms: float
    held_ms: float
    holds: int
    caused_ms: float
    memory_on_card: int       # bytes on its devices, as far as they are counted
    memory_movable: int       # of these, what may be moved to the host
    memory_on_host: int       # bytes that were moved to the host
    memory_limit: int         # bytes that it may allocate on each device; 0: no limit
    memory_guarantee: int     # bytes that stay on each device; 0: none
    memory_sent_away: bool    # by a person, until it is resumed
    memory_swaps: int         # times that memory of it went to the host
    memory_waited_ms: float   # for its own memory, or for room for an allocation
    preempted_by: Dict[str, int]
    bursts: Lengths           # from its first command when idle to the completion of the last one, holds included
    request_lengths: Lengths  # bursts joined over pauses below 1 ms, without the time held
    commands: Lengths         # on the device
    hold_lengths: Lengths
    stop_lengths: Lengths     # from a suspension until nothing of it is on the device
    resume_lengths: Lengths   # from a resumption until its work goes on
    devices: Tuple[DeviceUse, ...]
    held: Tuple[Held, Held, Held]  # in the last 1, 10 and 60 seconds
    cost: Tuple[Cost, Cost, Cost]


@dataclass(frozen=True)
class Explanation:
    """Why a program is as fast as it is. `finding` is one of docs/seeing.md's words."""
    pid: int
    program: str
    finding: str
    not_us: bool              # XSched has no part in it
    headline: str
    details: Tuple[str, ...]
    advice: str               # empty: there is nothing to do
    facts: ProgramStats


def _value(kind: Any, value: Any) -> Any:
    if is_dataclass(kind):
        return _made(kind, value)
    inner = getattr(kind, "__args__", ())
    if isinstance(value, list):
        return tuple(_value(inner[0], each) if inner else each for each in value)
    return value


def _made(kind: Type[Made], entry: Dict[str, Any]) -> Made:
    """From the server's answer; what this version does not know is left out."""
    return kind(**{field.name: _value(field.type, entry[field.name]) for field in fields(kind)  # type: ignore[arg-type]
                   if field.name in entry})


def _is_meant(entry: Any, who: Union[None, int, str]) -> bool:
    return who is None or (entry.pid == who if isinstance(who, int) else who in entry.program)


def _meant(entries: List[Any], who: Union[None, int, str]) -> List[Any]:
    if who == "":
        raise ValueError("the name of a program is empty: leave it out for all programs")
    if who is not None and not isinstance(who, (int, str)):
        raise TypeError(f"{who!r} names no program: give the number of a process, or a part of its name")
    found = [entry for entry in entries if _is_meant(entry, who)]
    if who is not None and not found:
        raise refusal(f"no program {who!r} is scheduled by this server: xsched.programs() has those there are",
                      "nobody")
    return found


def status() -> Status:
    """Returns the running and the suspended programs, with the reasons."""
    with Link() as link:
        return _made(Status, link.ask_all("processes", cmd="status"))


def programs(who: Union[None, int, str] = None) -> List[ProgramStats]:
    """All programs; or a process by its number, or those with `who` in their names."""
    with Link() as link:
        answer = link.ask_all("programs", cmd="programs")
    return _meant([_made(ProgramStats, entry) for entry in answer["programs"]], who)


def queues(who: Union[None, int, str] = None) -> List[QueueStats]:
    """The queues of all programs, or of some."""
    with Link() as link:
        answer = link.ask_all("queues", cmd="list")
    return _meant([_made(QueueStats, entry) for entry in answer["queues"]], who)


def explain(who: Union[None, int, str] = None) -> List[Explanation]:
    """Why programs are as fast as they are, as `xcli explain` says it; xcli is asked."""
    xcli = _libraries.tool("xcli")
    if xcli is None:
        raise NoServerError("xcli is found neither beside XSched's libraries nor on PATH: install XSched")
    words = [xcli, "explain", "--json"] + ([] if who is None else [str(who)])
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=30,
                          encoding="utf-8")
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = {"ok": False, "error": done.stderr.strip() or f"xcli ended with {done.returncode}"}
    if answer["ok"]:
        return [_made(Explanation, entry) for entry in answer["programs"]]
    if who is None and answer.get("status") == 4:  # there is no such program
        return []
    kinds = {2: "usage", 4: "nobody", 5: "refused"}
    if answer.get("status") in kinds:
        raise refusal(answer["error"], kinds[answer["status"]])
    raise NoServerError(answer["error"])


__all__ = [name for name, value in list(globals().items())
           if getattr(value, "__module__", "") == __name__ and not name.startswith("_")]
