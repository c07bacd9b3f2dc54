#!/usr/bin/env python3
"""Programs in containers of podman, runc and docker, on a booted machine with the packages and their service, as
docs/CONTAINERS.md types it.

  containers_test.py --debs FOLDER --build BUILD [--image FILE] [unittest's arguments]

FILE is what `make image` makes.
"""
import json
import shutil
import subprocess
import unittest

import machine
import packages_test
from packages_test import GIVEN, OnMachines

DOCKER = ("docker.io",)
# For a machine of namespaces, which has no network.
DOCKERD = {"storage-driver": "vfs", "iptables": False, "bridge": "none"}
ENGINE = ("podman", "runc", "conmon", "uidmap", "slirp4netns", "fuse-overlayfs")
# podman's settings with which the command lines of docs/CONTAINERS.md work inside this test's machine, which is made
# of namespaces and has no network.
SETTINGS = """[containers]
netns = "none"
default_ulimits = ["nofile=1024:2048", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
"""
LIBRARIES = ("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libstdc++.so.6", "libgcc_s.so.1")
OF_THE_DRIVER = ("-e", "XSCHED_CUDA_LIB=/srv/libfakecuda.so", "-e", "FAKE_CUDA_SHARED=/srv/device",
                 "-e", "XSCHED_OPENCL_LIB=/srv/libfakeopencl.so", "-v", "/tmp/device:/srv/device")
RUNNING_S = 8  # how long a program works
HOME = "/srv/ann"
SEEN_S = 30  # safety: until it is scheduled
MUSL = '#include <stdio.h>\nint main(void) { puts("right"); return 0; }\n'


def find(root, library):
    return next((place for folder in ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu", "lib64")
                 if (place := root / folder / library).exists()), None)


def make_image(here, name, libraries_of):
    """A folder on the machine with a program and a driver, and the C library of a root."""
    folder = here.root / "srv" / name
    for part in ("lib/x86_64-linux-gnu", "lib64", "srv", "etc", "tmp", "proc", "dev", "sys", "run", "opt"):
        (folder / part).mkdir(parents=True)
    for library in LIBRARIES:
        shutil.copy2(find(libraries_of, library), folder / "lib/x86_64-linux-gnu" / library)
    shutil.copy2(find(libraries_of, "ld-linux-x86-64.so.2"), folder / "lib64")
    for file in packages_test.FROM_THE_BUILD:
        shutil.copy2(GIVEN.build / file, folder / "srv")
    return folder


