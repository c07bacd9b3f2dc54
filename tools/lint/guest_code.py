"""Code that lives in other people's programs never ends them, throws, writes to their standard output, or brings in
what the guest libraries must not need."""
import re

import lint

GUEST_ROOMS = {"floor", "base", "ipc", "policy", "sched", "dispatch", "queue", "agent", "platform"}
# Patterns that must not appear in code that runs inside user programs, each with the reason.
FORBIDDEN = [
    (r"\b_?_?[eE]xit\s*\(", "ends the user's program: return a result and log a line (fail open)"),
    (r"\bquick_exit\s*\(|\bexit_group\b", "ends the user's program: return a result and log a line (fail open)"),
    (r"\babort\s*\(|\bstd::terminate\b|\b__builtin_trap\b", "ends the user's program: log a line and fail open"),
    (r"\bassert\s*\(", "ends the user's program when it fails: use static_assert, or log a line and fail open"),
    (r"\bthrow\b|\btry\b|\bcatch\s*\(", "guest rooms are built without exceptions: return a result"),
    (r"\bdynamic_cast\b|\btypeid\b", "guest rooms are built without type information"),
    (r"(?<![\w.>])(?:std::)?printf\s*\(|\bputs\s*\(|\bputchar\s*\(|\bstdout\b|\bSTDOUT_FILENO\b|\bstd::cout\b",
     "standard output belongs to the user's program: use base/log.h"),
    (r"#\s*include\s*<(?:iostream|fstream|sstream|iomanip)>", "streams cost at load time: use base/log.h or snprintf"),
    (r"(?<!\w)getenv\s*\(", "believes the caller of a set-user-id program: use secure_getenv"),
    (r"(?<!\w)(?:is(?:alnum|alpha|blank|digit|graph|lower|print|punct|space|upper|xdigit)|to(?:lower|upper)"
     r"|strn?casecmp|strtod|strtof|atof|stod|stof|setlocale)\s*\(",
     "follows the locale that the program has chosen: use base/text.h"),
    (r"#\s*include\s*<(?:thread|future|stop_token)>|\bstd::j?thread\b", "throws if no thread can be had: use "
     "base/thread.h"),
    (r"#\s*include\s*<regex>|#\s*include\s*<filesystem>", "too heavy for a guest library"),
]
FORBIDDEN = [(re.compile(pattern), why) for pattern, why in FORBIDDEN]


def check(root, _):
    problems = []
    for path in lint.files(root, lint.CODE, {"src"}):
        if len(path.parts) < 3 or path.parts[1] not in GUEST_ROOMS:
            continue
        # Files that are not in a guest: those of xcli doctor, the probes, which are programs of their own, and a file
        # format of the tools.
        if path.name in ("doctor.cpp", "recording.h") or "probe" in path.parts:
            continue
        for number, line in lint.numbered_lines(lint.strip_comments_and_strings(lint.read(root, path))):
            for pattern, why in FORBIDDEN:
                match = pattern.search(line)
                if match:
                    problems.append(f"{path}:{number}: {match.group(0).strip()} {why}")
    return problems


GOOD = {
    "src/base/a.cpp": '// exit( and throw in a comment\nconst char* s = "abort()";\nint n = snprintf(b, 3, "x");\n'
                      "static_assert(sizeof(int) == 4);\nvoid on_exit_hook();\nint entry(int);\n",
    "src/base/c.cpp": "const char* s = secure_getenv(name);\nbool b = base::is_space(c) && is_digit(c);\n",
    "src/cli/a.cpp": "int main() { try { throw 1; } catch (int) { exit(2); } }\n",
}
BAD = {
    "src/queue/b.cpp": "void f() { exit(1); }\n",
    "src/queue/c.cpp": "void f() { _exit(1); }\n",
    "src/base/b.h": "inline void f() { std::abort(); }\n",
    "src/agent/b.cpp": "void f() { assert(x); }\n",
    "src/sched/b.cpp": "void f() { throw 1; }\n",
    "src/platform/opencl/shim/b.cpp": 'void f() { printf("x"); }\n',
    "src/ipc/b.cpp": "#include <iostream>\n",
    "src/platform/cuda/hal/b.cpp": "std::thread t;\n",
    "src/policy/hpf/b.cpp": "void f() { try {} catch (...) {} }\n",
    "src/ipc/c.cpp": 'const char* s = getenv("A");\n',
    "src/platform/cuda/hal/c.cpp": 'const char* s = std::getenv("A");\n',
    "src/platform/hip/shim/c.cpp": "bool b = std::isalnum(c);\n",
    "src/base/d.cpp": "bool b = strcasecmp(a, c) == 0;\n",
    "src/dispatch/b.cpp": "void f() { std::terminate(); }\n",
}
