"""The stand-in for an AMD GPU where there is none: the build's HIP runtimes without hardware (tests/fake/hip)."""
import ctypes
import os
from pathlib import Path

from lib import backend as backends

ON_CUDA, FAKE = "libhiponcuda.so", "libfakehip.so"  # the better one first
KFD = "libfakekfd.so"                               # the kernel driver's, for level 3
TITLES = {ON_CUDA: "HIP over the CUDA driver of {device}", FAKE: "fake HIP runtime"}


DRIVER = "FAKE_CUDA_DIRECT"                         # the CUDA driver's file, for the first


def amd_hardware(root=Path("/")):
    """Returns the sign that this machine has an AMD GPU, as the kernel driver shows it; None: there is no sign."""
    if (root / "dev/kfd").exists():
        return "/dev/kfd"
    for node in sorted((root / "sys/class/kfd/kfd/topology/nodes").glob("*/gpu_id")):
        try:
            if node.read_text().strip() not in ("", "0"):  # 0: a processor
                return f"/{node.relative_to(root)}"
        except OSError:  # not this user's to read: it is there all the same
            return f"/{node.relative_to(root)}"
    return None


def cuda_driver():
    """The CUDA driver's own file, by which it is found past a preloaded shim of its name: the environment's, or the
    machine's; None: there is none."""
    if os.environ.get(DRIVER):
        return os.environ[DRIVER]
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    mapped = (line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines())
    return next((path for path in mapped if Path(path).name.startswith("libcuda.so")), None)


def environment_of(name, libraries, folder):
    """Returns the variables that programs need for it; None if it cannot be used here. Programs that name one file
    share one fake device."""
    if not (libraries / name).exists():
        return None
    found = {"XSCHED_HIP_LIB": str(libraries / name)}
    if name == ON_CUDA:
        driver = cuda_driver()
        return {**found, DRIVER: driver} if driver else None
    found["FAKE_CUDA_SHARED"] = str(folder / "device")
    if (libraries / KFD).exists():
        found |= {"LD_PRELOAD": str(libraries / KFD), "FAKE_KFD": "1"}
    return found


def find(session, name):
    """The HIP backend of that stand-in and what its programs need in their environment. None: it does not answer."""
    environment = environment_of(name, session.build / "lib", session.folder)
    backend = backends.Backend("hip", backends.TITLES["hip"], session.build / "bench" / "hip")
    if environment is None or not backends.answers(backend, {**session.environment, **environment}):
        return None
    title = TITLES[name].format(device=backend.device)
    backend.stand_in, backend.device = name, f"stand-in: {title} ({name}); not AMD hardware"
    backend.driver = f"stand-in: {name}; not AMD hardware"
    return backend, environment


def choose(session):
    """The HIP backend of the first stand-in that answers, and the session set to it. Raises LookupError with a sentence
    if none does."""
    for name in TITLES:
        if found := find(session, name):
            session.environment |= found[1]
            return found[0]
    libraries = session.build / "lib"
    raise LookupError(f"no AMD runtime answers, and {libraries} has no stand-in for one: build the tests "
                      "(make acceptance PLATFORM=hip does)")


def use_as_libcuda(session, driver):
    """The session's programs find that file as libcuda.so.1."""
    (session.folder / "libcuda.so.1").symlink_to(driver.resolve())
    known = session.environment.get("LD_LIBRARY_PATH")
    session.environment["LD_LIBRARY_PATH"] = f"{session.folder}:{known}" if known else str(session.folder)