class Containers(OnMachines):
    """Each test's programs are right; the server lists those that are scheduled."""
    PACKAGES = ENGINE + DOCKER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.machine.root / "etc/docker").mkdir(exist_ok=True)
        (cls.machine.root / "etc/docker/daemon.json").write_text(json.dumps(DOCKERD))
        cls.machine.run("useradd", "--create-home", "--home-dir", HOME, "ann")
        (cls.machine.root / "etc/containers/containers.conf").write_text(SETTINGS)
        make_image(cls.machine, "app", cls.machine.root)
        cls.machine.boot()
        cls.machine.run("mkdir", "-m", "1777", "/tmp/device")
        for name, hints in (("batch", ("-p", "-5", "--share", "30")), ("urgent", ("-p", "10", "--share", "60"))):
            cls.machine.run("mkdir", "-p", "/etc/cdi")
            cls.machine.run("xcli", "container", "cdi", "--platform", "cuda", "--name", name, *hints, "-o",
                            f"/etc/cdi/xsched-{name}.json")

    def podman(self, *words, user=None):
        enter = ["nsenter", "-t", str(self.machine.first_pid()), "-m", "-p", "-u", "-i", "-n", "-C"]
        environment = dict(machine.CLEAN)
        if user:
            enter += ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
            environment.update(HOME=HOME, XDG_RUNTIME_DIR=f"{HOME}/run")
        child = subprocess.Popen([*enter, "sh", "-c", 'cd "$HOME" && exec "$@"', "sh", *words], env=environment,
                                 text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(child.kill)
        return child

    def run_in(self, image, *options, platform="cuda", user=None):
        return self.podman("podman", "run", "--rm", *options, *OF_THE_DRIVER, "--rootfs", image, "/srv/guest", platform,
                           "none", str(RUNNING_S), user=user)

    def queues(self, wanted):
        """Waits for queues of these priorities; returns them by priority."""
        seen = {}
        for _ in self.machine.until(SEEN_S):
            done = self.machine.run("xcli", "list", "--json", ok=False)
            if done.returncode == 0:
                seen = {queue["priority"]: queue for queue in json.loads(done.stdout)["queues"]}
            if set(wanted) <= set(seen):
                return seen
        raise AssertionError(f"priorities {wanted} are not scheduled after {SEEN_S} s: {seen}")

    def expect_right(self, child):
        out, err = child.communicate(timeout=RUNNING_S + 60)
        self.assertEqual((child.returncode, out.splitlines()[-1:]), (0, ["right"]), err)
        return err

    def test_two_containers_have_their_priorities_and_shares(self):
        batch = self.run_in("/srv/app:O", "--device", "xsched.io/class=batch")
        urgent = self.run_in("/srv/app:O", "--device", "xsched.io/class=urgent", "--user", "65534")
        queues = self.queues([-5, 10])
        self.assertEqual([queues[priority]["share"] for priority in (-5, 10)], [30, 60])
        self.assertNotEqual(queues[-5]["cgroup"], queues[10]["cgroup"])
        self.expect_right(batch)
        self.expect_right(urgent)

    def test_a_rootless_container_uses_the_machines_server(self):
        shutil.copytree(self.machine.root / "srv/app", self.machine.root / HOME[1:] / "app")
        self.machine.run("chown", "-R", "ann:ann", f"{HOME}/app")
        self.machine.run("install", "-d", "-o", "ann", "-m", "700", f"{HOME}/run")
        child = self.run_in(f"{HOME}/app", "--device", "xsched.io/class=batch", user="ann")
        self.assertEqual(self.queues([-5])[-5]["uid"], int(self.machine.run("id", "-u", "ann").stdout))
        self.assertNotIn("[WARN", self.expect_right(child))

    def test_the_line_for_podman_is_right_as_it_is(self):
        line = self.machine.run("xcli", "container", "run", "--platform", "opencl", "--engine", "podman", "-p",
                                "7", "--", "IMAGE").stdout
        more = " ".join(OF_THE_DRIVER) + f" --rootfs /srv/app:O /srv/guest opencl none {RUNNING_S}"
        child = self.podman("sh", "-c", line.replace("IMAGE", more))
        self.queues([7])
        self.expect_right(child)

    def test_the_line_for_docker_is_right_as_it_is(self):
        self.machine.run("systemctl", "start", "docker")
        self.machine.run("sh", "-c", "tar -C /srv/app -c . | docker import - app")
        line = self.machine.run("xcli", "container", "run", "--platform", "opencl", "--engine", "docker", "-p",
                                "9", "--", "IMAGE").stdout
        more = " ".join(OF_THE_DRIVER) + f" --network none app /srv/guest opencl none {RUNNING_S}"
        child = self.podman("sh", "-c", line.replace("IMAGE", more))
        self.assertIn("docker", self.queues([9])[9]["cgroup"])
        self.expect_right(child)

    def test_an_older_c_library(self):
        try:
            make_image(self.machine, "older", machine.kept_root("bullseye"))
        except RuntimeError as error:
            self.skipTest(str(error))
        child = self.run_in("/srv/older:O", "--device", "xsched.io/class=batch")
        self.queues([-5])
        self.expect_right(child)

    def test_the_image_runs_the_tools_and_the_server(self):
        if GIVEN.image is None:
            self.skipTest("no image is given: make image")
        self.machine.take([GIVEN.image])
        loaded = self.podman("podman", "load", "--quiet", "-i", f"/media/{GIVEN.image.name}").communicate()[0]
        name = loaded.split()[-1]
        for words in ((tool, "--version") for tool in ("xcli", "xsim", "xserver", "xsched-kubernetes")):
            child = self.podman("podman", "run", "--rm", name, *words)
            out, err = child.communicate(timeout=SEEN_S)
            self.assertEqual(child.returncode, 0, err)
            self.assertRegex(out, r"\d+\.\d+\.\d+")
        folder = "/run/of-the-image"
        self.machine.run("mkdir", folder)
        server = self.podman("podman", "run", "--rm", "-v", f"{folder}:/run/xsched", name)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        for _ in self.machine.until(SEEN_S):
            done = self.machine.run("xcli", "policy", ok=False, XSCHED_SOCKET=f"{folder}/xserver.sock")
            if done.returncode == 0:
                return
        self.fail(done.stdout)

    def test_musl_runs_unscheduled(self):
        if shutil.which("musl-gcc") is None:
            self.skipTest("musl-gcc is not installed (scripts/install_deps.sh roots)")
        folder = self.machine.root / "srv/musl"
        for part in ("lib", "etc", "srv"):
            (folder / part).mkdir(parents=True)
        subprocess.run(["musl-gcc", "-x", "c", "-", "-o", folder / "srv/program"], input=MUSL, text=True, check=True)
        shutil.copy2("/lib/ld-musl-x86_64.so.1", folder / "lib")
        child = self.podman("podman", "run", "--rm", "--device", "xsched.io/class=batch", "--rootfs", "/srv/musl:O",
                            "/srv/program")
        self.expect_right(child)


if __name__ == "__main__":
    packages_test.run_tests("containers")
