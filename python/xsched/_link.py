"""How tools talk to xserver: a Unix seqpacket socket, one handshake, then a JSON object for each question (the protocol
of src/ipc/protocol.h, whose constants a test compares). Standard library alone; any thread, a connection each."""
import array
import json
import os
import socket
import stat
import struct
from contextlib import suppress
from typing import Any, Dict, Iterator, List, Tuple

from .errors import NoServerError, refusal

MAGIC = 0x44435358
VERSION = 31
TOOL = 2
HELLO = struct.Struct("<IIII64si")
WELCOME = struct.Struct("<IIIIIiQ")
MOST_PACKET_BYTES = 1 << 16
MOST_ANSWER_BYTES = 1 << 26
PATIENCE_S = 5.0
SENTENCES = ["", "it has another version: install both from one build", "it belongs to another user",
             "it has as many connections as it may", "it does not understand the handshake", "it has no memory left",
             "this user has as many connections there as it may",
             "a rule of its configuration says that this program is never scheduled"]


def _is_ours(folder: str) -> bool:
    with suppress(OSError):
        info = os.stat(folder)
        return folder.startswith("/") and stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid()
    return False


def _is_safe(path: str) -> bool:
    """Returns whether only this user can write to the folder: in /tmp any user may have made it."""
    with suppress(OSError):
        info = os.lstat(os.path.dirname(path))
        return stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid() and info.st_mode & 0o022 == 0
    return False


def places() -> Iterator[str]:
    """Where a server that programs of this user would use may listen, in the order in which they look."""
    chosen = os.environ.get("XSCHED_SOCKET")
    if chosen:
        yield chosen
        return
    yield "/run/xsched/xserver.sock"
    user = os.geteuid()
    for folder in dict.fromkeys((os.environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{user}")):
        path = f"{folder}/xsched/xserver.sock"
        if folder and _is_ours(folder) and _is_safe(path):
            yield path
    path = f"/tmp/xsched-{user}/xserver.sock"
    if _is_safe(path):
        yield path


def _connect() -> Tuple[socket.socket, str]:
    tried: List[str] = []
    for path in places():
        tried.append(path)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        connection.settimeout(PATIENCE_S)
        try:
            connection.connect(path)
            owner = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
            if owner in (os.geteuid(), 0):
                return connection, path
        except OSError:
            pass
        connection.close()
    raise NoServerError(f"no xserver answers at {' or '.join(tried) or 'any place'}: start a program with 'xcli run', "
                        "or start 'xserver'")


class Link:
    """A connection to the server. NoServerError if none answers."""

    def __init__(self) -> None:
        self._socket, self.path = _connect()
        try:
            self._greet()
        except BaseException:
            self._socket.close()
            raise

    def _greet(self) -> None:
        self._socket.send(HELLO.pack(MAGIC, VERSION, HELLO.size, TOOL, b"python", os.getpid()))
        try:
            answer = self._socket.recv(WELCOME.size)
        except OSError as error:
            raise NoServerError(f"the xserver at {self.path} does not answer the handshake ({error}): is it stopped?"
                                ) from error
        if len(answer) != WELCOME.size or WELCOME.unpack(answer)[0] != MAGIC:
            raise NoServerError(f"what listens at {self.path} is no xserver, or one of another version")
        status = WELCOME.unpack(answer)[3]
        if status:
            why = SENTENCES[status] if status < len(SENTENCES) else f"status {status}"
            raise NoServerError(f"the xserver at {self.path} lets nobody in: {why}")

    def ask(self, **request: Any) -> Dict[str, Any]:
        """The answer to {"cmd": ...}. RefusedError with the server's own sentence."""
        packet, descriptors = self._exchange(json.dumps(request).encode())
        try:
            answer = json.loads(packet or b"null")
            if descriptors and isinstance(answer, dict):  # a long one is in a file
                length = min(int(answer.get("bytes", 0)), MOST_ANSWER_BYTES)
                answer = json.loads(os.pread(descriptors[0], length, 0))
        except ValueError:
            answer = None
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        if not isinstance(answer, dict) or "ok" not in answer:
            raise NoServerError(f"the xserver at {self.path} sent an answer that is not understood: use one version "
                                "of both")
        if not answer["ok"]:
            raise refusal(answer.get("error", "refused without a reason"), answer.get("kind", ""))
        return answer

    def _exchange(self, request: bytes) -> Tuple[bytes, List[int]]:
        numbers = array.array("i")
        try:
            self._socket.send(request)
            packet, extra, _, _ = self._socket.recvmsg(MOST_PACKET_BYTES, socket.CMSG_LEN(numbers.itemsize))
        except OSError as error:
            raise NoServerError(f"the xserver at {self.path} does not answer ({error}): is it stopped?") from error
        for level, kind, data in extra:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                numbers.frombytes(data[:len(data) - len(data) % numbers.itemsize])
        return packet, list(numbers)

    def ask_all(self, member: str, **request: Any) -> Dict[str, Any]:
        """The same, with all pages of a list."""
        whole = page = self.ask(**request)
        while "next" in page:
            page = self.ask(**request, cursor=page["next"])
            whole[member].extend(page[member])
        return whole

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> "Link":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
