"""Programs in a root folder: with its libraries, an emulated kernel driver, and nothing of this machine's but the
build. Mounts are in a namespace of their own and end with it."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ENTER = Path(__file__).with_name("enter.py")
SLACK_SECONDS = 20  # to make and end the namespaces, on a busy machine
NAMESPACES = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]


def reason_against():
    """Why there can be no rooms here; None: there can."""
    if os.geteuid() != 0:
        return "it needs root, for chroot and mounts"
    if not shutil.which("unshare"):
        return "unshare is not installed"
    tried = subprocess.run(NAMESPACES + ["true"], capture_output=True)
    return None if tried.returncode == 0 else "this machine does not allow mount namespaces"


class Ended:
    def __init__(self, status, output):
        self.status, self.output = status, output

    @property
    def how(self):
        return "it took too long" if self.status is None else f"it ended with status {self.status}"


class Room:
    def __init__(self, root, build, emulator):
        self.root, self.build, self.emulator = Path(root), Path(build).resolve(), emulator

    def program(self, words, preload=False, background=False, head_start=0, **variables):
        """One of run_together's. `variables` come on top of its environment; None leaves one out."""
        libraries = ([str(self.build / "lib/libshimhip.so")] if preload else []) + [self.emulator]
        environment = {"PATH": f"{self.build}/bin:/usr/bin", "HOME": "/tmp", "LANG": "C.UTF-8",
                       "HSA_ENABLE_SDMA": "0",  # no such queues are emulated
                       # The HIP runtime compiles the kernels of its copies and fills. All programs of this root folder
                       # share one cache of such kernels, so only the first program waits for the compiler.
                       "AMD_COMGR_CACHE": "1", "AMD_COMGR_CACHE_DIR": "/comgr",
                       "LD_PRELOAD": ":".join(libraries), "KFD_EMULATOR_DEVICE": "/run/gpus", **variables}
        return {"words": [str(word) for word in words], "background": background, "head_start": head_start,
                "environment": {name: str(value) for name, value in environment.items() if value is not None}}

    def run_together(self, programs, limit=60):
        asked = {"root": str(self.root), "build": str(self.build), "limit": limit, "programs": programs}
        try:
            result = subprocess.run(NAMESPACES + [sys.executable, "-B", str(ENTER)], input=json.dumps(asked), text=True,
                                    capture_output=True, timeout=limit + SLACK_SECONDS)
        except subprocess.TimeoutExpired:
            return [Ended(None, "") for _ in programs]
        if result.returncode != 0:
            return [Ended(result.returncode, result.stderr) for _ in programs]
        return [Ended(told["status"], told["output"]) for told in json.loads(result.stdout)]

    def run(self, words, limit=60, **how):
        return self.run_together([self.program(words, **how)], limit)[0]
