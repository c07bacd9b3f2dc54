"""AMD's runtimes as Debian's packages, unpacked into a root folder for each version.

The packages are kept in the cache (tests/support/debian.py)."""
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import debian  # noqa: E402
from debian import Unavailable  # noqa: E402, F401


class Version:
    def __init__(self, name, suites, runtime):
        self.name = name  # "6": the runtime's major version
        self.suites = suites  # the last one is preferred
        self.packages = [f"libamdhip64-{name}", "libamdhip64-dev", f"libhiprtc{name}", f"libhiprtc-builtins{name}",
                         "libncursesw6", "linux-libc-dev",
                         "python3", "bash", "grep", "coreutils"]  # of the documents' programs
        self.runtime = runtime  # the version that the tests were written with


VERSIONS = [Version("6", ["sid"], "6.4.3"), Version("7", ["sid", "experimental"], "7.2.4")]


def cache():
    return debian.cache("real-rocm")


def fetch(version):
    """The folder with the packages of a version."""
    folder = cache() / version.name
    done, wanted = folder / "complete", " ".join(version.packages)
    if done.exists() and done.read_text() == wanted:
        return folder / "cache/archives"
    debian.check_tools()  # before anything is removed
    shutil.rmtree(folder, ignore_errors=True)
    apt = debian.Apt(folder, version.suites)
    apt.run("--download-only", "-t", version.suites[-1], "install", *version.packages)
    apt.forget_lists()
    done.write_text(wanted)
    return folder / "cache/archives"


def lay(version, root):
    """Unpacks a version's packages into a root folder, once."""
    packages = sorted(fetch(version).glob("*.deb"))
    done = root / ".laid"
    if done.exists() and done.read_text() == "\n".join(package.name for package in packages):
        return
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("dev", "etc", "proc", "run", "sys", "tmp", "usr/bin", "usr/lib64", "usr/sbin"):
        (root / folder).mkdir(parents=True)
    for link in ("bin", "lib", "lib64", "sbin"):
        (root / link).symlink_to("usr/" + link)
    for package in packages:
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    (root / "etc/ld.so.conf").write_text("/usr/lib/x86_64-linux-gnu\n")
    subprocess.run(["ldconfig", "-r", root], check=True, stderr=subprocess.DEVNULL)
    done.write_text("\n".join(package.name for package in packages))


def kernel_headers(root, folder):
    """Links to those of linux-libc-dev, without the C library's."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, place in (("linux", "linux"), ("drm", "drm"), ("asm-generic", "asm-generic"),
                        ("asm", "x86_64-linux-gnu/asm")):
        link = folder / name
        if link.is_symlink():
            link.unlink()
        link.symlink_to(root / "usr/include" / place)
    return folder
