"""AMD's runtimes as Debian's packages, unpacked into a root folder for each version.

The packages come from where this machine's apt has Debian. They are kept in $XDG_CACHE_HOME/xsched (~/.cache/xsched),
so that they are fetched once. apt gets lists and a state of its own: nothing of the machine's changes."""
import os
import shutil
import subprocess
from pathlib import Path

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
FETCH_SECONDS = 600  # for one version; it took 24 s on 2026-11-28 (81 MB)


class Unavailable(Exception):
    """Why the packages cannot be had."""


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
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "xsched" / "real-rocm"


def archive():
    """Where apt has Debian here."""
    wanted = ["--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian", "Label: Debian"]
    found = subprocess.run(["apt-get", "indextargets"] + wanted, capture_output=True, text=True).stdout.split()
    if not found:
        raise Unavailable("apt has no source of Debian's here, or \"apt-get update\" has not run")
    return found[0]


def configuration(version, folder):
    """apt's, for these suites alone."""
    folder.mkdir(parents=True, exist_ok=True)
    for needed in ("lists/partial", "cache/archives/partial"):
        (folder / needed).mkdir(parents=True, exist_ok=True)
    uri = archive()
    (folder / "sources").write_text("".join(f"deb [signed-by={KEYRING}] {uri} {suite} main\n"
                                            for suite in version.suites))
    settings = {"Dir::Etc::SourceList": folder / "sources", "Dir::Etc::SourceParts": "/dev/null",
                "Dir::State": folder, "Dir::State::Lists": folder / "lists", "Dir::State::status": "/dev/null",
                "Dir::Cache": folder / "cache", "Dir::Cache::Archives": folder / "cache/archives",
                "APT::Install-Recommends": "false", "APT::Sandbox::User": "root", "Debug::NoLocking": "true"}
    file = folder / "apt.conf"
    file.write_text("".join(f'{name} "{value}";\n' for name, value in settings.items()))
    return file


def apt(file, *arguments):
    result = subprocess.run(["apt-get", "-q", "-y", *arguments], env=dict(os.environ, APT_CONFIG=str(file)), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=FETCH_SECONDS)
    if result.returncode != 0:
        lines = [line for line in result.stdout.splitlines() if line.startswith(("E:", "W:", "Err"))]
        raise Unavailable(f"apt-get {arguments[0]} failed: {lines[0] if lines else result.stdout[-200:]}")


def fetch(version):
    """The folder with the packages of a version."""
    folder = cache() / version.name
    done, wanted = folder / "complete", " ".join(version.packages)
    if done.exists() and done.read_text() == wanted:
        return folder / "cache/archives"
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise Unavailable("apt-get or dpkg-deb is missing: it needs a Debian system")
    if not KEYRING.exists():
        raise Unavailable(f"{KEYRING} is missing: install debian-archive-keyring")
    shutil.rmtree(folder, ignore_errors=True)
    file = configuration(version, folder)
    try:
        apt(file, "update")
        apt(file, "--download-only", "-t", version.suites[-1], "install", *version.packages)
    except subprocess.TimeoutExpired as late:
        raise Unavailable(f"the packages took more than {FETCH_SECONDS} s") from late
    shutil.rmtree(folder / "lists", ignore_errors=True)  # 200 MB, which are not read again
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
