"""Which accelerator the main job runs on: the one place that knows. A backend is a pair of programs, hp and lp, with
the same options (see opencl/main_job), and the shim that schedules them."""
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import platforms  # noqa: E402

# By their names in XSCHED_PLATFORM; the best first: GPUs' own before OpenCL, which processors have too.
TITLES = {name: described["title"] for name, described in sorted(platforms.platforms().items())}


@dataclass
class Backend:
    name: str             # as in XSCHED_PLATFORM
    title: str            # for people
    programs: Path        # the folder with hp and lp
    device: str = ""      # what the driver calls its device; this and the next two are filled in by answers()
    vendor: str = ""      # what the driver calls itself
    driver: str = ""      # its version
    stand_in: str = ""    # what stands in for the hardware, if anything does; device and driver say so too


def answers(backend, environment):
    """Whether the platform's driver runs a kernel here: to be installed, as Debian's HIP runtime, is not enough."""
    program = backend.programs / "hp"
    if not program.exists():
        return False
    try:
        result = subprocess.run([program, "--calibrate", "1"], env=environment, text=True, capture_output=True,
                                timeout=60)
    except subprocess.TimeoutExpired:
        return False
    if result.returncode != 0:
        return False
    described = result.stdout.strip().split(" ", 1)[1]
    backend.device, backend.vendor, backend.driver = (part.strip() for part in described.split("; ", 2))
    return True


def choose(build, environment, names=tuple(TITLES)):
    """The first backend of these whose driver answers. Raises LookupError with a sentence if none does."""
    backends = [Backend(name, TITLES[name], Path(build) / "bench" / name) for name in names]
    for backend in backends:
        if answers(backend, environment):
            return backend
    raise LookupError(f"no accelerator answers ({', '.join(TITLES[name] for name in names)}): install a driver "
                      "(scripts/install_deps.sh installs PoCL, an OpenCL that needs no GPU), then build again; looked "
                      f"at {', '.join(str(b.programs) for b in backends)}")
