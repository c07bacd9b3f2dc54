"""How text is laid out: at most 120 columns everywhere, at most 350 lines in a file of src/, and C++ as clang-format
leaves it (.clang-format). That also puts includes in their order: the file's own header; <....h> of the system and
other libraries; the standard library; this project's. `make format` does all of that but for lines that only a person
can break."""
import re
import shutil
import subprocess
import sys

import lint

# If True, the form of C++ is compared with clang-format, and its columns are counted.
FORMATTED = True

MOST_COLUMNS = 120
MOST_LINES = 350
LONGER = {"src/sched/core/chooser.cpp": 370}  # can only fall
FORMATTER = "clang-format-19"  # as scripts/install_deps.sh has it: other versions differ
CPP = {".cpp", ".h", ".c", ".hpp"}
SCRIPTS = {".py", ".sh", ".cmake", ""}  # a table's row (.def) is one line, however long
NOT_TEXT = {"LICENSE"}
AT_A_TIME = 40
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def check_columns(root, suffixes):
    problems = []
    for path in lint.files(root, suffixes | {".txt"}):
        if path.suffix == ".txt" and path.name != "CMakeLists.txt" or path.name in NOT_TEXT:
            continue
        for number, line in lint.numbered_lines(lint.read(root, path)):
            if len(line) > MOST_COLUMNS:
                problems.append(f"{path}:{number}: {len(line)} columns, at most {MOST_COLUMNS}: break the line")
    return problems


def check_lines(root):
    counts = {path: lint.read(root, path).count("\n") for path in lint.files(root, CPP, {"src"})}
    return [f"{path}:{MOST_LINES}: {count} lines, at most {MOST_LINES}: divide the file by subject"
            for path, count in counts.items() if count > LONGER.get(str(path), MOST_LINES)]


def check_form(root):
    """Returns the changes that clang-format would make, by file; .clang-format is this tree's, also for the self-test's
    files."""
    style = f"--style=file:{lint.ROOT / '.clang-format'}"
    files = [path for path in lint.files(root, CPP) if path.suffix != ".c"]
    problems = []
    for begin in range(0, len(files), AT_A_TIME):
        some = [str(path) for path in files[begin:begin + AT_A_TIME]]
        result = subprocess.run([FORMATTER, style, "--dry-run", *some], cwd=root, stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            return [f"{FORMATTER} failed: {result.stderr}"]
        seen = set()
        for match in re.finditer(r"^([^\s:]+):(\d+):\d+: warning: code should be clang-formatted", result.stderr, re.M):
            if match[1] not in seen:
                seen.add(match[1])
                problems.append(f"{match[1]}:{match[2]}: clang-format would change this file: run 'make format'")
    return problems


def check(root, arguments):
    everything = FORMATTED or arguments.self_test
    problems = check_columns(root, SCRIPTS | CPP if everything else SCRIPTS) + check_lines(root)
    if everything:
        if shutil.which(FORMATTER) is None:
            print(f"skipped: {FORMATTER} is not installed (scripts/install_deps.sh format)")
            sys.exit(77 if not problems else 1)
        problems += check_form(root)
    return problems


GOOD = {
    "src/base/a.cpp": '#include "base/a.h"\n\n#include <fcntl.h>\n#include <unistd.h>\n\n#include <string>\n\n'
                      '#include "base/log.h"\n\nint f(int x) { return x; }\n',
    "src/base/long.def": "X(" + "a" * 200 + ")\n",
    "tests/short.py": "x = 1\n",
}
BAD = {
    "src/base/tall.cpp": "int x();\n" * 401,
    "src/base/long.cpp": "// " + "a" * 130 + "\n",
    "scripts/long.py": "x = '" + "a" * 130 + "'\n",
    "scripts/long.sh": "echo " + "a" * 130 + "\n",
    "cmake/long.cmake": "message(" + "a" * 130 + ")\n",
    "tests/CMakeLists.txt": "message(" + "a" * 130 + ")\n",
    "src/base/spaces.cpp": "int  f( int x ){return x;}\n",
    "src/base/order.cpp": '#include <string>\n#include <unistd.h>\n\n#include "base/log.h"\n',
    "src/base/project_first.cpp": '#include "base/log.h"\n\n#include <string>\n',
    "src/base/sorted.cpp": "#include <vector>\n#include <string>\n",
}
