"""Stand-ins of the parts of a cluster that the driver speaks to: an API server that keeps objects and checks what it is
asked, over HTTPS with a token, and kubelet's calls by gRPC. They follow the published protocols: resource.k8s.io/v1,
and the messages of src/kubernetes/proto.
"""
import concurrent.futures
import http.server
import importlib
import json
import ssl
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from pathlib import Path

import grpc

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from script import awaited  # noqa: E402

PROTO = ROOT / "src/kubernetes/proto"
DRIVER = "gpu.xsched.io"
CALL_S = 30  # safety: kubelet itself waits 45 s
SEEN_S = 40  # safety
TOKEN = "a-token-of-the-test"


def messages(*names):
    """Python's modules of the protocols, made by protoc."""
    folder = tempfile.mkdtemp(prefix="xsched-proto-")
    subprocess.run(["protoc", f"--proto_path={PROTO}", f"--python_out={folder}", *(f"{name}.proto" for name in names)],
                   check=True)
    sys.path.insert(0, folder)
    return [importlib.import_module(f"{name}_pb2") for name in names]


class ApiServer:
    """Keeps slices, claims and one node. `answers` False: it answers 503."""

    def __init__(self, folder, node):
        self.objects, self.version, self.answers = {}, 0, True
        self.put(f"/api/v1/nodes/{node}", {"metadata": {"name": node, "uid": "uid-of-the-node"}})
        self.authority = Path(folder) / "authority.pem"
        key = Path(folder) / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                        "-keyout", key, "-out", self.authority], check=True, stderr=subprocess.DEVNULL)
        self.token = Path(folder) / "token"
        self.token.write_text(TOKEN + "\n")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.authority, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"https://127.0.0.1:{self.server.server_address[1]}"

    def put(self, path, value):
        self.version += 1
        value.setdefault("metadata", {})["resourceVersion"] = str(self.version)
        self.objects[path] = value
        return value

    def slices(self):
        return [value for path, value in self.objects.items() if "/resourceslices/" in path]

    def claim(self, name, results, config=(), pods=()):
        """An allocated claim; returns its uid."""
        uid = f"uid-of-{name}"
        reserved = [{"resource": "pods", "name": pod, "uid": pod} for pod in pods]
        self.put(f"/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/{name}", {
            "metadata": {"name": name, "namespace": "default", "uid": uid},
            "status": {"allocation": {"devices": {"config": list(config), "results": list(results)}},
                       "reservedFor": reserved}})
        return uid

    def ask(self, method, target, headers, body):
        """The status and the object of an answer."""
        if headers.get("Authorization") != f"Bearer {TOKEN}":
            return 401, {"kind": "Status", "message": "Unauthorized"}
        if not self.answers:
            return 503, {"kind": "Status", "message": "not now"}
        path, _, query = target.partition("?")
        if method == "GET" and path.endswith("/resourceslices"):
            return 200, self.listed(urllib.parse.parse_qs(query)["fieldSelector"][0])
        if method == "POST" and path.endswith("/resourceslices"):
            body["metadata"]["name"] = body["metadata"]["generateName"] + str(self.version)
            return 201, self.put(f"{path}/{body['metadata']['name']}", body)
        if path not in self.objects:
            return 404, {"kind": "Status", "message": f"{path} not found"}
        if method == "DELETE":
            return 200, self.objects.pop(path)
        if method == "PUT":
            if body["metadata"]["resourceVersion"] != self.objects[path]["metadata"]["resourceVersion"]:
                return 409, {"kind": "Status", "message": "the object has been modified"}
            return 200, self.put(path, body)
        return 200, self.objects[path]

    def listed(self, selector):
        wanted = dict(part.split("=") for part in selector.split(","))
        fitting = [one for one in self.slices() if one["spec"]["nodeName"] == wanted["spec.nodeName"]
                   and one["spec"]["driver"] == wanted["spec.driver"]]
        # Items of a list have neither an apiVersion nor a kind.
        return {"items": [{key: one[key] for key in ("metadata", "spec")} for one in fitting]}

    def handler(self):
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                status, value = api.ask(self.command, self.path, self.headers, body)
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, *_):
                pass

        return Handler


