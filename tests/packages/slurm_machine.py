"""A booted machine with a real Slurm (slurmctld, slurmd, slurmdbd, munge) and the plugin, as docs/SLURM.md sets it up:
an account with two users and a QOS, and control groups of Slurm's own.
"""
import json
import subprocess
import tempfile

from packages_test import DRIVER, GIVEN, OnMachines

SLURM = ("slurmctld", "slurmd", "slurm-client", "slurm-wlm-basic-plugins", "slurmdbd", "mariadb-server", "munge",
         "iproute2")
CONFIGURATION = """ClusterName=here
SlurmctldHost=localhost
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
ProctrackType=proctrack/cgroup
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
StateSaveLocation=/var/lib/slurm/state
SlurmdSpoolDir=/var/lib/slurm/spool
SlurmdParameters=config_overrides
SlurmdLogFile=/var/log/slurm/slurmd.log
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStorageEnforce=associations,qos
PreemptType=preempt/partition_prio
PreemptMode=SUSPEND,GANG
GresTypes=gpu,shard
NodeName=localhost NodeAddr=127.0.0.1 CPUs=16 RealMemory=2000 Gres=gpu:fake:1,shard:100 State=UNKNOWN
PartitionName=batch Nodes=localhost Default=YES State=UP OverSubscribe=FORCE:1 PriorityTier=1
PartitionName=urgent Nodes=localhost State=UP OverSubscribe=FORCE:1 PriorityTier=10
"""
DEVICES = """NodeName=localhost Name=gpu Type=fake File=/dev/null
NodeName=localhost Name=shard Count=100
"""
GROUPS = """CgroupPlugin=cgroup/v2
CgroupMountpoint=/sys/fs/cgroup
"""
ACCOUNTS = """AuthType=auth/munge
DbdHost=localhost
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=accounts
"""
CEILINGS = "highest-priority=20 partition/urgent:highest-priority=100 qos/fast:highest-priority=80"
ADDRESS = "10.0.0.1/32"  # the C library finds no host where the loopback's address is the only one
JOB_S = 12  # how long a job's program works
SEEN_S = 40  # safety: until something is to be seen
# Slurm's groups of version 2 are for machines without version 1. The kernel of this machine has both, and a namespace
# hides the mounts of version 1 but not its lines. This library, preloaded into slurmd, leaves them out.
VERSION_2_ALONE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int without_version_1(void) {
    char line[4096];
    FILE *groups = fopen("/proc/self/task/../cgroup", "r");
    const int file = memfd_create("cgroup", 0);
    while (groups && fgets(line, sizeof line, groups))
        if (strncmp(line, "0::", 3) == 0 && write(file, line, strlen(line)) < 0) break;
    if (groups) fclose(groups);
    lseek(file, 0, SEEK_SET);
    return file;
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const int mode = va_arg(more, int);
    va_end(more);
    if (strcmp(path, "/proc/self/cgroup") == 0) return without_version_1();
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    return next(path, flags, mode);
}
"""
# Holds so many MiB of the device for so long, and says whether each block has kept its contents. With a third word it
# always has work on the device.
MEMORY = """
import ctypes, sys, time
cuda, BLOCK = ctypes.CDLL(None), 16 << 20
context, stream, word = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint()
def check(code, what):
    if code: sys.exit(f"{what} returned {code}")
