"""The allowed includes: the rooms of src/ as docs/ARCHITECTURE.md draws them, and vendors' headers only at the edge."""
import re
import sys
from pathlib import Path

import lint

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import platforms  # noqa: E402

# A room may include itself, the public headers, and these.
ROOMS = {
    "floor": set(),
    "base": set(),
    "policy": {"base"},
    "sched": {"policy", "base"},
    "ipc": {"base"},
    "dispatch": {"sched", "ipc", "base"},
    "queue": {"ipc", "base"},
    "host": {"base"},
    "hal": {"queue", "host", "base"},
    "agent": {"queue", "dispatch", "sched", "policy", "ipc", "base"},
    "shim": {"agent", "hal", "queue", "host", "base"},
    "config": {"policy", "ipc", "base"},
    "server": {"config", "console", "dispatch", "sched", "policy", "host", "ipc", "base"},
    "console": {"base"},
    "cli": {"config", "console", "host", "ipc", "base"},
    "slurm": {"config", "console", "base"},
    "kubernetes": {"config", "console", "base"},
    "sim": {"console", "dispatch", "host", "sched", "policy", "ipc", "base"},
    # Probes are programs of their own that open the vendor's library. They may include nothing of this project but
    # the kernel driver's calls (SHARED).
    "probe": set(),
}
# The drawers of a room whose files may include their own drawer and those before it.
DRAWERS = {"sched": ("facts", "memory", "pattern", "state", "order", "mechanism", "core")}
# src/platform/<p>/: hal, shim and probe are rooms in each; one platform's folder may not include another's.
LAYERS = ("hal", "shim", "probe")
# Files of a platform's folder that belong to other rooms: its checks of xcli doctor and its options.
PARTS = {("doctor.cpp",): "cli", ("options.def",): "base"}
# The common part of platforms whose queues are streams, which sees a platform through that platform's vendor.h and
# platform.h; and that of platforms on NVIDIA's kernel driver.
COMMON = {"stream", "nvidia"}
VENDOR = {name: described["vendor_headers"] for name, described in platforms.platforms().items()}
# Single headers that a room may include in addition: a probe the calls to AMD's and Ascend's drivers, and the simulator
# the command meter of a queue, which it compares with the truth.
SHARED = {("probe", "platform/hip/hal/kfd_api.h"), ("probe", "platform/hip/hal/kfd_control.h"),
          ("probe", "platform/ascend/hal/send_queue_request.h"), ("sim", "queue/path/command_meter.h")}
