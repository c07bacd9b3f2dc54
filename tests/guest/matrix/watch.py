#!/usr/bin/env python3
"""Runs a program and looks at it in the moment in which it ends: its open descriptors and its threads.

  watch.py RESULT -- COMMAND...

Writes JSON to RESULT: the program's wait status, seconds, descriptors and threads. Prints the program's process number
on descriptor 3 if that is open, and ends as soon as the program has ended. The program and its threads are traced
(ptrace), so that the kernel stops them just before their end; nothing is loaded into them. Children are not traced.
"""
import ctypes
import json
import os
import platform
import re
import signal
import socket
import sys
import time

CONT, SEIZE, LISTEN = 7, 0x4206, 0x4208
TRACE_CLONE, TRACE_EXIT, KILL_WITH_TRACER = 0x8, 0x40, 0x100000
EVENT_EXIT, EVENT_STOP = 6, 128
ALL_THREADS = 0x40000000  # __WALL
FAULTS = {signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE}
STACK_BYTES, MOST_CALLERS = 4096, 12  # how far a fault's callers are looked for, and how many are told
STOPPING = {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
EXIT_OF_A_THREAD = {"x86_64": "60", "aarch64": "93"}.get(platform.machine())
PIDFD_GETFD = 438  # the same on every processor
PIDS_FILE = 3

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, thread, data=0):
    if libc.ptrace(request, thread, None, data) < 0 and ctypes.get_errno() != 3:  # ESRCH: it was killed meanwhile
        raise OSError(ctypes.get_errno(), f"ptrace: {os.strerror(ctypes.get_errno())}")


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def peer_of(pid, number):
    """The path that a Unix socket of the program is connected to, or an empty string."""
    try:
        pidfd = os.pidfd_open(pid)
    except OSError:
        return ""
    try:
        copy = libc.syscall(PIDFD_GETFD, pidfd, number, 0)
        if copy < 0:
            return ""
        with socket.socket(fileno=copy) as ours:
            name = ours.getpeername() if ours.family == socket.AF_UNIX else ""
        return name.decode(errors="replace") if isinstance(name, bytes) else str(name)
    except OSError:
        return ""
    finally:
        os.close(pidfd)


def descriptors(pid):
    found = []
    folder = f"/proc/{pid}/fd"
    for number in sorted(map(int, os.listdir(folder))):
        try:
            name = os.readlink(f"{folder}/{number}")
        except OSError:
            continue
        if name.startswith("socket:"):
            name = f"socket to {peer_of(pid, number)}"
        found.append(re.sub(r":\[\d+\]$", "", name))
    return found


def call_of(pid, thread):
    """The number of the system call in which this thread stands, as text."""
    return read(f"/proc/{pid}/task/{thread}/syscall").split(" ")[0]


def code_at(mappings, address):
    """FILE+OFFSET, or nothing if there is no code of a file."""
    for line in mappings.splitlines():
        words = line.split(None, 5)
        begin, end = (int(word, 16) for word in words[0].split("-"))
        if begin <= address < end and "x" in words[1] and len(words) > 5:
            return f"{os.path.basename(words[5])}+{address - begin + int(words[2], 16):#x}"
    return None


def fault(pid, thread, number):
    """Which thread, and where: the place, and what on its stack may be its callers."""
    name = f"{signal.Signals(number).name} in thread {read(f'/proc/{pid}/task/{thread}/comm').strip()}"
    words = read(f"/proc/{pid}/task/{thread}/syscall").split()
    if len(words) != 3:
        return name
    stack, place = int(words[1], 16), int(words[2], 16)
    mappings, callers = read(f"/proc/{pid}/maps"), []
    try:
        with open(f"/proc/{pid}/mem", "rb", 0) as memory:
            memory.seek(stack)
            found = memory.read(STACK_BYTES)
        callers = [code for i in range(0, len(found) - 7, 8)
                   if (code := code_at(mappings, int.from_bytes(found[i:i + 8], sys.byteorder)))]
    except OSError:
        pass
    return f"{name} at {code_at(mappings, place) or hex(place)}; on its stack: {', '.join(callers[:MOST_CALLERS])}"


def has_ended(pid, thread):
    """Returns whether it is about to end by itself, or has (the kernel keeps it until this tracer has been told)."""
    state = re.search(r"^State:\s*(\S)", read(f"/proc/{pid}/task/{thread}/status"), re.MULTILINE)
    return state is None or state.group(1) in "ZX" or call_of(pid, thread) == EXIT_OF_A_THREAD


def threads(pid):
    """The names of those that have not ended by themselves."""
    return [read(f"/proc/{pid}/task/{thread}/comm").strip() for thread in sorted(os.listdir(f"/proc/{pid}/task"))
            if not has_ended(pid, thread)]


def ends_alone(pid, thread):
    """Returns whether this thread alone ends, by exit() and not with its process."""
    pending = re.search(r"^SigPnd:\s*([0-9a-f]+)$", read(f"/proc/{pid}/task/{thread}/status"), re.MULTILINE)
    killed = pending is not None and int(pending.group(1), 16) >> (signal.SIGKILL - 1) & 1
    others = len(os.listdir(f"/proc/{pid}/task")) > 1
    return call_of(pid, thread) == EXIT_OF_A_THREAD and not killed and others


class Watched:
    def __init__(self, command):
        ready, go = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.read(ready, 1)
            self.become(command)
        self.seen = {"descriptors": None, "threads": None}
        self.faults = []
        try:
            ptrace(SEIZE, self.pid, TRACE_CLONE | TRACE_EXIT | KILL_WITH_TRACER)
        except OSError:
            pass  # not allowed here: its end is told all the same
        os.write(go, b"x")
        os.close(ready)
        os.close(go)

    @staticmethod
    def become(command):
        try:
            os.closerange(PIDS_FILE, 256)
            os.execvp(command[0], command)
        except OSError as error:
            print(f"watch.py: {command[0]}: {error.strerror}", file=sys.stderr)
        os._exit(127)

    def look(self):
        if self.seen["descriptors"] is not None:
            return
        try:
            self.seen = {"descriptors": descriptors(self.pid), "threads": threads(self.pid)}
        except OSError:
            pass  # it is gone already

    def stopped(self, thread, status):
        event, number = status >> 16, os.WSTOPSIG(status)
        if event == EVENT_EXIT and not ends_alone(self.pid, thread):
            self.look()
        if not event and number in FAULTS:
            self.faults.append(fault(self.pid, thread, number))
        if event == EVENT_STOP and number in STOPPING:
            ptrace(LISTEN, thread)
        else:
            ptrace(CONT, thread, 0 if event else number)

    def until_the_end(self):
        """The wait status."""
        while True:
            thread, status = os.waitpid(-1, ALL_THREADS)
            if os.WIFSTOPPED(status):
                self.stopped(thread, status)
            elif thread == self.pid:
                return status


def main():
    result, separator, *command = sys.argv[1:]
    if separator != "--" or not command:
        sys.exit(__doc__)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    began = time.monotonic()
    watched = Watched(command)
    try:
        os.write(PIDS_FILE, f"{watched.pid}\n".encode())
        os.close(PIDS_FILE)
    except OSError:
        pass  # no question was asked
    status = watched.until_the_end()
    told = {"status": os.waitstatus_to_exitcode(status), "seconds": round(time.monotonic() - began, 3), **watched.seen,
            "faults": watched.faults}
    with open(result, "w", encoding="utf-8") as file:
        json.dump(told, file)


if __name__ == "__main__":
    main()
