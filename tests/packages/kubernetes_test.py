#!/usr/bin/env python3
"""The driver for Kubernetes as a service of a booted machine, and pods in podman with what it answers to kubelet's
stand-in (kubernetes_node.py).

  kubernetes_test.py --debs FOLDER --build BUILD [unittest's arguments]
"""
import json
import shutil
import unittest
from pathlib import Path

import containers_test
import packages_test
from packages_test import GIVEN, OnMachines

ROOT = Path(__file__).resolve().parents[2]
STAND_INS = ("python3-grpcio", "python3-protobuf", "protobuf-compiler", "openssl")
NEEDED = ("tests/kubernetes/stand_ins.py", "tests/support/script.py", "tests/packages/kubernetes_node.py",
          "src/kubernetes/proto/dra.proto", "src/kubernetes/proto/registration.proto")


class Kubernetes(OnMachines):
    PACKAGES = (*containers_test.ENGINE, *STAND_INS)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        package = cls.machine.take(sorted(GIVEN.debs.glob("kubernetes/xsched-kubernetes_*.deb")))
        cls.machine.install(*package)
        (cls.machine.root / "etc/containers/containers.conf").write_text(containers_test.SETTINGS)
        containers_test.make_image(cls.machine, "app", cls.machine.root)
        for name in NEEDED:
            place = cls.machine.root / "media" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place)
        cls.machine.boot()

    def test_pods_have_the_shares_and_ceilings_of_their_claims(self):
        done = self.machine.run("python3", "-B", "/media/tests/packages/kubernetes_node.py")
        seen = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(seen["plugin"], "gpu.xsched.io")
        self.assertEqual(seen["said"], {"urgent": ["right"], "batch": ["right"]}, done.stdout)
        for priority, pod, share, ceiling in (("50", "urgent", 60, 50), ("-5", "batch", 30, 0)):
            queue = seen["queues"][priority]
            self.assertIn(f"/kubepods/burstable/pod{pod}", queue["cgroup"], done.stdout)
            self.assertEqual((queue.get("share"), queue.get("highest_priority")), (share, ceiling), done.stdout)
        self.assertEqual((seen["left"], seen["limits"]), ([], 2), "both claims are taken back")


if __name__ == "__main__":
    packages_test.run_tests("Kubernetes")