class Kubelet:
    """Calls the plugins whose sockets are in the folder plugins_registry, as kubelet does."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.dra, self.registration = messages("dra", "registration")
        self.endpoint = None

    @staticmethod
    def call(socket, service, method, request, answer):
        with grpc.insecure_channel(f"unix:{socket}") as channel:
            call = channel.unary_unary(f"/{service}/{method}", request_serializer=type(request).SerializeToString,
                                       response_deserializer=answer.FromString)
            return call(request, timeout=CALL_S, wait_for_ready=True)

    def register(self):
        """Does what kubelet does with a new socket; returns the plugin's information."""
        socket = next((self.folder / "plugins_registry").glob("*.sock"))
        info = self.call(socket, "pluginregistration.Registration", "GetInfo", self.registration.InfoRequest(),
                         self.registration.PluginInfo)
        self.call(socket, "pluginregistration.Registration", "NotifyRegistrationStatus",
                  self.registration.RegistrationStatus(plugin_registered=True),
                  self.registration.RegistrationStatusResponse)
        self.endpoint = info.endpoint
        return info

    def ask(self, method, request, answer, name, uid):
        request.claims.append(self.dra.Claim(namespace="default", name=name, uid=uid))
        return self.call(self.endpoint, "k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin", method, request, answer).claims[uid]

    def prepare(self, name, uid):
        return self.ask("NodePrepareResources", self.dra.NodePrepareResourcesRequest(),
                        self.dra.NodePrepareResourcesResponse, name, uid)

    def unprepare(self, name, uid):
        return self.ask("NodeUnprepareResources", self.dra.NodeUnprepareResourcesRequest(),
                        self.dra.NodeUnprepareResourcesResponse, name, uid)


class KubeletOfPlugins:
    """kubelet's half of the device plugin's protocol: takes registrations, asks the plugin, and lists pods."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.plugin, self.pods = messages("device_plugin", "pod_resources")
        self.registered, self.listed, self.server = [], [], None

    def start(self):
        """Starts kubelet, which removes the sockets of all plugins."""
        for place in ("device-plugins", "pod-resources"):
            (self.folder / place).mkdir(parents=True, exist_ok=True)
            for socket in (self.folder / place).glob("*.sock"):
                socket.unlink()
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
        self.serve("v1beta1.Registration", "Register", self.plugin.RegisterRequest, self.take)
        self.serve("v1.PodResourcesLister", "List", self.pods.ListPodResourcesRequest, self.list_pods)
        for place in ("device-plugins", "pod-resources"):
            self.server.add_insecure_port(f"unix:{self.folder / place}/kubelet.sock")
        self.server.start()

    def serve(self, service, method, request, function):
        handler = grpc.unary_unary_rpc_method_handler(function, request_deserializer=request.FromString,
                                                      response_serializer=lambda answer: answer.SerializeToString())
        self.server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handler}),))

    def take(self, request, _):
        self.registered.append(request)
        return self.plugin.Empty()

    def list_pods(self, *_):
        answer = self.pods.ListPodResourcesResponse()
        for name, resource, units in self.listed:
            pod = answer.pod_resources.add(name=name, namespace="default")
            pod.containers.add(name="main").devices.add(resource_name=resource, device_ids=units)
        return answer

    def ask(self, method, request, answer):
        socket = self.folder / "device-plugins" / self.registered[-1].endpoint
        return Kubelet.call(socket, "v1beta1.DevicePlugin", method, request, answer)

    def devices(self, enough):
        """Watches the plugin's devices until `enough` says so of their health by name; returns that."""
        socket = self.folder / "device-plugins" / self.registered[-1].endpoint
        with grpc.insecure_channel(f"unix:{socket}") as channel:
            watch = channel.unary_stream("/v1beta1.DevicePlugin/ListAndWatch",
                                         request_serializer=self.plugin.Empty.SerializeToString,
                                         response_deserializer=self.plugin.ListAndWatchResponse.FromString)
            for answer in watch(self.plugin.Empty(), timeout=CALL_S, wait_for_ready=True):
                health = {device.ID: device.health for device in answer.devices}
                if enough(health):
                    return health
        return None

    def prefer(self, available, size):
        request = self.plugin.PreferredAllocationRequest()
        request.container_requests.add(available_deviceIDs=available, allocation_size=size)
        answer = self.ask("GetPreferredAllocation", request, self.plugin.PreferredAllocationResponse)
        return list(answer.container_responses[0].deviceIDs)

    def allocate(self, units):
        """The plugin's answer for a container."""
        request = self.plugin.AllocateRequest()
        request.container_requests.add(devices_ids=units)
        return self.ask("Allocate", request, self.plugin.AllocateResponse).container_responses[0]


def parameters(source, requests=(), **values):
    """An entry of a claim's configuration."""
    given = {"apiVersion": "xsched.io/v1alpha1", "kind": "SharedDevice", **values}
    return {"source": source, "requests": list(requests), "opaque": {"driver": DRIVER, "parameters": given}}


def result(device, share, request="gpu", pool="node-a"):
    return {"request": request, "driver": DRIVER, "pool": pool, "device": device, "shareID": "0",
            "consumedCapacity": {"share": str(share)}}


def until(what, holds):
    """Waits until `holds` returns something true; returns it."""
    return awaited(holds, SEEN_S, what)
