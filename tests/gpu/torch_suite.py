#!/usr/bin/env python3
"""PyTorch programs of many kinds whose results must not depend on being scheduled. An ordinary PyTorch program, unless
--disturb is given: then a thread suspends and resumes its queues at random.

    torch_suite.py --report FILE [--modes eager,graph,...] [--disturb SEED --libraries build/lib]

One line per case in FILE: name, fingerprint of its results in hexadecimal (or "failed"), milliseconds (or the error).
"""
import argparse
import ctypes
import faulthandler
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "cuda" / "pytorch"))
import models  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch_models import Transformer, cnn, mlp, vision  # noqa: E402

DEVICE = "cuda"
CASE_SECONDS = 120
CASES = []  # (mode, name, function)


def case(mode):
    def keep(function):
        CASES.append((mode, function.__name__, function))
        return function
    return keep


def parameters(model):
    return [parameter for _, parameter in sorted(model.state_dict().items())]


def trained(model, batch, steps, make_optimizer=None, context=None):
    """The model's parameters after `steps` steps on one batch."""
    model = model.to(DEVICE).train()
    optimizer = (make_optimizer or (lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9)))(model.parameters())
    inputs, labels = batch
    for _ in range(steps):
        with context() if context else torch.enable_grad():
            loss = nn.functional.cross_entropy(model(inputs).float(), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return parameters(model)


def inferred(model, inputs, times=5):
    model = model.to(DEVICE).eval()
    with torch.no_grad():
        return [model(inputs + i if inputs.is_floating_point() else (inputs + i) % 30000) for i in range(times)]


# --- batches

def batch(*shape, classes=10):
    generator = torch.Generator().manual_seed(2)
    return (torch.randn(*shape, generator=generator).to(DEVICE),
            torch.randint(0, classes, (shape[0],), generator=generator).to(DEVICE))


def text_batch():
    return models.words(16, 64, device=DEVICE), batch(16, 1)[1]


# --- eager

@case("eager")
def mlp_training():
    return trained(mlp(), batch(256, 784), 50)


@case("eager")
def cnn_training():
    return trained(cnn(), batch(64, 3, 32, 32), 20)


@case("eager")
def transformer_training():
    return trained(Transformer(), text_batch(), 10, lambda p: torch.optim.AdamW(p, lr=1e-4))


@case("eager")
def resnet18_training():
    return trained(vision("resnet18"), batch(16, 3, 224, 224, classes=1000), 5)


@case("eager")
def resnet50_inference():
    return inferred(vision("resnet50"), models.images(8, DEVICE))


@case("eager")
def mobilenet_inference():
    return inferred(vision("mobilenet_v2"), models.images(8, DEVICE))


@case("eager")
def bert_inference():
    return inferred(models.bert(), models.words(4, 128, device=DEVICE))


@case("eager")
def bert_training():
    model = nn.Sequential(models.bert(4, 256), nn.Flatten(), nn.Linear(64 * 256, 10))
    return trained(model, text_batch(), 5, lambda p: torch.optim.AdamW(p, lr=1e-4))


@case("eager")
def gpt2_generation():
    return [models.greedy(models.gpt2().to(DEVICE).eval(), models.words(2, 8, device=DEVICE), 24)]


@case("eager")
def libraries():
    """cuBLAS, cuFFT, cuSOLVER, cuRAND, cuSPARSE, NVRTC, sorting, and reading single values back."""
    torch.manual_seed(3)
    a = torch.randn(512, 512, device=DEVICE)
    found = [a @ a, torch.fft.fft(a).real, torch.linalg.qr(a)[1], torch.linalg.cholesky(a @ a.T + 512 * torch.eye(
        512, device=DEVICE)), torch.sort(a.flatten())[0], torch.randint(0, 99, (1000,), device=DEVICE)]
    if DEVICE == "cuda":
        found.append(torch.cuda.jiterator._create_jit_fn("template <typename T> T twice(T x) { return x + x; }")(a))
    for i in range(50):
        a[i, i] = a[i].sum().item() % 1
    return [*found, a]


# --- CUDA graphs

@case("graph")
def graph_inference():
    model, text = Transformer().to(DEVICE).eval(), models.words(8, 64, device=DEVICE)
    graph, output = models.capture(model, text)
    found = []
    for i in range(30):
        text.add_(1).remainder_(30000)
        graph.replay()
        found.append(output.clone())
    return found


@case("graph")
def graph_training():
    """A whole training step captured; other streams keep working meanwhile."""
    model, optimizer_of = mlp().to(DEVICE), lambda p: torch.optim.SGD(p, lr=0.01)
    optimizer, (inputs, labels) = optimizer_of(model.parameters()), batch(256, 784)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())

    def step():
        optimizer.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    for i in range(50):
        inputs.add_(0.001)
        graph.replay()
    return parameters(model)


