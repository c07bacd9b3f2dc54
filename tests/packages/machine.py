"""A machine to install packages on: a Debian root of its own, with systemd as its first process if it is booted.

Roots are made by debootstrap when they are first needed, and kept in $XSCHED_ROOTS (default: ~/.cache/xsched/roots)
as SUITE-packages. Each test works on a copy.
"""
import fcntl
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

MAKING_S = 900  # safety; a root took 70 s on an idle machine
RUNNING_S = 300
INSIDE = ("systemd", "systemd-sysv", "dbus", "ca-certificates", "procps")
CLEAN = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TERM": "dumb", "HOME": "/root",
         "DEBIAN_FRONTEND": "noninteractive"}
# The root becomes the machine's / in namespaces of its own; its first process ends everything in them.
BOOT = """
set -e
mount --bind "$1" "$1"; cd "$1"
mount -t proc proc proc; mount --rbind /sys sys; mount -t tmpfs tmpfs run; mount -t tmpfs tmpfs tmp
mount -t tmpfs -o mode=755 dev dev
for device in null zero full random urandom tty; do cp -a /dev/$device dev/; done
mkdir -p dev/shm dev/pts .old
mount -t tmpfs -o mode=1777 shm dev/shm; mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
: > dev/console
if [ "$2" ]; then umount -R sys/fs/cgroup; mount -t cgroup2 groups sys/fs/cgroup; fi
pivot_root . .old
umount -l /.old
exec /lib/systemd/systemd --system --log-target=console
"""


def apt_sources(suite):
    """Lines for sources.list: where this machine's apt has Debian from, its updates and security included."""
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages"],
                            text=True, stdout=subprocess.PIPE).stdout.split("\n")
    places = {tuple(line.split()) for line in listed if line}
    here = next((release for _, release in places if "-" not in release), None)
    return sorted({f"deb {place} {release.replace(here, suite)} main" for place, release in places
                   if here and (release == here or release.startswith(here + "-"))})


def why_not():
    """Why no such machine can be made here; None: one can."""
    if os.geteuid() != 0:
        return "debootstrap and chroot need root"
    if shutil.which("debootstrap") is None:
        return "debootstrap is not installed (scripts/install_deps.sh roots)"
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        return "this machine does not allow namespaces of mounts and processes"
    return None if apt_sources("bookworm") else "apt has no Debian archive here"


def kept_root(suite):
    """The folder of the suite's root. RuntimeError: why there is none."""
    kept = Path(os.environ.get("XSCHED_ROOTS") or Path.home() / ".cache" / "xsched" / "roots")
    kept.mkdir(parents=True, exist_ok=True)
    with (kept / f"{suite}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests that run side by side make one root
        root = kept / f"{suite}-packages"
        if not root.exists():
            make_root(suite, root)
        return root


def make_root(suite, root):
    kept = root.parent
    making = Path(tempfile.mkdtemp(prefix=f"{suite}-", dir=kept))
    sources = apt_sources(suite)
    mirror = next(line.split()[1] for line in sources if line.split()[2] == suite)
    try:
        done = subprocess.run(["unshare", "--mount", "--propagation", "private", "debootstrap", "--variant=minbase",
                               "--include=" + ",".join(INSIDE), suite, making, mirror], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=MAKING_S)
        if done.returncode != 0:
            raise RuntimeError(f"debootstrap of {suite}: {done.stdout.strip().splitlines()[-1]}")
        (making / "etc/apt/sources.list").write_text("\n".join(sources) + "\n")
        shown = subprocess.run(["apt-config", "dump"], text=True, stdout=subprocess.PIPE).stdout
        settings = [line for line in shown.splitlines() if re.match(r"Acquire::(http|https|ftp)::", line)]
        (making / "etc/apt/apt.conf.d/90host").write_text("\n".join(settings) + "\n")
        making.chmod(0o755)  # the folder is the machine's /, which all users may enter
        making.rename(root)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"debootstrap of {suite} was not ready after {MAKING_S} s") from None
    finally:
        shutil.rmtree(making, ignore_errors=True)


