"""The differences between a program's end and its native one."""
import re
from collections import Counter

from trial import LOG_LINE

SHOWN = 4        # lines of a difference
LONGEST = 160    # characters of such a line
OUR_FILE = re.compile(r"^/proc/\d+/status$")  # src/base/confinement.h
OUR_THREADS = re.compile(r"^xsched-")  # their names: src/base, src/agent


def masked(text, row, places):
    """Returns its lines without what the row's masks match, or without lines that a mask matches whole. `places` are
    folders of this run."""
    text = "\n".join(line for line in text.splitlines() if not LOG_LINE.match(line))
    for place in places:
        text = text.replace(str(place), "<place>")
    for mask in row.masks:
        text = re.sub(mask.pattern, "#", text, flags=re.MULTILINE)
    lines = [line for line in text.splitlines() if line.strip("#") or not line]
    return sorted(lines) if row.unordered else lines


def output(row, ended, folder):
    """The outputs that are compared: both streams, and the files it wrote."""
    return {"standard output": masked(ended.out, row, [folder]), "standard error": masked(ended.errors, row, [folder]),
            **{name: [digest or "not there"] for name, digest in ended.files.items()}}


def lines_that_differ(before, after):
    """The lines that only one of both has, as often as it has them."""
    missing, more = Counter(before) - Counter(after), Counter(after) - Counter(before)
    odd = [f"- {line}" for line in missing.elements()][:SHOWN] + [f"+ {line}" for line in more.elements()][:SHOWN]
    return [line[:LONGEST] for line in odd] or ["the same lines in another order"]


def output_differences(native, ours):
    found = []
    for name, before in native.items():
        if before != ours[name]:
            found.append(f"{name}: " + " | ".join(lines_that_differ(before, ours[name])))
    return found


def kind(descriptor):
    """A descriptor's name without what differs from process to process."""
    return re.sub(r"\d+", "N", descriptor)


def without_ours(ended, socket):
    """(the program's own descriptors, its threads' number, our descriptors, our threads), or None: not counted."""
    if ended.descriptors is None:
        return None
    ours = [name for name in ended.descriptors if name == f"socket to {socket}" or OUR_FILE.match(name)]
    own = Counter(map(kind, ended.descriptors)) - Counter(map(kind, ours))
    our_threads = [name for name in ended.threads if OUR_THREADS.match(name)]
    return own, len(ended.threads) - len(our_threads), len(ours), our_threads


def leftover_differences(row, natives, ended, socket):
    """The descriptors and threads that it still has at its end, beyond those of one of its native runs and ours."""
    seen = without_ours(ended, socket)
    before = [looked for native in natives if (looked := without_ours(native, socket))]
    if seen is None or not before:
        return []
    found = []
    if all(seen[0] != each[0] for each in before):
        found.append("descriptors: " + " | ".join(lines_that_differ(before[0][0].elements(), seen[0].elements())))
    if not row.threads_vary and all(seen[1] != each[1] for each in before):
        found.append(f"threads: {seen[1]}, natively {before[0][1]}")
    return found
