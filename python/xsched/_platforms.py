"""The platforms that the package knows: its public modules that name a shim."""
import importlib
import pkgutil
from pathlib import Path
from types import ModuleType
from typing import Dict


def _found() -> Dict[str, ModuleType]:
    names = sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    modules = {name: importlib.import_module(f".{name}", __package__) for name in names if not name.startswith("_")}
    return {name: module for name, module in modules.items() if hasattr(module, "SHIM")}


PLATFORMS = _found()
