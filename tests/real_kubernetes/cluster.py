"""A cluster of one node: etcd, the API server, the scheduler, containerd and kubelet, in the namespaces that run.py has
made. All folders that they write are in memory, and end with the namespaces."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from script import awaited  # noqa: E402

NODE, ADDRESS = "node-a", "10.0.0.1"  # the address is one of the loopback device of these namespaces
API = f"https://{ADDRESS}:6443"
IMAGE = "xsched.test/empty:1"
STARTS_S = 60  # safety: each part took less than 10 s on a busy machine
ENDS_S = 20     # safety
PRIVATE = ("/run", "/var/lib", "/var/log", "/opt")
WORK = Path("/run/cluster")
# kubelet sets these of the whole machine. Here it sees files that have its values, so that nothing changes.
SETTINGS = {"vm/overcommit_memory": 1, "vm/panic_on_oom": 0, "kernel/panic": 10, "kernel/panic_on_oops": 1,
            "kernel/keys/root_maxkeys": 1000000, "kernel/keys/root_maxbytes": 25000000}
CONTAINERD = """version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{image}"
enable_cdi = true
cdi_spec_dirs = ["/var/run/cdi"]
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "{root}/usr/lib/cni"
conf_dir = "{work}/cni"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
"""
NETWORK = {"cniVersion": "0.4.0", "name": "pods", "plugins": [{"type": "ptp", "ipam": {
    "type": "host-local", "subnet": "10.2.0.0/24", "dataDir": "/run/addresses"}}]}
# The API server runs without these admission plugins. They need controllers that do not run here: for accounts' tokens,
# and to remove taints.
WITHOUT = "ServiceAccount,TaintNodesByCondition"
KUBELET = {"kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1",
           "authentication": {"x509": {"clientCAFile": f"{WORK}/ca.crt"}, "anonymous": {"enabled": False}},
           "authorization": {"mode": "Webhook"}, "cgroupDriver": "cgroupfs", "failSwapOn": False, "resolvConf": "",
           "makeIPTablesUtilChains": False, "evictionHard": {"memory.available": "50Mi"},
           "nodeStatusUpdateFrequency": "2s"}


def run(*words, text=None, ok=True):
    done = subprocess.run([str(word) for word in words], input=text, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if ok and done.returncode != 0:
        raise AssertionError(f"{' '.join(str(word) for word in words)}: ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def until(what, holds, seconds=STARTS_S):
    """Waits until `holds` returns something true; returns it."""
    return awaited(holds, seconds, what)


def make_machine():
    """Gives the namespaces folders, settings and an address of their own."""
    run("mount", "--make-rshared", "/")
    run("mount", "-t", "proc", "proc", "/proc")
    for folder in PRIVATE:
        run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder)
    for folder in (WORK / "cni", WORK / "sysctl", Path("/var/run/cdi"), Path("/var/lib/kubelet"),
                   Path("/var/log/pods"), Path("/var/log/containers")):
        folder.mkdir(parents=True, exist_ok=True)
    for name, value in SETTINGS.items():
        file = WORK / "sysctl" / name.replace("/", "-")
        file.write_text(f"{value}\n")
        run("mount", "--bind", file, f"/proc/sys/{name}")
    run("ip", "link", "set", "lo", "up")
    run("ip", "address", "add", f"{ADDRESS}/32", "dev", "lo")
    run("hostname", NODE)


def make_image(busybox, file):
    """An image with one program. Pods see the machine's /usr, where all others are."""
    layer = WORK / "layer"
    for folder in ("bin", "usr", "dev", "proc", "sys", "etc", "run", "tmp", "opt", "srv"):
        (layer / folder).mkdir(parents=True)
    shutil.copy2(busybox, layer / "bin/busybox")
    for link in ("lib", "lib64"):
        (layer / link).symlink_to(f"usr/{link}")
    (layer / "wait").symlink_to("bin/busybox")
    with tarfile.open(WORK / "layer.tar", "w") as tar:
        tar.add(layer, "")
    digest = run("sha256sum", WORK / "layer.tar").split()[0]
    (WORK / "config.json").write_text(json.dumps({
        "architecture": "amd64", "os": "linux", "config": {"Cmd": ["/bin/busybox", "sleep", "1000000"]},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]}}))
    (WORK / "manifest.json").write_text(json.dumps([
        {"Config": "config.json", "RepoTags": [IMAGE], "Layers": ["layer.tar"]}]))
    with tarfile.open(file, "w") as tar:
        for name in ("manifest.json", "config.json", "layer.tar"):
            tar.add(WORK / name, name)


class Authority:
    """The cluster's certificates, in the folder WORK."""

    def __init__(self):
        self.openssl("req", "-x509", "-subj", "/CN=cluster", "-keyout", "ca.key", "-out", "ca.crt")

    @staticmethod
    def openssl(*words):
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
        run("sh", "-c", 'cd "$0" && exec openssl "$@"', WORK, words[0], *(key if words[0] == "req" else ()), *words[1:])

    def issue(self, name, subject, usage="clientAuth"):
        """A certificate and its key: NAME.crt, NAME.key and both in NAME.pem."""
        (WORK / "extensions").write_text(f"extendedKeyUsage={usage}\nsubjectAltName=IP:{ADDRESS},IP:127.0.0.1\n")
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        run("sh", "-c", 'cd "$0" && openssl req "$@"', WORK, "-new", *key, "-subj", subject, "-keyout",
            f"{name}.key", "-out", f"{name}.csr")
        self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                     "-days", "2", "-extfile", "extensions", "-out", f"{name}.crt")
        pem = WORK / f"{name}.pem"
        pem.write_text((WORK / f"{name}.crt").read_text() + (WORK / f"{name}.key").read_text())
        user = {"client-certificate": str(pem), "client-key": str(pem)}
        (WORK / f"{name}.conf").write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "it", "users": [{"name": "it", "user": user}],
            "clusters": [{"name": "it", "cluster": {"server": API, "certificate-authority": f"{WORK}/ca.crt"}}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}]}))


