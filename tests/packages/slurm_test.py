#!/usr/bin/env python3
"""XSched's plugin under a real Slurm (slurmctld, slurmd, munge), on a booted machine with the packages and their
service, as docs/SLURM.md sets it up.

  slurm_test.py --debs FOLDER --build BUILD [unittest's arguments]
"""
import json
import time
import unittest

import packages_test
from packages_test import DRIVER, GIVEN, OnMachines

SLURM = ("slurmctld", "slurmd", "slurm-client", "slurm-wlm-basic-plugins", "munge", "iproute2")
CONFIGURATION = """ClusterName=here
SlurmctldHost=localhost
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
StateSaveLocation=/var/lib/slurm/state
SlurmdSpoolDir=/var/lib/slurm/spool
SlurmdParameters=config_overrides
GresTypes=gpu,shard
NodeName=localhost NodeAddr=127.0.0.1 CPUs=16 RealMemory=2000 Gres=gpu:fake:1,shard:100 State=UNKNOWN
PartitionName=batch Nodes=localhost Default=YES State=UP OverSubscribe=FORCE
PartitionName=urgent Nodes=localhost State=UP OverSubscribe=FORCE
"""
DEVICES = """NodeName=localhost Name=gpu Type=fake File=/dev/null
NodeName=localhost Name=shard Count=100
"""
CEILINGS = "highest-priority=20 partition/urgent:highest-priority=100"
ADDRESS = "10.0.0.1/32"  # the C library finds no host where the loopback's address is the only one
JOB_S = 12  # how long a job's program works
SEEN_S = 40  # safety: until something is to be seen