class Machine:
    """A copy of a suite's root. `run` works before and after `boot`; then in the booted machine."""

    # If true, the booted machine sees control groups of version 2 alone, as Debian's machines do, in a tree of its own.
    # Their controllers stay with version 1 if the kernel has both.
    version_2 = False

    def __init__(self, suite):
        self.folder = Path(tempfile.mkdtemp(prefix="xsched-machine-", dir="/var/tmp"))
        self.root = self.folder / "root"
        subprocess.run(["cp", "-a", "--reflink=auto", kept_root(suite), self.root], check=True)
        for name in ("resolv.conf", "hosts"):
            shutil.copyfile(f"/etc/{name}", self.root / "etc" / name)
        self.systemd = None
        self.console = self.folder / "console.log"

    def take(self, files, place="media"):
        """Copies files into a folder of the machine; returns their paths in it."""
        for file in files:
            shutil.copy2(file, self.root / place)
        return [f"/{place}/{Path(file).name}" for file in files]

    def run(self, *words, ok=True, timeout=RUNNING_S, **environment):
        """Runs a command; returns its result, with standard output and error together."""
        if self.systemd:
            enter = ["nsenter", "-t", str(self.first_pid()), "-m", "-p", "-u", "-i", "-n", "-C"]
        else:
            script = ('root=$1; shift; mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && '
                      'exec chroot "$root" "$@"')
            enter = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private",
                     "bash", "-c", script, "bash", str(self.root)]
        done = subprocess.run([*enter, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, timeout=timeout, env={**CLEAN, **environment})
        if ok and done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: ended with {done.returncode}:\n{done.stdout}")
        return done

    def install(self, *packages):
        self.run("apt-get", "-qq", "install", "-y", "--no-install-recommends", *packages)

    def first_pid(self):
        """The process on this machine that is the first of the booted one; 0: it has not begun."""
        children = Path(f"/proc/{self.systemd.pid}/task/{self.systemd.pid}/children").read_text().split()
        return int(children[0]) if children else 0

    def boot(self, seconds=90):
        """Starts systemd; returns once it has reached its default target or called itself degraded."""
        enter = []
        if self.version_2:
            self.group.mkdir(exist_ok=True)
            enter = ["sh", "-c", f'echo $$ > {self.group}/cgroup.procs; exec "$@"', "sh"]
        with self.console.open("w") as console:
            self.systemd = subprocess.Popen(
                [*enter, "unshare", "--fork", "--pid", "--mount", "--uts", "--ipc", "--net", "--cgroup", "--kill-child",
                 "--propagation", "private", "bash", "-c", BOOT, "bash", str(self.root),
                 "yes" if self.version_2 else ""],
                env={"container": "xsched", "PATH": CLEAN["PATH"]}, stdin=subprocess.DEVNULL, stdout=console,
                stderr=subprocess.STDOUT)
        state = ""
        for _ in self.until(seconds):
            if self.first_pid() == 0:
                continue
            state = self.run("systemctl", "is-system-running", ok=False).stdout.strip()
            if state in ("running", "degraded"):
                return
        raise AssertionError(f"systemd is {state!r} after {seconds} s:\n{self.console.read_text()[-3000:]}")

    @staticmethod
    def until(seconds, every=0.2):
        """Yields until the time is over."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            yield
            time.sleep(every)

    def files(self):
        """All paths of the machine but those that dpkg, apt and logs change by themselves."""
        changing = re.compile(r"^(var/(lib/dpkg|lib/apt|cache|log|tmp|lib/systemd)|run|tmp|proc|sys|dev|media|\.old"
                              r"|etc/ld\.so\.cache)")
        found = set()
        for here, folders, names in os.walk(self.root):
            for name in folders + names:
                path = os.path.relpath(os.path.join(here, name), self.root)
                if not changing.match(path) and "__pycache__" not in path:
                    found.add(path)
        return found

    @property
    def group(self):
        """The control group in which the machine's groups are, if it sees version 2 alone."""
        groups = Path("/sys/fs/cgroup")
        return (groups / "unified" if (groups / "unified").exists() else groups) / self.folder.name

    def stop(self):
        """Ends a booted machine at once, as a power failure does. It can be booted again."""
        if self.systemd:
            self.systemd.send_signal(signal.SIGKILL)  # and with it all that runs in its namespaces
            self.systemd.wait(30)
            self.systemd = None
        for _ in self.until(10):  # the processes may not be gone yet
            subprocess.run(["find", self.group, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"],
                           stderr=subprocess.DEVNULL)
            if not self.group.exists():
                return

    def end(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