# --- autocast

@case("autocast")
def bfloat16_training():
    return trained(Transformer(), text_batch(), 8, lambda p: torch.optim.AdamW(p, lr=1e-4),
                   lambda: torch.autocast(DEVICE, torch.bfloat16))


@case("autocast")
def float16_training_with_scaler():
    model, (inputs, labels) = cnn().to(DEVICE).train(), batch(64, 3, 32, 32)
    optimizer, scaler = torch.optim.SGD(model.parameters(), lr=0.01), torch.amp.GradScaler(DEVICE)
    for _ in range(15):
        with torch.autocast(DEVICE, torch.float16):
            loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return parameters(model)


# --- several streams, pinned memory, threads

@case("streams")
def loader_with_pinned_memory():
    """A copying stream ahead of a computing one, each batch handed over by events."""
    generator = torch.Generator().manual_seed(4)
    data = torch.utils.data.TensorDataset(torch.randn(2048, 784, generator=generator),
                                          torch.randint(0, 10, (2048,), generator=generator))
    loader = torch.utils.data.DataLoader(data, batch_size=128, num_workers=2, pin_memory=True)
    model, copying, computing = mlp().to(DEVICE), *STREAMS[:2]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    torch.cuda.synchronize()
    for _ in range(2):
        for inputs, labels in loader:
            with torch.cuda.stream(copying):
                inputs, labels = inputs.to(DEVICE, non_blocking=True), labels.to(DEVICE, non_blocking=True)
                arrived = copying.record_event()
            with torch.cuda.stream(computing):
                computing.wait_event(arrived)
                inputs.record_stream(computing), labels.record_stream(computing)
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(inputs), labels).backward()
                optimizer.step()
    torch.cuda.synchronize()
    return parameters(model)


@case("streams")
def forks_and_joins():
    """Chains on several streams (two of them urgent) that wait for each other, among them the NULL stream."""
    start = torch.linspace(-1, 1, 512 * 512, device=DEVICE).reshape(512, 512) / 16
    parts = [start + i for i in range(len(STREAMS))]
    for _ in range(25):
        begun = torch.cuda.current_stream().record_event()
        ends = []
        for i, stream in enumerate(STREAMS):
            with torch.cuda.stream(stream):
                stream.wait_event(begun)
                parts[i] = torch.tanh(parts[i] @ start + i)
                parts[i].record_stream(torch.cuda.current_stream())
                ends.append(stream.record_event())
        for end in ends:
            torch.cuda.current_stream().wait_event(end)
        parts = [part + parts[0].mean() for part in parts]
    torch.cuda.synchronize()
    return parts


@case("streams")
def copies():
    """Pinned and pageable memory, both ways, blocking and not, with the results used at once."""
    found, pinned = [], torch.empty(1 << 20, pin_memory=DEVICE == "cuda")
    for i in range(20):
        on_device = torch.full((1 << 20,), float(i), device=DEVICE)
        on_device.add_(torch.arange(1 << 20, dtype=torch.float32).to(DEVICE))
        pinned.copy_(on_device, non_blocking=True)
        torch.cuda.current_stream().synchronize()
        found.append(pinned.clone())
        found.append(on_device.cpu())
        back = pinned.to(DEVICE, non_blocking=True)
        found.append((back * 2)[::1024].cpu())
        torch.cuda.current_stream().synchronize()
    return found