# A library that needs settings before it is included, and the header with them.
ALONE = {"toml++/": "src/base/toml_library.h"}
VENDOR_FOLDERS = {"tests", "bench", "examples"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def place(parts):
    """The room and the platform, or None, of a file below src/: parts is its path there."""
    if parts[0] != "platform":
        return parts[0], None
    if tuple(parts[2:]) in PARTS:
        return PARTS[tuple(parts[2:])], parts[1]
    layer = next((part for part in parts[2:] if part in LAYERS), "platform")
    return layer, parts[1] if len(parts) > 1 else None


def check_room(path, quoted):
    """The problem with src/<room>/... including "quoted", or None."""
    target = quoted.split("/")
    room, platform = place(path.parts[1:])
    if quoted.startswith("../") or "/../" in quoted:
        return "a path with ..: write it from src/"
    if target[0] == "xsched":
        if len(target) > 2 and platform != target[1]:
            return f"{quoted} belongs to platform {target[1]}: only src/platform/{target[1]} may include it"
        return None
    target_room, target_platform = place(target)
    if target_room not in ROOMS or len(target) == 1:
        return None
    if (room, quoted) in SHARED:
        return None
    if target_room != room and target_room not in ROOMS.get(room, set()):
        allowed = ", ".join(sorted(ROOMS.get(room, set()))) or "nothing"
        return f"room {room} may not include {target_room} (it may include {allowed})"
    if platform and target_platform and target_platform not in {platform} | COMMON:
        return f"platform {platform} may not include {target_platform}'s {quoted}: platforms know nothing of each other"
    return None


def check_drawer(path, quoted):
    """The problem with src/<room>/<drawer>/... including "quoted", or None."""
    room, target = path.parts[1], quoted.split("/")
    drawers = DRAWERS.get(room)
    if not drawers or target[0] != room or len(target) < 3:
        return None
    here, there = (drawers.index(name) if name in drawers else -1 for name in (path.parts[2], target[1]))
    if there > here >= 0:
        return f"{room}/{path.parts[2]} may not include {room}/{target[1]}: the order is {' < '.join(drawers)}"
    return None


def check_vendor(path, header):
    for platform, pattern in VENDOR.items():
        if not re.match(pattern, header):
            continue
        parts = path.parts
        inside = parts[0] in VENDOR_FOLDERS or parts[:3] in (
            ("src", "platform", platform), ("include", "xsched", platform))
        if not inside:
            return f"<{header}> is a vendor's header: only src/platform/{platform} and " \
                   f"include/xsched/{platform} may include it"
    return None


def check_alone(path, header):
    for library, only in ALONE.items():
        if header.startswith(library) and str(path) != only:
            return f"<{header}> needs settings: include \"{only.removeprefix('src/')}\""
    return None


def check(root, _):
    problems = []
    for path in lint.files(root, lint.CODE):
        for number, line in lint.numbered_lines(lint.read(root, path)):
            match = INCLUDE.match(line)
            if not match:
                continue
            quoted, system = match.groups()
            wrong = check_vendor(path, quoted or system) or check_alone(path, quoted or system)
            if not wrong and quoted and path.parts[0] == "src" and len(path.parts) > 2:
                wrong = check_room(path, quoted) or check_drawer(path, quoted)
            if wrong:
                problems.append(f"{path}:{number}: {wrong}")
    for path in lint.files(root, lint.CODE, {"src"}):
        if len(path.parts) > 2 and place(path.parts[1:])[0] not in ROOMS:
            problems.append(f"{path}:1: src/{path.parts[1]} is no room that tools/lint/include_rules.py knows: say "
                            "there "
                            "what it may include")
        drawers = DRAWERS.get(path.parts[1])
        if drawers and (len(path.parts) != 4 or path.parts[2] not in drawers):
            problems.append(f"{path}:1: files of src/{path.parts[1]} are in its drawers: {', '.join(drawers)}")
    return problems


GOOD = {
    "src/base/toml_library.h": '#include <toml++/toml.h>\n',
    "src/sched/facts/a.cpp": '#include "policy/policy.h"\n#include <vector>\n',
    "src/sched/order/a.cpp": '#include "sched/facts/a.h"\n#include "sched/order/b.h"\n',
    "src/platform/opencl/hal/a.cpp": '#include <CL/cl.h>\n#include "xsched/opencl/hal.h"\n',
    "src/platform/hip/shim/a.cpp": '#include "platform/stream/hal/a.h"\n#include "vendor.h"\n',
    "tests/a.cpp": '#include <CL/cl.h>\n',
    "src/server/a.cpp": '#include "host/rm_control.h"\n',
    "src/platform/hip/doctor.cpp": '#include "cli/doctor/doctor.h"\n',
    "src/sim/tool/a.cpp": '#include "sim/a.h"\n#include "dispatch/dispatcher.h"\n',
}
BAD = {
    "src/config/b.cpp": '#include <toml++/toml.h>\n',
    "src/base/b.cpp": '#include "ipc/layout.h"\n',
    "src/sched/facts/b.h": '#include "queue/abi/queue_abi.h"\n',
    "src/cli/b.cpp": '#include "server/server.h"\n',
    "src/policy/hpf/b.cpp": '#include "../../ipc/layout.h"\n',
    "src/queue/b.cpp": '#include <CL/cl.h>\n',
    "src/agent/b.cpp": '#include "xsched/opencl/hal.h"\n',
    "src/platform/opencl/shim/b.cpp": '#include "platform/cuda/hal/queue.h"\n',
    "src/platform/stream/hal/b.cpp": '#include "platform/cuda/hal/queue.h"\n',
    "src/platform/opencl/hal/b.cpp": '#include <cuda.h>\n',
    "src/attic/b.cpp": "\n",
    "src/platform/cuda/b.cpp": "\n",
    "src/platform/cuda/hal/b.cpp": '#include "platform/cuda/shim/streams.h"\n',
    "src/server/b.cpp": '#include "platform/cuda/hal/api.h"\n',
    "src/sim/b.cpp": '#include "queue/xqueue.h"\n',
    "src/sched/facts/c.cpp": '#include "sim/device.h"\n',
    "src/sched/state/b.cpp": '#include "sched/order/b.h"\n',
    "src/sched/b.cpp": "\n",
    "src/sched/attic/b.cpp": "\n",
    "src/host/b.cpp": '#include "platform/cuda/hal/queue.h"\n',
}
