"""Another user's listener at a port where xcli web was: it says yes to everything, and writes down what it hears."""
import subprocess
import sys

# A program that becomes another user after loading its Python modules, since that user may not be able to read
# Python's files.
PROGRAM = """
import http.server, json, os, sys
"x".encode("idna")
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
class Stranger(http.server.BaseHTTPRequestHandler):
    def answer(self):
        size = int(self.headers.get("Content-Length", 0))
        print(self.requestline, dict(self.headers), self.rfile.read(size), flush=True)
        body = json.dumps({"ok": True, "api": 1, "proof": sys.argv[2], "policy": "HPF", "policies": []}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_GET = do_PUT = do_POST = answer
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Stranger)
print("listens", flush=True)
server.serve_forever()
"""


class Stranger:
    """Use it in a with statement. `proof`: what it says that it can prove."""

    def __init__(self, port, proof):
        self.heard = []
        self.process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(port), proof], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        line = self.process.stdout.readline()
        if line != "listens\n":
            self.process.wait()
            raise RuntimeError(f"the stranger cannot listen: {line}{self.process.stdout.read()}")

    def end(self):
        """All that it has heard."""
        if self.process.poll() is None:
            self.process.terminate()
            self.heard = self.process.communicate()[0].splitlines()
        return self.heard

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