check(cuda.cuInit(0), "cuInit")
check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0), "cuCtxCreate")
check(cuda.cuStreamCreate(ctypes.byref(stream), 1), "cuStreamCreate")
blocks = [ctypes.c_uint64() for _ in range(int(sys.argv[1]) // 16)]
for block in blocks: check(cuda.cuMemAlloc_v2(ctypes.byref(block), ctypes.c_size_t(BLOCK)), "cuMemAlloc")
print("holds", flush=True)
end, rounds = time.monotonic() + float(sys.argv[2]), 0
while time.monotonic() < end:
    for number, block in list(enumerate(blocks)) * (100 if sys.argv[3:] else 1):
        words = ctypes.c_size_t(BLOCK // 4 if sys.argv[3:] else 64)
        check(cuda.cuMemsetD32Async(block, ctypes.c_uint(rounds + number), words, stream), "set")
    check(cuda.cuStreamSynchronize(stream), "synchronize")
    time.sleep(0.01)
    for number, block in enumerate(blocks):
        check(cuda.cuMemcpyDtoH_v2(ctypes.byref(word), block, ctypes.c_size_t(4)), "copy")
        if word.value != rounds + number: sys.exit(f"{word.value} instead of {rounds + number}")
    rounds += 1
print("right", flush=True)
"""


def make_library(place):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write(VERSION_2_ALONE)
        source.flush()
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", source.name, "-o", place, "-ldl"], check=True)


class SlurmMachine(OnMachines):
    PACKAGES = SLURM

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.machine.install(*cls.machine.take(sorted(GIVEN.debs.glob("slurm/xsched-slurm_*.deb"))))
        for name in ("ann", "ben"):
            cls.machine.run("useradd", "--create-home", name)
        cls.write_configuration()
        cls.machine.run("mkdir", "-p", "/var/lib/slurm/state", "/var/lib/slurm/spool", "/var/log/slurm")
        cls.machine.version_2 = True
        cls.boot()
        cls.make_accounts()
        cls.start_slurm()

    @classmethod
    def write_configuration(cls):
        root = cls.machine.root
        etc = root / "etc/slurm"
        (etc / "slurm.conf").write_text(CONFIGURATION)
        (etc / "gres.conf").write_text(DEVICES)
        (etc / "cgroup.conf").write_text(GROUPS)
        (etc / "slurmdbd.conf").write_text(ACCOUNTS)
        (etc / "slurmdbd.conf").chmod(0o600)
        plugin = cls.machine.run("sh", "-c", "dpkg -L xsched-slurm | grep '/xsched.so$'").stdout.strip()
        (etc / "plugstack.conf").write_text(f"required {plugin} {CEILINGS}\n")
        (root / "media/memory.py").write_text(MEMORY)
        make_library(root / "media/version_2_alone.so")
        for service, setting in (("slurmd", "Environment=LD_PRELOAD=/media/version_2_alone.so"),
                                 ("slurmdbd", "User=root"), ("slurmctld", "User=root")):
            drop_in = root / f"etc/systemd/system/{service}.service.d"
            drop_in.mkdir(parents=True)
            (drop_in / "here.conf").write_text(f"[Service]\n{setting}\n")

    @classmethod
    def boot(cls):
        cls.machine.boot()
        cls.machine.run("mkdir", "-m", "1777", "/tmp/device")
        cls.machine.run("ip", "address", "add", ADDRESS, "dev", "lo")

    @classmethod
    def start_accounting(cls):
        """Once the machine has its address: a slurmdbd that began before it does not listen, and slurmctld waits."""
        cls.machine.run("systemctl", "restart", "munge", "mariadb", "slurmdbd")
        cls.until("slurmdbd answers", lambda: cls.machine.run("sacctmgr", "-n", "show", "cluster", ok=False)
                  .returncode == 0)

    @classmethod
    def make_accounts(cls):
        cls.start_accounting()
        for words in ("cluster here", "account lab cluster=here", "qos fast", "user ann account=lab",
                      "user ben account=lab qos+=fast"):
            cls.machine.run("sacctmgr", "-i", "add", *words.split())

    @classmethod
    def start_slurm(cls):
        cls.machine.run("systemctl", "restart", "slurmctld", "slurmd")
        cls.until("the node answers", lambda: cls.machine.run("sinfo", "-h", "-o", "%T", ok=False).stdout.split()[:1]
                  in (["idle"], ["mixed"]))

    @classmethod
    def until(cls, what, holds, seconds=SEEN_S):
        """Waits until `holds` returns something true; returns it."""
        for _ in cls.machine.until(seconds):
            if result := holds():
                return result
        said = cls.machine.run("sh", "-c", "journalctl -n 40 -u slurmd -u slurmctld -u slurmdbd -u xserver; squeue; "
                               "xcli list; xcli status --limits", ok=False).stdout
        raise AssertionError(f"after {seconds} s: {what}: {said}")

    def tearDown(self):
        self.machine.run("sh", "-c", "for user in ann ben; do scancel -u $user; done")
        self.until("no job is left", lambda: not self.machine.run("squeue", "-h").stdout.strip())

    def submit(self, user, *options, seconds=JOB_S, program=None, ok=True, **environment):
        """Submits a job whose program keeps the device busy; returns its number."""
        program = program or f"srun --overlap /media/guest cuda none {seconds}"
        words = ["sbatch", "--parsable", f"--output=/tmp/{user}-%j", *options, "--wrap", program]
        done = self.machine.run("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "env", "-C", "/tmp",
                                *words, HOME=f"/home/{user}", ok=ok, **(environment or DRIVER))
        return done.stdout.strip().splitlines()[-1]

    def queues(self):
        done = self.machine.run("xcli", "list", "--json", ok=False)
        return json.loads(done.stdout)["queues"] if done.returncode == 0 else []

    def priorities(self):
        """The priority of each program."""
        return sorted({queue["pid"]: queue["priority"] for queue in self.queues()}.values())

    def state(self, job):
        return self.machine.run("squeue", "-h", "-j", job, "-o", "%T", ok=False).stdout.strip()

    def said(self, user, job):
        return self.machine.run("cat", f"/tmp/{user}-{job}", ok=False).stdout

    def expect_right(self, user, job):
        self.until(f"job {job} ends", lambda: not self.state(job).replace("COMPLETED", ""))
        said = self.said(user, job)
        self.assertEqual(said.splitlines()[-1:], ["right"], said)
