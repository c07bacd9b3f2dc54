"""1.1: the sources build and install, and both libraries are there."""
import os
import re
import shutil
import subprocess
import time

from context import Outcome, verdict
from lib import report

ID, NAME, PASSES = "1.1", "build and install", "both libraries exist"
MOST_SECONDS = 300            # asked of a build
TIMEOUT_SECONDS = 900
PAPER_LINES = {"shim": 316, "level 1": 841}


def lines_of_code(folder):
    """Lines that are neither empty nor comments alone."""
    count = 0
    for path in folder.rglob("*") if folder.is_dir() else []:
        if path.suffix in (".cpp", ".h", ".c"):
            text = re.sub(r"/\*.*?\*/", "", path.read_text(errors="replace"), flags=re.S)
            count += sum(bool(line.strip()) and not line.strip().startswith("//") for line in text.splitlines())
    return count


def platform_lines(platform, part):
    """Searches the platform's own code, and the code that platforms with streams share if it is one."""
    folders = report.ROOT / "src" / "platform"
    streams = "xsched_stream_shim" in (folders / platform / "shim" / "CMakeLists.txt").read_text()
    wings = [platform, *(["stream"] if streams else [])]
    return sum(lines_of_code(folders / wing / part) for wing in wings)


def build(platform, folder):
    """Seconds of a build and an installation from the sources; raises subprocess errors."""
    began = time.monotonic()
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    steps = [["cmake", "-S", report.ROOT, "-B", folder / "build", *generator, "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
              f"-DXSCHED_PLATFORM={platform}", f"-DCMAKE_INSTALL_PREFIX={folder / 'installed'}",
              "-DXSCHED_BUILD_TESTS=OFF", "-DXSCHED_BUILD_BENCH=OFF"],
             ["cmake", "--build", folder / "build", "-j", str(os.cpu_count())],
             ["cmake", "--install", folder / "build"]]
    for step in steps:
        subprocess.run(step, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       timeout=TIMEOUT_SECONDS)
    return time.monotonic() - began


def can_build():
    return (report.ROOT / "CMakeLists.txt").exists() and (report.ROOT / "src").is_dir() and shutil.which("cmake") and (
        shutil.which("c++") or shutil.which("g++"))


def run(context):
    platform, notes = context.backend.name, []
    wanted = ["libpreempt.so", f"libhal{platform}.so", f"libshim{platform}.so"]
    shim_lines, level_1_lines = platform_lines(platform, "shim"), platform_lines(platform, "hal")
    metrics = {"shim_loc": shim_lines, "lv1_loc": level_1_lines,  # the documents' names
               "lines_of_code": {"shim": shim_lines, "level 1": level_1_lines}, "paper_lines_of_code": PAPER_LINES}
    if can_build():
        folder = context.session.folder / "installation"
        try:
            metrics["build_and_install_s"] = build(platform, folder)
            metrics["compilation_time_sec"] = round(metrics["build_and_install_s"], 1)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            return Outcome("failed", metrics, [f"{error}: {str(error.stdout)[-1500:]}"])
        libraries = folder / "installed" / "lib"
        found = {name: any((folder / "installed").rglob(name)) for name in wanted}
    else:
        libraries = context.session.build / "lib"
        found = {name: (libraries / name).exists() for name in wanted}
        notes.append("there is no compiler or no source here: the libraries of the given build were looked at")
    metrics["libraries"] = found
    quick = metrics.get("build_and_install_s", 0) <= MOST_SECONDS
    took = f"in {metrics['build_and_install_s']:.0f} s; " if "build_and_install_s" in metrics else ""
    there = all(found.values())
    return Outcome(verdict(there and quick), metrics, notes,
                   f"{took}{sum(found.values())} of {len(found)} libraries; shim "
                   f"{metrics['lines_of_code']['shim']} lines",
                   timing=there and not quick)
