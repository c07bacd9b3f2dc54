"""The keys that the file of `xcli doctor --run --save` must have, as docs/HIP.md says it."""

TEMPLATE = ["test_id", "date", "hardware", "rocm_version", "xsched_version", "status", "metrics", "notes"]
MACHINE = ["kernel", "distribution", "container", "load_average", "memory_total", "memory_available", "variables"]
KFD = "/sys/class/kfd/kfd"
FILES = ["/sys/module/amdgpu/parameters/cwsr_enable", "/sys/module/amdgpu/parameters/sched_policy",
         f"{KFD}/topology/nodes/1/properties", f"{KFD}/topology/nodes/1/io_links/0/properties",
         f"{KFD}/proc/77/queues/0/gpuid", f"{KFD}/proc/77/queues/0/type"]
VARIABLE, SECRET = "HSA_ENABLE_SDMA", "SOME_PASSWORD"  # one that changes what a runtime does, and another one


def lacks(found, names, where):
    return [f"{where} has no {name}" for name in names if name not in found]


def wrong_in_machine(machine):
    wrong = lacks(machine, MACHINE, "the machine") + lacks(machine.get("files", {}), FILES, "its files")
    properties = machine.get("files", {}).get(FILES[2], "")
    if "unique_id sha256:" not in properties:
        wrong.append(f"the GPU's serial number is not a hash: {properties[-80:]}")
    if VARIABLE not in machine.get("variables", {}):
        wrong.append(f"the variables have no {VARIABLE}")
    return wrong


def wrong_in_steps(steps):
    wrong = [f"step {step['step']}: {step['ending']}" for step in steps.values() if step["ending"] != "done"]
    wrong += lacks(steps, ["runtime", "device", "routes"], "the steps")
    if not steps.get("routes", {}).get("found", {}).get("functions"):
        wrong.append("no library is named that answers for functions")
    return wrong


def wrong(report, text):
    """Sentences; empty: all is there. `text`: the file."""
    metrics = report.get("metrics", {})
    steps = {step["step"]: step for step in metrics.get("steps", [])}
    return (lacks(report, TEMPLATE, "the file") + wrong_in_machine(metrics.get("machine", {})) +
            wrong_in_steps(steps) + ([f"it has the value of {SECRET}"] if "secret-value" in text else []))
