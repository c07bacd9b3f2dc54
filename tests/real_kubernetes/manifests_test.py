"""The chart and the manifests: rendered by Helm, beside the published schemas, and given to a real API server."""
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

import given
from cluster import NODE, run, until
from schema import Schemas

PACKAGING = Path(__file__).resolve().parents[2] / "packaging/kubernetes"
CHART = PACKAGING / "chart"
NEEDED = "1.36.0"  # the chart's kubeVersion
# Kinds of the chart that came after the cluster's version. It has no webhook, which that version would have.
UNKNOWN = {"DeviceClass", "ResourceClaimTemplate", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
           "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"}
CLAIMS = "resource.k8s.io"
ACCOUNT = "system:serviceaccount:kube-system:xsched"


def helm(*words, ok=True):
    if "helm" in given.PARTS.missing:
        raise unittest.SkipTest(given.PARTS.missing["helm"])
    return run(given.PARTS.helm(), *words, ok=ok)


def rendered(*more):
    """The chart's objects, as Helm makes them for a cluster of the version that the chart wants."""
    return list(yaml.safe_load_all(helm("template", "xsched", CHART, "--kube-version", NEEDED, *more)))


def key(one):
    return one["kind"], one["metadata"]["name"]


class Chart(unittest.TestCase):
    def schemas(self):
        if "schemas" in given.PARTS.missing:
            self.skipTest(given.PARTS.missing["schemas"])
        schemas = Schemas(given.PARTS.models())
        self.assertEqual(schemas.release(), NEEDED.rpartition(".")[0])
        return schemas

    def test_helm_has_nothing_against_the_chart(self):
        self.assertIn("0 chart(s) failed", helm("lint", CHART, "--kube-version", NEEDED))

    def test_helm_and_sed_render_the_same(self):
        values = yaml.safe_load((CHART / "values.yaml").read_text())

        def value(match):
            found = values
            for name in match[1].split("."):
                found = found[name]
            return str(found)

        simple = [one for file in (CHART / "templates").glob("*.yaml") for one in
                  yaml.safe_load_all(re.sub(r"\{\{ \.Values\.([\w.]+) \}\}", value, file.read_text()))]
        self.assertEqual(sorted(simple, key=key), sorted(rendered(), key=key))

    def test_values_of_the_command_line_count(self):
        objects = {key(one): one for one in rendered("--set", "image=registry.example/other:1", "--set",
                                                     "annotations.mostUrgentPriority=7")}
        containers = objects["DaemonSet", "xsched"]["spec"]["template"]["spec"]["containers"]
        self.assertEqual({one["image"] for one in containers}, {"registry.example/other:1"})
        self.assertIn("<= 7", str(objects["ValidatingAdmissionPolicy", "xsched-annotations"]))

    def test_an_older_cluster_is_refused(self):
        said = helm("template", "xsched", CHART, "--kube-version", "1.35.0", ok=False)
        self.assertIn("chart requires kubeVersion: >= 1.36.0-0", said)

    def test_all_objects_fit_the_published_schemas(self):
        schemas = self.schemas()
        objects = rendered() + list(yaml.safe_load_all((PACKAGING / "example.yaml").read_text()))
        self.assertEqual({key(one): schemas.faults(one) for one in objects if schemas.faults(one)}, {})
        self.assertLessEqual(UNKNOWN, {one["kind"] for one in objects})

    def test_the_schemas_find_faults(self):
        schemas = self.schemas()
        [template, _] = yaml.safe_load_all((PACKAGING / "example.yaml").read_text())
        request = template["spec"]["spec"]["devices"]["requests"][0]["exactly"]
        request["capacity"]["requests"]["share"] = 30
        request["deviceClass"] = request.pop("deviceClassName")
        self.assertEqual(len(schemas.faults(template)), 3, schemas.faults(template))

    def test_a_published_slice_fits_the_schema(self):
        try:
            import stand_ins
        except ImportError as missing:
            self.skipTest(f"{missing} (scripts/install_deps.sh deb)")
        folder = Path(tempfile.mkdtemp(prefix="xsched-slice-"))
        self.addCleanup(shutil.rmtree, folder)
        facts = folder / "machine/proc/driver/nvidia/gpus/0000:3b:00.0"
        facts.mkdir(parents=True)
        (facts / "information").write_text("Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-604ac76c\n")
        api = stand_ins.ApiServer(folder, NODE)
        self.addCleanup(api.server.server_close)
        self.addCleanup(api.server.shutdown)
        driver = subprocess.Popen([given.BUILD / "bin/xsched-kubernetes", "--node", NODE, "--kubelet",
                                   folder / "kubelet", "--cdi", folder / "cdi", "--machine", folder / "machine",
                                   "--xcli", given.BUILD / "bin/xcli", "--api", api.url, "--authority", api.authority,
                                   "--token", api.token], stderr=subprocess.DEVNULL)
        self.addCleanup(driver.wait)
        self.addCleanup(driver.kill)
        [published] = until("a slice is published", api.slices)
        self.assertTrue(published["spec"]["devices"][0]["taints"], "no server answers")
        self.assertEqual(self.schemas().faults(published), [])


class OnTheApiServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        given.cluster()

    def dry_run(self, one, where):
        return run("kubectl", "apply", f"--dry-run={where}", "-f", "-", text=yaml.safe_dump(one), ok=False)

    def test_the_api_server_takes_all_kinds_that_it_knows(self):
        tried = set()
        for one in rendered():
            for where, taken in (("client", "created (dry run)"), ("server", "created (server dry run)")):
                wanted = "no matches for kind" if one["kind"] in UNKNOWN else taken
                self.assertIn(wanted, self.dry_run(one, where), key(one))
            tried.add(one["kind"])
        classes = run("kubectl", "apply", "-f", CHART / "templates/classes.yaml", ok=False)
        self.assertIn('no matches for kind "DeviceClass" in version "resource.k8s.io/v1"', classes)
        self.assertEqual(tried - UNKNOWN, {"DaemonSet", "ServiceAccount", "ClusterRole", "ClusterRoleBinding"})

    def test_the_drivers_account_may_do_what_it_does_and_no_more(self):
        rights = [one for one in rendered() if one["kind"] in ("ServiceAccount", "ClusterRole", "ClusterRoleBinding")]
        run("kubectl", "apply", "-f", "-", text=yaml.safe_dump_all(rights))

        for verb, group, resource in (("get", CLAIMS, "resourceclaims"), ("list", CLAIMS, "resourceslices"),
                                      ("create", CLAIMS, "resourceslices"), ("get", "", "nodes"), ("get", "", "pods")):
            self.assertEqual(self.may(verb, group, resource), "true", (verb, resource))
        for verb, group, resource in (("delete", "", "pods"), ("list", "", "secrets"), ("update", "", "nodes"),
                                      ("update", CLAIMS, "resourceclaims")):
            self.assertEqual(self.may(verb, group, resource), "false", (verb, resource))

    @staticmethod
    def may(verb, group, resource):
        """Asks the API server itself: `kubectl auth can-i` forgets the group of a resource that it does not know."""
        asked = {"namespace": "default", "verb": verb, "group": group, "resource": resource}
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
                  "spec": {"user": ACCOUNT, "resourceAttributes": asked}}
        return run("kubectl", "create", "-f", "-", "-o", "jsonpath={.status.allowed}", text=yaml.safe_dump(review))

    def test_a_node_gets_the_label_of_the_chart(self):
        self.assertIn("labeled", run("kubectl", "label", "node", NODE, "xsched.io/driver=true", "--overwrite"))
        [daemons] = [one for one in rendered() if one["kind"] == "DaemonSet"]
        selector = daemons["spec"]["template"]["spec"]["nodeSelector"]
        chosen = ",".join(f"{name}={value}" for name, value in selector.items())
        self.assertEqual(run("kubectl", "get", "nodes", "-l", chosen, "-o", "name").split(), [f"node/{NODE}"])

    def test_helm_refuses_this_cluster(self):
        said = helm("install", "xsched", CHART, "--dry-run=server", ok=False)
        self.assertIn("chart requires kubeVersion: >= 1.36.0-0", said)