class Slurm(OnMachines):
    PACKAGES = SLURM

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.machine.install(*cls.machine.take(sorted(GIVEN.debs.glob("slurm/xsched-slurm_*.deb"))))
        for name in ("ann", "ben"):
            cls.machine.run("useradd", "--create-home", name)
        etc = cls.machine.root / "etc/slurm"
        (etc / "slurm.conf").write_text(CONFIGURATION)
        (etc / "gres.conf").write_text(DEVICES)
        plugin = cls.machine.run("sh", "-c", "dpkg -L xsched-slurm | grep '/xsched.so$'").stdout.strip()
        (etc / "plugstack.conf").write_text(f"required {plugin} {CEILINGS}\n")
        cls.machine.run("mkdir", "-p", "/var/lib/slurm/state", "/var/lib/slurm/spool", "/var/log/slurm")
        cls.machine.boot()
        cls.machine.run("mkdir", "-m", "1777", "/tmp/device")
        cls.machine.run("ip", "address", "add", ADDRESS, "dev", "lo")
        cls.machine.run("systemctl", "restart", "munge", "slurmctld", "slurmd")
        for _ in cls.machine.until(SEEN_S):
            if "idle" in cls.machine.run("sinfo", "-h", "-o", "%T", ok=False).stdout:
                return
        raise AssertionError(cls.machine.run("journalctl", "-u", "slurmctld", "-u", "slurmd").stdout[-3000:])

    def tearDown(self):
        self.machine.run("scancel", "--me", "--user=ann", "--user=ben", ok=False)
        self.machine.run("sh", "-c", "for user in ann ben; do scancel -u $user; done")
        self.wait("no job is left", lambda: not self.machine.run("squeue", "-h").stdout.strip())

    def wait(self, what, holds):
        """Waits until `holds` returns something true; returns it."""
        for _ in self.machine.until(SEEN_S):
            if result := holds():
                return result
        raise AssertionError(f"after {SEEN_S} s: {what}: {self.said()}")

    def said(self):
        return self.machine.run("sh", "-c", "journalctl -u slurmd -n 30; squeue; xcli list; xcli status --limits",
                                ok=False).stdout

    def submit(self, user, *options, seconds=JOB_S, **environment):
        """Submits a job whose program keeps the device busy; returns its number."""
        environment = environment or DRIVER
        words = ["sbatch", "--parsable", f"--output=/tmp/{user}-%j", *options, "--wrap",
                 f"srun --overlap /media/guest cuda none {seconds}"]
        done = self.machine.run("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "env", "-C", "/tmp",
                                *words, HOME=f"/home/{user}", **environment)
        return done.stdout.strip().splitlines()[-1]

    def queues(self):
        done = self.machine.run("xcli", "list", "--json", ok=False)
        return json.loads(done.stdout)["queues"] if done.returncode == 0 else []

    def priorities(self):
        """The priority of each program."""
        return sorted({queue["pid"]: queue["priority"] for queue in self.queues()}.values())

    def expect_right(self, user, job):
        self.wait(f"job {job} ends", lambda: not self.machine.run("squeue", "-h", "-j", job, ok=False).stdout.strip())
        said = self.machine.run("cat", f"/tmp/{user}-{job}").stdout
        self.assertEqual(said.splitlines()[-1:], ["right"], said)

    def test_its_options_are_in_the_help_and_wrong_values_are_refused(self):
        said = self.machine.run("srun", "--help").stdout
        for name in ("priority", "share", "limit", "latency", "evictable", "memory-limit"):
            self.assertIn(f"--xsched-{name}", said)
        self.assertIn("--no-xsched", said)
        for command in (["srun"], ["sbatch", "--wrap"]):
            done = self.machine.run(*command[:1], "--xsched-priority=300", *command[1:], "true", ok=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn('a whole number from -256 to 255, not "300"', done.stdout)

    def test_a_partition_has_its_ceiling_and_shards_are_the_share(self):
        ann = self.submit("ann", "--partition=batch", "--xsched-priority=50", "--gres=shard:30")
        ben = self.submit("ben", "--partition=urgent", "--xsched-priority=50", "--gres=shard:60")
        self.wait("both are scheduled", lambda: self.priorities() == [50, 50])
        given = {(queue["share"], queue["group_gets"]["highest_priority"]) for queue in self.queues()}
        self.assertEqual(given, {(30, 20), (60, 100)}, "each partition has its ceiling")
        self.expect_right("ann", ann)
        self.expect_right("ben", ben)
        self.wait("the ceilings are taken back",
                  lambda: not self.machine.run("ls", "/run/xsched-slurm").stdout.strip())
        left = self.machine.run("sh", "-c", "find /sys/fs/cgroup -type d -name 'job_*'").stdout
        self.assertEqual(left.strip(), "")

    def test_a_job_without_it_is_not_scheduled(self):
        job = self.submit("ann", "--no-xsched", seconds=3, LD_PRELOAD="/media/libfakecuda.so")
        self.expect_right("ann", job)
        self.assertEqual(self.priorities(), [])

    def test_a_node_without_xcli_runs_jobs_unscheduled(self):
        self.machine.run("mv", "/usr/bin/xcli", "/usr/bin/elsewhere")
        self.addCleanup(self.machine.run, "mv", "/usr/bin/elsewhere", "/usr/bin/xcli")
        job = self.submit("ann", "--partition=urgent", seconds=3, LD_PRELOAD="/media/libfakecuda.so")
        self.expect_right("ann", job)
        said = self.machine.run("sh", "-c", f"journalctl -u slurmd; cat /tmp/ann-{job}").stdout
        self.assertIn("/usr/bin/xcli is not on this node: the job runs unscheduled", said)
        self.assertIn("highest-priority=100 failed: the ceiling does not hold", said)

    def test_the_jobs_of_an_array(self):
        job = self.submit("ann", "--array=0-2", "--xsched-priority=5")
        self.wait("three are scheduled", lambda: self.priorities() == [5, 5, 5])
        self.machine.run("scancel", job)
        self.wait("none is left", lambda: not self.queues())

    def test_a_suspended_job_lets_others_on(self):
        urgent = self.submit("ben", "--partition=urgent", "--xsched-priority=50", seconds=600)
        self.wait("it is scheduled", lambda: self.priorities() == [50])
        self.machine.run("scontrol", "suspend", urgent)
        began = time.monotonic()
        job = self.submit("ann", "--partition=batch", seconds=5)
        self.expect_right("ann", job)
        print(f"beside a suspended urgent job a program of 5 s ended after {time.monotonic() - began:.0f} s")
        self.machine.run("scontrol", "resume", urgent)
        self.wait("it is still scheduled", lambda: self.priorities() == [50])

    def test_a_node_that_starts_again(self):
        self.machine.run("systemctl", "restart", "slurmd")
        job = self.submit("ann", "--xsched-priority=7")
        self.wait("its jobs are scheduled", lambda: self.priorities() == [7])
        self.machine.run("scancel", job)


if __name__ == "__main__":
    packages_test.run_tests("Slurm")
