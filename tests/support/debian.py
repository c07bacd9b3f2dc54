"""Packages of Debian for tests alone: apt fetches them with lists and a state of its own, and nothing of the machine
changes. They are kept in $XDG_CACHE_HOME/xsched (~/.cache/xsched), so that they are fetched once."""
import os
import shutil
import subprocess
from pathlib import Path

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
FETCH_SECONDS = 600  # safety; 81 MB took 24 s on 2026-11-28


class Unavailable(Exception):
    """Why the packages cannot be had."""


def cache(name):
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "xsched" / name


def archive():
    """Where apt has Debian here."""
    wanted = ["--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian", "Label: Debian"]
    found = subprocess.run(["apt-get", "indextargets"] + wanted, capture_output=True, text=True).stdout.split()
    if not found:
        raise Unavailable("apt has no source of Debian's here, or \"apt-get update\" has not run")
    return found[0]


def check_tools():
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise Unavailable("apt-get or dpkg-deb is missing: it needs a Debian system")
    if not KEYRING.exists():
        raise Unavailable(f"{KEYRING} is missing: install debian-archive-keyring")


class Apt:
    """apt for some suites alone, with its state in a folder."""

    def __init__(self, folder, suites, kinds=("deb",)):
        check_tools()
        for needed in ("lists/partial", "cache/archives/partial"):
            (folder / needed).mkdir(parents=True, exist_ok=True)
        uri = archive()
        (folder / "sources").write_text("".join(f"{kind} [signed-by={KEYRING}] {uri} {suite} main\n"
                                                for kind in kinds for suite in suites))
        settings = {"Dir::Etc::SourceList": folder / "sources", "Dir::Etc::SourceParts": "/dev/null",
                    "Dir::State": folder, "Dir::State::Lists": folder / "lists", "Dir::State::status": "/dev/null",
                    "Dir::Cache": folder / "cache", "Dir::Cache::Archives": folder / "cache/archives",
                    "APT::Install-Recommends": "false", "APT::Sandbox::User": "root", "Debug::NoLocking": "true"}
        self.folder, self.file = folder, folder / "apt.conf"
        self.file.write_text("".join(f'{name} "{value}";\n' for name, value in settings.items()))
        self.run("update")

    def run(self, *arguments, where=None):
        try:
            result = subprocess.run(["apt-get", "-q", "-y", *arguments], cwd=where, text=True,
                                    env=dict(os.environ, APT_CONFIG=str(self.file)), stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, timeout=FETCH_SECONDS)
        except subprocess.TimeoutExpired as late:
            raise Unavailable(f"apt-get {arguments[0]} took more than {FETCH_SECONDS} s") from late
        if result.returncode != 0:
            lines = [line for line in result.stdout.splitlines() if line.startswith(("E:", "W:", "Err"))]
            raise Unavailable(f"apt-get {arguments[0]} failed: {lines[0] if lines else result.stdout[-200:]}")

    def forget_lists(self):
        """Removes the lists (200 MB for sid), which are not read again."""
        shutil.rmtree(self.folder / "lists", ignore_errors=True)