@case("streams")
def threads():
    """Four threads, each with a stream of its own."""
    found = [None] * 4

    def work(number):
        with torch.cuda.stream(STREAMS[number % len(STREAMS)]):
            part = torch.full((256, 256), 0.01 * (number + 1), device=DEVICE)
            for _ in range(100):
                part = torch.sin(part @ part.T + number)
            found[number] = part.cpu()
    workers = [threading.Thread(target=work, args=(number,)) for number in range(len(found))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return found


@case("streams")
def timed_events():
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    a = torch.ones(1024, 1024, device=DEVICE)
    begin.record()
    for _ in range(20):
        a = a @ a / 1024
    end.record()
    end.synchronize()
    assert begin.elapsed_time(end) > 0 and begin.query() and end.query()
    return [a]


@case("nccl")
def nccl_alone():
    import tempfile
    import torch.distributed as dist
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group("nccl", init_method=f"file://{folder}/store", rank=0, world_size=1)
        a = torch.arange(1 << 16, dtype=torch.float32, device=DEVICE)
        for _ in range(10):
            dist.all_reduce(a)
            a = a + 1
        dist.barrier()
        torch.cuda.synchronize()
        dist.destroy_process_group()
    return [a]


# --- torch.compile: Triton kernels, compilers as child processes

@case("compile")
def compiled_mlp_training():
    return trained(torch.compile(mlp().to(DEVICE)), batch(256, 784), 30)


@case("compile")
def compiled_transformer_inference():
    return inferred(torch.compile(Transformer().to(DEVICE).eval()), models.words(16, 64, device=DEVICE))


@case("compile")
def compiled_with_graphs():
    model, inputs = torch.compile(mlp().to(DEVICE).eval(), mode="reduce-overhead"), batch(256, 784)[0]
    with torch.no_grad():
        return [model(inputs + i).clone() for i in range(20)]


# --- the run

def disturbed(libraries, seed):
    """Starts the disturbance; returns what ends it."""
    library = ctypes.CDLL(str(libraries / "libdisturb.so"))
    library.disturb_start.restype = ctypes.c_char_p
    for stream in [torch.cuda.default_stream(), *STREAMS]:
        library.disturb_add(ctypes.c_void_p(stream.cuda_stream))
    refused = library.disturb_start(str(libraries / "libpreempt.so").encode(),
                                    str(libraries / "libhalcuda.so").encode(), ctypes.c_uint(seed))
    if refused:
        sys.exit(f"torch_suite: no disturbance: {refused.decode()}")

    def stop():
        suspends, refusals = ctypes.c_long(), ctypes.c_long()
        library.disturb_stop(ctypes.byref(suspends), ctypes.byref(refusals))
        return suspends.value, refusals.value
    return stop


def run_case(name, function):
    """One line for the report."""
    began = time.monotonic()
    try:
        models.deterministic()
        number = models.fingerprint(*function())
        return f"{name} {number:014x} {(time.monotonic() - began) * 1000:.0f}"
    except Exception as error:  # whatever it is, the other cases go on
        return f"{name} failed {type(error).__name__}: {error}".replace("\n", " ")[:500]


def main():
    global DEVICE, STREAMS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=Path, required=True)
    parser.add_argument("--out", type=Path, help="made empty")
    parser.add_argument("--modes", default="eager,graph,autocast,streams,nccl")
    parser.add_argument("--cases", default="", help="only those with one of these words in their names")
    parser.add_argument("--disturb", type=int)
    parser.add_argument("--libraries", type=Path)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    DEVICE = options.device
    STREAMS = [torch.cuda.Stream(priority=-(i % 2)) for i in range(4)] if DEVICE == "cuda" else []
    words = [word for word in options.cases.split(",") if word]
    chosen = [(name, function) for mode, name, function in CASES
              if mode in options.modes.split(",") and (not words or any(word in name for word in words))]
    stop = disturbed(options.libraries, options.disturb) if options.disturb is not None else None
    with open(options.report, "w", buffering=1) as out:
        for name, function in chosen:
            print(f"torch_suite: {name}", file=sys.stderr, flush=True)
            faulthandler.dump_traceback_later(CASE_SECONDS, exit=True)
            out.write(run_case(name, function) + "\n")
            faulthandler.cancel_dump_traceback_later()
        if stop:
            out.write("disturbance {} suspends, {} refused\n".format(*stop()))
    if options.out:
        options.out.write_text("")


if __name__ == "__main__":
    main()
