"""Suggestions for names that are misspelt."""
import difflib
from typing import Any, Iterable


def meant(name: str, known: Iterable[str]) -> str:
    """Returns "; did you mean 'priority'?", or "" if no known name is near."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


class OnlyKnownNames:
    """Setting an attribute that the class does not have is an error that names the nearest one. Otherwise a misspelt
    setting would have no effect, and nothing would say so. A class that a program derives may have any attribute."""

    def __setattr__(self, name: str, value: Any) -> None:
        kind = type(self)
        if not name.startswith("_") and kind.__module__.partition(".")[0] == __package__:
            known = [one for one in dir(kind) if not one.startswith("_") and hasattr(getattr(kind, one), "__set__")]
            if name not in known and hasattr(kind, name):
                raise AttributeError(f"{kind.__name__}.{name} is a method: call it")
            if name not in known:
                raise AttributeError(f"{kind.__name__} has no attribute {name!r}{meant(name, known)}")
        super().__setattr__(name, value)
