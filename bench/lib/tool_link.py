"""A tool's connection to xserver (src/ipc/protocol.h): one request, one answer, both JSON."""
import json
import os
import socket
import struct

HELLO, WELCOME = "<IIII64si", "<IIIIIiQ"
TOOL = 2
MOST_BYTES = 1 << 16
PATIENCE_SECONDS = 5


class ToolLink:
    """`protocol`: the magic number and the version that xcli was built with."""

    def __init__(self, path, protocol, program=b"xcli report"):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(PATIENCE_SECONDS)
        self.socket.connect(str(path))
        self.socket.send(struct.pack(HELLO, *protocol, struct.calcsize(HELLO), TOOL, program, os.getpid()))
        status = struct.unpack(WELCOME, self.socket.recv(struct.calcsize(WELCOME)))[3]
        if status != 0:
            raise OSError(f"the xserver at {path} refuses all connections (status {status})")

    def ask(self, **request):
        self.socket.send(json.dumps(request).encode())
        text, files, _, _ = socket.recv_fds(self.socket, MOST_BYTES, 1)
        answer = json.loads(text)
        for file in files:
            with os.fdopen(file, "rb") as whole:
                whole.seek(0)
                answer = json.loads(whole.read(answer["bytes"]))
        if not answer.get("ok"):
            raise OSError(answer.get("error", "the server refuses without a reason"))
        return answer

    def close(self):
        self.socket.close()
