"""Which accelerator the main job runs on: the one place that knows. A backend is a pair of programs, hp and lp, with
the same options (see opencl/main_job), and the shim that schedules them."""
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


def described_platforms():
    """Returns the platforms' descriptions: of the source tree, or as they were installed (xcli demo)."""
    installed = Path(__file__).resolve().parents[1] / "platforms.json"
    if installed.exists():
        return json.loads(installed.read_text())
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
    import platforms
    return platforms.platforms()


PATIENCE_SECONDS = 60
# The titles of the platforms by their names in XSCHED_PLATFORM. The best platform comes first: GPUs' own platforms
# before OpenCL, which processors have, too.
TITLES = {name: described["title"] for name, described in sorted(described_platforms().items())}


@dataclass
class Backend:
    name: str             # as in XSCHED_PLATFORM
    title: str            # for people
    programs: Path        # the folder with hp and lp
    device: str = ""      # what the driver calls its device; this and the next two are filled in by answers()
    vendor: str = ""      # what the driver calls itself
    driver: str = ""      # its version
    stand_in: str = ""    # what stands in for the hardware, if anything does; device and driver say so too
    refusal: str = ""     # why it does not answer, as a sentence; filled in by answers()


def answers(backend, environment):
    """Returns whether the platform's driver runs a kernel here: to be installed, as Debian's HIP runtime, is not
    enough. If it does not, backend.refusal says why."""
    program = backend.programs / "hp"
    backend.refusal = ""
    if not program.exists():
        backend.refusal = f"{program} is not built"
        return False
    try:
        result = subprocess.run([program, "--calibrate", "1"], env=environment, text=True, capture_output=True,
                                timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        backend.refusal = f"{program} ran no kernel in {PATIENCE_SECONDS} s"
        return False
    if result.returncode != 0:
        said = result.stderr.strip().splitlines()
        backend.refusal = said[-1] if said else f"{program} ended with status {result.returncode}"
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
    reasons = "; ".join(f"{backend.title}: {backend.refusal}" for backend in backends)
    raise LookupError(f"no accelerator answers ({reasons}): install a driver (scripts/install_deps.sh installs PoCL, "
                      f"an OpenCL that needs no GPU), then build again; looked at "
                      f"{', '.join(str(b.programs) for b in backends)}")
