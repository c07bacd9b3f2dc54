"""Puts XSched's libraries into the wheel, as xsched/lib. They are those of a build of this tree:

  XSCHED_BUILD=FOLDER  where it is; without it ../build/release, which is configured if there is none

Libraries that the build does not have yet are compiled: this takes what `scripts/install_deps.sh build` installs. The
wheel runs with every glibc from the floor of the libraries on (cmake/floor.cmake). The tools and the server are not in
it, since they are this system's programs."""
import os
import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel  # setuptools 70.1 and later
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("XSCHED_BUILD") or ROOT / "build" / "release").resolve()
CACHE = BUILD / "CMakeCache.txt"


def cmake(*words):
    subprocess.run(["cmake", *map(str, words)], check=True, cwd=ROOT)


def install_libraries(prefix):
    if not CACHE.exists():
        cmake("--preset", "release", "-B", BUILD)
    cmake("--build", BUILD, "--parallel", len(os.sched_getaffinity(0)), "--target", "libraries")
    cmake("--install", BUILD, "--prefix", prefix, "--component", "libraries", "--strip")


def copy_libraries(libraries, to):
    """Copies each under the name that programs load it by, since a wheel has no links."""
    for library in sorted(libraries.rglob("*.so*")):
        name = re.sub(r"(\.so\.\d+)[.\d]*$", r"\1", library.name)
        place = to / library.parent.relative_to(libraries)
        wanted = library.parent == libraries / "xsched" or ".so." in name
        if wanted and not library.is_symlink():
            place.mkdir(parents=True, exist_ok=True)
            shutil.copy2(library, place / name)


class WithLibraries(build_py):
    def run(self):
        super().run()
        with tempfile.TemporaryDirectory(prefix="xsched-wheel-") as prefix:
            install_libraries(prefix)
            libdir = re.search(r"^CMAKE_INSTALL_LIBDIR:\w+=(.*)$", CACHE.read_text(), re.M).group(1)
            copy_libraries(Path(prefix) / libdir, Path(self.build_lib) / "xsched" / "lib")


class ForTheFloor(bdist_wheel):
    def get_tag(self):
        """Names any Python 3, and the oldest glibc: https://peps.python.org/pep-0600."""
        floor = re.search(r"^XSCHED_GLIBC_FLOOR:\w+=(\d+)\.(\d+)$", CACHE.read_text(), re.M)
        if floor is None:
            return "py3", "none", f"linux_{platform.machine()}"
        return "py3", "none", f"manylinux_{floor.group(1)}_{floor.group(2)}_{platform.machine()}"


class NotPure(Distribution):
    def has_ext_modules(self):
        return True


setup(distclass=NotPure, cmdclass={"build_py": WithLibraries, "bdist_wheel": ForTheFloor})