class Cluster:
    def __init__(self, parts):
        self.parts, self.children = parts, {}
        self.environment = {**os.environ, "PATH": ":".join(map(str, parts.path())) + ":" + os.environ["PATH"],
                            "KUBECONFIG": f"{WORK}/admin.conf", "HOME": str(WORK)}
        os.environ.update(self.environment)

    def start(self, name, *words, **more):
        with (WORK / f"{name}.log").open("a") as log:
            self.children[name] = subprocess.Popen([str(word) for word in words], env={**self.environment, **more},
                                                   stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def end(self, name, how=signal.SIGTERM):
        child = self.children.pop(name)
        child.send_signal(how)
        child.wait(ENDS_S)

    def log(self, name):
        return (WORK / f"{name}.log").read_text()

    def until(self, name, what, holds):
        """As until, with the part's last lines if it is not so, or if the part has ended."""
        def alive():
            if self.children[name].poll() is not None:
                raise AssertionError(f"{name} has ended")
            return holds()
        try:
            return until(what, alive)
        except AssertionError as late:
            raise AssertionError(f"{late}\n{self.log(name)[-3000:]}") from None

    def start_all(self):
        authority = Authority()
        authority.issue("server", f"/CN={ADDRESS}", "serverAuth")
        authority.issue("admin", "/O=system:masters/CN=admin")
        authority.issue("scheduler", "/CN=system:kube-scheduler")
        authority.issue(NODE, f"/O=system:nodes/CN=system:node:{NODE}")
        self.start_api_server()
        self.start("scheduler", "kube-scheduler", "--kubeconfig", WORK / "scheduler.conf", "--leader-elect=false")
        self.start_containerd()
        self.start_kubelet()

    def start_api_server(self):
        self.start("etcd", "etcd", "--data-dir", "/var/lib/etcd")
        self.start("api", "kube-apiserver", "--etcd-servers", "http://127.0.0.1:2379", "--advertise-address", ADDRESS,
                   "--service-cluster-ip-range", "10.1.0.0/24", "--client-ca-file", WORK / "ca.crt",
                   "--tls-cert-file", WORK / "server.crt", "--tls-private-key-file", WORK / "server.key",
                   "--kubelet-client-certificate", WORK / "admin.crt", "--kubelet-client-key", WORK / "admin.key",
                   "--kubelet-certificate-authority", WORK / "ca.crt", "--kubelet-preferred-address-types",
                   "InternalIP", "--service-account-issuer", API, "--service-account-key-file", WORK / "server.crt",
                   "--service-account-signing-key-file", WORK / "server.key", "--authorization-mode", "Node,RBAC",
                   "--allow-privileged", "--enable-admission-plugins", "NodeRestriction",
                   "--disable-admission-plugins", WITHOUT)
        self.until("api", "the API server is ready",
                   lambda: run("kubectl", "get", "--raw", "/readyz", ok=False) == "ok")

    def start_containerd(self):
        (WORK / "cni/10-pods.conflist").write_text(json.dumps(NETWORK))
        (WORK / "containerd.toml").write_text(CONTAINERD.format(image=IMAGE, root=self.parts.root, work=WORK))
        self.start("containerd", "containerd", "--config", WORK / "containerd.toml")
        make_image(self.parts.root / "bin/busybox", WORK / "image.tar")
        self.until("containerd", "containerd has the image", lambda: IMAGE in run(
            "ctr", "--namespace", "k8s.io", "images", "import", WORK / "image.tar", ok=False))

    def import_image(self, file, name):
        """Gives containerd an image of an OCI archive under the name that it would have in a registry."""
        folder = WORK / "archive"
        folder.mkdir()
        run("tar", "-xf", file, "-C", folder)
        index = json.loads((folder / "index.json").read_text())
        index["manifests"][0]["annotations"] = {"io.containerd.image.name": name}
        (folder / "index.json").write_text(json.dumps(index))
        run("tar", "-cf", WORK / "archive.tar", "-C", folder, ".")
        run("ctr", "--namespace", "k8s.io", "images", "import", WORK / "archive.tar")

    def start_kubelet(self):
        (WORK / "kubelet.json").write_text(json.dumps(KUBELET))
        self.start("kubelet", "kubelet", "--kubeconfig", WORK / f"{NODE}.conf", "--config", WORK / "kubelet.json",
                   "--hostname-override", NODE, "--node-ip", ADDRESS, "--container-runtime", "remote",
                   "--container-runtime-endpoint", "unix:///run/containerd/containerd.sock",
                   "--tls-cert-file", WORK / "server.crt", "--tls-private-key-file", WORK / "server.key")
        self.until("kubelet", "the node is ready", self.is_ready)

    def is_ready(self):
        return any(one["type"] == "Ready" and one["status"] == "True"
                   for one in self.status_of_node().get("conditions", []))

    def status_of_node(self):
        said = run("kubectl", "get", "node", NODE, "-o", "json", ok=False)
        return json.loads(said)["status"] if said.startswith("{") else {}

    def pod(self, name):
        said = run("kubectl", "get", "pod", name, "-o", "json", ok=False)
        return json.loads(said) if said.startswith("{") else {}

    def end_all(self):
        for name in list(self.children):
            self.end(name, signal.SIGKILL)
