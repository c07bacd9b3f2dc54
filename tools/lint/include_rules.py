#!/usr/bin/python3
"""Who may include whom: the rooms of src/ as docs/ARCHITECTURE.md draws them, and vendors' headers only at the edge."""
import re

import lint

# A room may include itself, the public headers, and these.
ROOMS = {
    "base": set(),
    "policy": {"base"},
    "sched": {"policy", "base"},
    "ipc": {"base"},
    "dispatch": {"sched", "policy", "ipc", "base"},
    "queue": {"ipc", "base"},
    "device": {"queue", "base"},
    "agent": {"queue", "dispatch", "sched", "policy", "ipc", "base"},
    "shim": {"agent", "device", "queue", "base"},
    "server": {"dispatch", "sched", "policy", "ipc", "base"},
    "cli": {"ipc", "base"},
    "sim": {"sched", "policy", "base"},
}
# Rooms that are divided by platform: one platform's folder may not include another's.
DIVIDED = {"device", "shim"}
# What platforms share whose queues are streams: it sees a platform through that platform's vendor.h and platform.h.
COMMON = {"stream"}
VENDOR = {
    "opencl": r"CL/",
    "cuda": r"cuda|nvml|nvrtc|cublas|cudnn",
    "hip": r"hip/|hsa/|rocm",
    "levelzero": r"level_zero/|ze_api|zes_api|zet_api",
}
# Single headers beyond that: what the server shares with a backend for clients that do not answer, and where a shim looks
# for its driver, which xcli run must know before.
SHARED = {("server", "device/cuda/rm_control.h"), ("cli", "device/stream/library_search.h")}
VENDOR_FOLDERS = {"tests", "bench", "examples"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def check_room(path, quoted):
    """The problem with src/<room>/... including "quoted", or None."""
    room, target = path.parts[1], quoted.split("/")
    if quoted.startswith("../") or "/../" in quoted:
        return "a path with ..: write it from src/"
    if target[0] == "xsched":
        if len(target) > 2 and not (room in DIVIDED and path.parts[2] == target[1]):
            return f"{quoted} belongs to platform {target[1]}: only its device and shim may include it"
        return None
    if target[0] not in ROOMS or len(target) == 1:
        return None
    if (room, quoted) in SHARED:
        return None
    if target[0] != room and target[0] not in ROOMS.get(room, set()):
        allowed = ", ".join(sorted(ROOMS.get(room, set()))) or "nothing"
        return f"room {room} may not include {target[0]} (it may include {allowed})"
    if room in DIVIDED and target[0] in DIVIDED and len(target) > 2 and target[1] not in {path.parts[2]} | COMMON:
        return f"{room}/{path.parts[2]} may not include {target[0]}/{target[1]}: platforms know nothing of each other"
    return None


def check_vendor(path, header):
    for platform, pattern in VENDOR.items():
        if not re.match(pattern, header):
            continue
        parts = path.parts
        inside = parts[0] in VENDOR_FOLDERS or parts[:3] in (
            ("src", "device", platform), ("src", "shim", platform), ("include", "xsched", platform))
        if not inside:
            return f"<{header}> is a vendor's header: only src/device/{platform}, src/shim/{platform} and " \
                   f"include/xsched/{platform} may include it"
    return None


def check(root, _):
    problems = []
    for path in lint.files(root, lint.CODE):
        for number, line in lint.numbered_lines(lint.read(root, path)):
            match = INCLUDE.match(line)
            if not match:
                continue
            quoted, system = match.groups()
            wrong = check_vendor(path, quoted or system)
            if not wrong and quoted and path.parts[0] == "src" and len(path.parts) > 2:
                wrong = check_room(path, quoted)
            if wrong:
                problems.append(f"{path}:{number}: {wrong}")
    for path in lint.files(root, lint.CODE, {"src"}):
        if len(path.parts) > 2 and path.parts[1] not in ROOMS:
            problems.append(f"{path}:1: src/{path.parts[1]} is no room that tools/lint/include_rules.py knows: say there "
                            "what it may include")
    return problems


GOOD = {
    "src/sched/a.cpp": '#include "policy/policy.h"\n#include <vector>\n',
    "src/device/opencl/a.cpp": '#include <CL/cl.h>\n#include "xsched/opencl/hal.h"\n',
    "src/shim/hip/a.cpp": '#include "device/stream/a.h"\n#include "vendor.h"\n',
    "tests/a.cpp": '#include <CL/cl.h>\n',
    "src/server/a.cpp": '#include "device/cuda/rm_control.h"\n',
}
BAD = {
    "src/base/b.cpp": '#include "ipc/layout.h"\n',
    "src/sched/b.h": '#include "queue/queue_abi.h"\n',
    "src/cli/b.cpp": '#include "server/server.h"\n',
    "src/policy/hpf/b.cpp": '#include "../../ipc/layout.h"\n',
    "src/queue/b.cpp": '#include <CL/cl.h>\n',
    "src/agent/b.cpp": '#include "xsched/opencl/hal.h"\n',
    "src/shim/opencl/b.cpp": '#include "device/cuda/queue.h"\n',
    "src/device/stream/b.cpp": '#include "device/cuda/queue.h"\n',
    "src/device/opencl/b.cpp": '#include <cuda.h>\n',
    "src/attic/b.cpp": "\n",
    "src/server/b.cpp": '#include "device/cuda/cuda_api.h"\n',
}

if __name__ == "__main__":
    lint.main(check, GOOD, BAD)
