#!/usr/bin/env python3
"""Prints the reference of the Python package as Markdown, from its docstrings and signatures."""
import enum
import inspect
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import xsched  # noqa: E402

FIRST = ("priority", "Queue", "set_scheduler", "set_timeslice", "programs", "queues", "status", "explain")


def text_of(thing):
    """Returns the docstring as Markdown: its indented examples become code."""
    return inspect.getdoc(thing) or ""


def signature(thing):
    try:
        return str(inspect.signature(thing)).replace("typing.", "").replace("NoneType", "None")
    except (TypeError, ValueError):
        return "(...)"


def fields_of(kind):
    """Returns a table of a dataclass's fields. Their meanings: docs/json.md."""
    rows = [f"| `{field.name}` | `{getattr(field.type, '__name__', field.type)}` |" for field in fields(kind)]
    return "| field | type |\n|---|---|\n" + "\n".join(rows).replace("typing.", "")


def members_of(kind):
    lines = []
    for name, member in vars(kind).items():
        if name.startswith("_") or not inspect.getdoc(member):
            continue
        function = member.__func__ if isinstance(member, (staticmethod, classmethod)) else member
        shown = f"{name}{signature(function)}" if inspect.isfunction(function) else name
        lines.append(f"- `{shown}`: {' '.join(text_of(member).split())}")
    return "\n".join(lines)


def entry(name, thing):
    if inspect.isclass(thing) and issubclass(thing, enum.IntEnum):
        return f"### {name}\n\n" + ", ".join(f"`{each.name}`" for each in thing)
    parts = [f"### {name}", f"```\nxsched.{name}{signature(thing)}\n```", text_of(thing)]
    if is_dataclass(thing):
        parts.append(fields_of(thing))
    elif inspect.isclass(thing):
        parts.append(members_of(thing))
    return "\n\n".join(part for part in parts if part)


def is_error(thing):
    return inspect.isclass(thing) and issubclass(thing, BaseException)


def sections():
    """Returns the titles and names of the sections."""
    public = {name: getattr(xsched, name) for name in xsched.__all__}
    called = {name: thing for name, thing in public.items() if callable(thing)}
    raised = [name for name, thing in called.items() if is_error(thing)]
    told = [name for name, thing in called.items() if is_dataclass(thing)]
    numbers = [name for name, thing in called.items() if inspect.isclass(thing) and issubclass(thing, enum.IntEnum)]
    rest = [name for name in called if name not in {*FIRST, *raised, *told, *numbers, "XSched"}]
    return called, [("Every day", list(FIRST)), ("More", rest), ("Errors", raised), ("Answers of the server", told),
                    ("Numbers of the C interface", numbers), ("The C interface", ["XSched"])]


def page():
    called, parts = sections()
    lines = ["# Python: every function", inspect.getdoc(xsched)]
    for title, names in parts:
        lines += [f"## {title}", *(entry(name, called[name]) for name in names)]
    return "\n\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page())
