#!/usr/bin/env python3
"""XSched's plugin under a real Slurm (slurm_machine.py), with the packages and their service.

  slurm_test.py --debs FOLDER --build BUILD [unittest's arguments]
"""
import time

import packages_test
from packages_test import DRIVER
from slurm_machine import CONFIGURATION, SlurmMachine

# A card that one user's programs share: the stand-in's files are their user's alone.
CARD = {**DRIVER, "FAKE_CUDA_SHARED": "/tmp/card", "FAKE_CUDA_MEMORY": str(192 << 20)}
GROUP = r"^/system\.slice/(\w+_)?slurmstepd\.scope/job_\d+/step_\w+/user/task_"
HOLDS = "exec python3 /media/memory.py"
UNSCHEDULED = {"LD_PRELOAD": "/media/libfakecuda.so"}


class Slurm(SlurmMachine):
    def test_its_options_are_in_the_help_and_wrong_values_are_refused(self):
        said = self.machine.run("srun", "--help").stdout
        for name in ("priority", "share", "limit", "latency", "evictable", "memory-limit"):
            self.assertIn(f"--xsched-{name}", said)
        self.assertIn("--no-xsched", said)
        for command in (["srun"], ["sbatch", "--wrap"]):
            done = self.machine.run(*command[:1], "--xsched-priority=300", *command[1:], "true", ok=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn('a whole number from -256 to 255, not "300"', done.stdout)

    def ceilings(self):
        return {(queue["share"], queue["group_gets"]["highest_priority"]) for queue in self.queues()}

    def expect_ceilings(self, group):
        """Two jobs have the ceilings of their partitions in groups with such paths, and leave nothing."""
        ann = self.submit("ann", "--partition=batch", "--xsched-priority=50", "--gres=shard:30")
        ben = self.submit("ben", "--partition=urgent", "--xsched-priority=50", "--gres=shard:60")
        self.until("both are scheduled", lambda: self.priorities() == [50, 50])
        self.assertEqual(self.ceilings(), {(30, 20), (60, 100)}, "each partition has its ceiling")
        for queue in self.queues():
            self.assertRegex(queue["cgroup"], group)
        self.expect_right("ann", ann)
        self.expect_right("ben", ben)
        self.expect_nothing_left()

    def expect_nothing_left(self):
        self.until("the ceilings are taken back",
                   lambda: not self.machine.run("ls", "/run/xsched-slurm").stdout.strip())
        self.assertNotIn("job_", self.machine.run("xcli", "status", "--limits").stdout)
        self.until("no group is left",
                   lambda: not self.machine.run("find", "/sys/fs/cgroup", "-type", "d", "-name", "job_*").stdout)

    def test_a_partition_has_its_ceiling_and_shards_are_the_share(self):
        self.expect_ceilings(GROUP)

    def test_a_qos_has_its_ceiling(self):
        ben = self.submit("ben", "--partition=urgent", "--qos=fast", "--xsched-priority=50", "--xsched-share=60")
        ann = self.submit("ann", "--xsched-priority=50", "--xsched-share=30")
        self.until("both are scheduled", lambda: self.priorities() == [50, 50])
        self.assertEqual(self.ceilings(), {(60, 80), (30, 20)}, "a QOS comes before a partition")
        refused = self.submit("ann", "--qos=fast", ok=False)
        self.assertIn("Invalid qos", refused)
        self.expect_right("ann", ann)
        self.expect_right("ben", ben)
        self.expect_nothing_left()
        told = self.machine.run("sacct", "-n", "-X", "-j", ben, "-o", "user,qos,account").stdout.split()
        self.assertEqual(told, ["ben", "fast", "lab"])

    def test_without_groups_of_slurms_the_plugin_makes_them(self):
        self.configure(CONFIGURATION.replace("proctrack/cgroup", "proctrack/linuxproc"))
        self.addCleanup(self.configure, CONFIGURATION)
        self.expect_ceilings(r"/job_\d+$")

    def configure(self, text):
        (self.machine.root / "etc/slurm/slurm.conf").write_text(text)
        self.start_slurm()

    def test_a_job_without_it_is_not_scheduled(self):
        job = self.submit("ann", "--no-xsched", seconds=3, **UNSCHEDULED)
        self.expect_right("ann", job)
        self.assertEqual(self.priorities(), [])

    def test_a_node_without_xcli_runs_jobs_unscheduled(self):
        self.machine.run("mv", "/usr/bin/xcli", "/usr/bin/elsewhere")
        self.addCleanup(self.machine.run, "mv", "/usr/bin/elsewhere", "/usr/bin/xcli")
        job = self.submit("ann", "--partition=urgent", seconds=3, **UNSCHEDULED)
        self.expect_right("ann", job)
        said = self.machine.run("journalctl", "-u", "slurmd").stdout + self.said("ann", job)
        self.assertIn("/usr/bin/xcli is not on this node: the job runs unscheduled", said)
        self.assertIn("highest-priority=100 failed: the ceiling does not hold", said)

    def test_the_jobs_of_an_array(self):
        job = self.submit("ann", "--array=0-2", "--xsched-priority=5")
        self.until("three are scheduled", lambda: self.priorities() == [5, 5, 5])
        self.machine.run("scancel", job)
        self.until("none is left", lambda: not self.queues())

    def test_a_suspended_job_lets_others_on(self):
        # The program is no child of slurmstepd: Slurm sends it no signal, and freezes its group.
        program = "python3 /media/memory.py 16 600 busy; true"
        urgent = self.submit("ben", "--partition=urgent", "--xsched-priority=50", program=program)
        self.until("it is scheduled", lambda: self.priorities() == [50])
        self.machine.run("scontrol", "suspend", urgent)
        began = time.monotonic()
        job = self.submit("ann", "--partition=batch", seconds=5)
        self.until("the server sees that it is frozen",
                   lambda: {queue["state"] for queue in self.queues() if queue["priority"] == 50} == {"stopped"})
        self.expect_right("ann", job)
        print(f"beside a suspended urgent job a program of 5 s ended after {time.monotonic() - began:.0f} s")
        self.machine.run("scontrol", "resume", urgent)
        self.until("it is still scheduled", lambda: self.priorities() == [50])

    def test_the_memory_of_a_suspended_job_goes_and_comes_back(self):
        holder = self.submit("ann", "--xsched-evictable", program=f"{HOLDS} 96 15; true", **CARD)
        self.until("it holds memory", lambda: "holds" in self.said("ann", holder))
        self.machine.run("scontrol", "suspend", holder)
        taker = self.submit("ann", "--partition=urgent", program=f"{HOLDS} 160 1", **CARD)
        self.expect_right("ann", taker)
        self.machine.run("scontrol", "resume", holder)
        self.expect_right("ann", holder)

    def test_an_urgent_partition_suspends_jobs_with_their_memory(self):
        program = f"srun {HOLDS[5:]} 96 15"
        spare = self.submit("ann", "--xsched-evictable", "--cpus-per-task=16", program=program, **CARD)
        self.until("it holds memory", lambda: "holds" in self.said("ann", spare))
        urgent = self.submit("ann", "--partition=urgent", "--cpus-per-task=16", program=f"{HOLDS} 160 1", **CARD)
        self.until("it is suspended", lambda: self.state(spare) == "SUSPENDED")
        self.expect_right("ann", urgent)
        self.until("it goes on", lambda: self.state(spare) != "SUSPENDED")
        self.expect_right("ann", spare)

    def test_a_server_and_a_slurmd_that_start_again(self):
        running = self.submit("ann", "--xsched-priority=7")
        self.until("it is scheduled", lambda: self.priorities() == [7])
        self.machine.run("systemctl", "restart", "xserver", "slurmd")
        self.until("it is scheduled again", lambda: self.priorities() == [7])
        self.assertEqual({queue["group_gets"]["highest_priority"] for queue in self.queues()}, {20})
        job = self.submit("ben", "--xsched-priority=8")
        self.until("so are later jobs", lambda: 8 in self.priorities())
        self.expect_right("ann", running)
        self.expect_right("ben", job)
        self.expect_nothing_left()

    def is_missed(self, job):
        """Slurm compares what runs there whenever a slurmd starts, for jobs of more than some seconds."""
        self.machine.run("systemctl", "restart", "slurmd")
        time.sleep(4)
        return self.state(job) == "PENDING"

    def test_a_node_that_boots_again(self):
        began = time.time()
        job = self.submit("ann", "--requeue", "--partition=urgent", "--xsched-priority=7", seconds=20)
        self.until("it is scheduled", lambda: self.priorities() == [7])
        kept = self.machine.root / "var/lib/slurm/state/job_state"
        self.until("the controller has noted it", lambda: kept.exists() and kept.stat().st_mtime > began + 1)
        self.machine.stop()
        self.boot()
        self.start_accounting()
        self.start_slurm()
        self.until("Slurm has seen that it is gone", lambda: self.is_missed(job))
        self.machine.run("scontrol", "update", f"jobid={job}", "starttime=now")  # after a failure Slurm waits for 2 min
        self.until("it runs again", lambda: self.priorities() == [7])
        self.assertEqual({queue["group_gets"]["highest_priority"] for queue in self.queues()}, {100})
        self.expect_right("ann", job)
        self.expect_nothing_left()


if __name__ == "__main__":
    packages_test.run_tests("Slurm")
