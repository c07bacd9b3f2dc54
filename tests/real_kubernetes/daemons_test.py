"""The pod of the chart's DaemonSet, with the image that `make image` made, on a real kubelet."""
import json
import unittest
from pathlib import Path

import given
from cluster import NODE, run, until
from manifests_test import rendered


class Daemons(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not given.IMAGE.exists():
            raise unittest.SkipTest(f"{given.IMAGE} is not there: make image")
        [cls.daemons] = [one for one in rendered() if one["kind"] == "DaemonSet"]
        cls.cluster = given.cluster()
        cls.cluster.import_image(given.IMAGE, cls.daemons["spec"]["template"]["spec"]["containers"][0]["image"])
        run("kubectl", "label", "node", NODE, "xsched.io/driver=true", "--overwrite")

    def create(self):
        """A pod as the cluster's controller would make it, which does not run here."""
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "xsched", "namespace": "kube-system"},
               "spec": {**self.daemons["spec"]["template"]["spec"], "terminationGracePeriodSeconds": 1}}
        run("kubectl", "create", "-f", "-", text=json.dumps(pod))
        self.addCleanup(self.kubectl, "delete", "pod", "xsched", "--now")

    @staticmethod
    def kubectl(*words):
        return run("kubectl", "--namespace", "kube-system", *words, ok=False)

    def is_ready(self):
        status = json.loads(self.kubectl("get", "pod", "xsched", "-o", "json"))["status"]
        return [one["ready"] for one in status.get("containerStatuses", [])] == [True, True]

    def test_its_server_and_driver_run(self):
        self.create()
        try:
            until("both containers run", self.is_ready)
        except AssertionError as late:
            raise AssertionError(f"{late}\n{self.kubectl('describe', 'pod', 'xsched')}") from None
        for socket in ("/run/xsched/xserver.sock", "/run/xsched-guests/xserver.sock"):
            until(f"the node has {socket}", Path(socket).is_socket)
        until("the driver has copied the libraries to the node",
              lambda: list(Path("/opt/xsched").rglob("libshimcuda.so")))
        until("kubelet answers the driver", lambda: "no handler registered for plugin type: DRAPlugin" in
              self.kubectl("logs", "xsched", "driver"))
        self.assertIn("using policy", self.kubectl("logs", "xsched", "server"))
