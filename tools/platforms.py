#!/usr/bin/env python3
"""The platforms, as their folders describe them: a folder src/platform/<p> with a platform.json is one.

    platforms.py OUT      writes platforms.inc for C++, platform_options.def, the platforms' own options, and
                          platforms.json, the titles for an installed demo

A description has:
  title           for people
  order           where several are listed or loaded
  variable        the environment variable that names the vendor's library; or ""
  shim_also_in    an environment variable, beside LD_PRELOAD, that is to name the shim; or ""
  layer_switch    an environment variable that, as 1, turns the shim on as a layer of Vulkan's loader; the shim is then
                  not preloaded, and the loader finds it by a file (xsched_vulkan_layer); "" if it is left out
  libraries       the names of the vendor's library, the first for people
  pci_vendors     vendors, by their numbers in PCI, whose devices the interface is made for; none if it is left out
  nodes           device files, one of which is there if the kernel has the driver
  folders         where the shim looks besides the linker, which means something with such a node
  nodes_suffice   programs bring the library themselves, where no linker finds it
  trials          those of probe/trials.cpp, and "torch", that are steps of xcli doctor --run; one word each
  saved_files     what xcli doctor --run --save copies of the driver's files (surroundings.h); "" if it is left out
  most_level      the highest preempt level that they try
  vendor_headers  what the names of the vendor's headers begin with
  hal_exports, shim_exports   what libhal<p>.so and libshim<p>.so may export, and nothing else
"""
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ROOT / "src" / "platform"


def platforms(folder=FOLDERS):
    """{name: description}, in their order."""
    found = {path.parent.name: json.loads(path.read_text()) for path in Path(folder).glob("*/platform.json")}
    return dict(sorted(found.items(), key=lambda item: item[1]["order"]))


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "LIST(" + ", ".join(map(text, value)) + ")"
    return json.dumps(value)


def rows():
    fields = ("title", "variable", "shim_also_in", "layer_switch", "libraries", "pci_vendors", "nodes", "folders",
              "nodes_suffice", "trials", "most_level", "saved_files")
    left_out = {field: "" for field in fields} | {"pci_vendors": []}
    lines = ["// PLATFORM(name, " + ", ".join(fields) + "), the lists as LIST(...). Undefined afterwards."]
    for name, described in platforms().items():
        values = left_out | described
        lines.append(f"PLATFORM({name}, " + ", ".join(text(values[field]) for field in fields) + ")")
    return "\n".join(lines + ["#undef PLATFORM"]) + "\n"


def options():
    files = (FOLDERS / name / "options.def" for name in platforms())
    return "".join(path.read_text() for path in files if path.exists())


def write(path, content):
    if not path.exists() or path.read_text() != content:
        path.write_text(content)


if __name__ == "__main__":
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    write(out / "platforms.inc", rows())
    titles = {name: {"title": described["title"]} for name, described in platforms().items()}
    write(out / "platforms.json", json.dumps(titles) + "\n")
    write(out / "platform_options.def", options())
