#!/usr/bin/env python3
"""Deterministic programs that fill part of a card in different ways, for tests/gpu/run_memory.py.

    memory_programs.py torch|graph|jax|cupy|share --gib 8 [--rounds N]

Each works until the line "stop" comes to standard input, and at least one round. Writes "ready BYTES" when its memory
is taken, and "done ROUNDS CHECKSUM" at the end: the sum of all bits after ROUNDS rounds of a fixed number of steps.
--rounds N: so many rounds instead. share: PyTorch, with a second process to which tensors go, and from which others
come back, by torch.multiprocessing.
"""
import argparse
import os
import select
import sys

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ.setdefault("XLA_FLAGS", "--xla_gpu_deterministic_ops=true")
WIDTH = 4096
BLOCK = WIDTH * WIDTH * 4  # bytes of one matrix
STEPS = 4  # of a round


def go_on(rounds, limit):
    if limit:
        return rounds < limit
    readable, _, _ = select.select([sys.stdin], [], [], 0)
    return not (readable and sys.stdin.readline())


def with_torch(count, captured):
    import torch
    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True)
    blocks = [torch.randn(WIDTH, WIDTH, device="cuda") / WIDTH**0.5 for _ in range(count)]
    state = torch.randn(256, WIDTH, device="cuda")

    def step():
        for block in blocks:
            state.copy_(torch.tanh(state @ block))
            block.mul_(0.999).add_(0.001 * block.roll(1, 0))

    if captured:
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            step()
        side.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
    yield torch.cuda.memory_reserved()
    while True:
        for _ in range(STEPS):
            graph.replay() if captured else step()
        torch.cuda.synchronize()
        yield lambda: sum(int(block.view(torch.int32).sum(dtype=torch.int64)) for block in [*blocks, state])


def answer(inbox, outbox):
    """The second process of `share`: answers each tensor with one of its own, in which each value differs."""
    import torch
    torch.use_deterministic_algorithms(True)
    for tensor in iter(inbox.get, None):
        outbox.put(torch.tanh(tensor) + 0.5 * tensor.roll(1, 0))
        del tensor


def with_share(count):
    import torch
    import torch.multiprocessing as processes
    processes = processes.get_context("spawn")
    there, back = processes.SimpleQueue(), processes.SimpleQueue()
    process = processes.Process(target=answer, args=(there, back), daemon=True)
    process.start()
    work = with_torch(count, False)
    yield next(work)
    state = torch.randn(1024, WIDTH, device="cuda")
    while True:
        checksum = next(work)
        for _ in range(STEPS):
            there.put(state)
            state = back.get() * 0.7
        torch.cuda.synchronize()
        yield lambda: checksum() + int(state.view(torch.int32).sum(dtype=torch.int64))


def with_jax(count):
    import jax
    import jax.numpy as jnp
    blocks = [jax.random.normal(jax.random.key(number), (WIDTH, WIDTH)) / WIDTH**0.5 for number in range(count)]
    state = jax.random.normal(jax.random.key(count), (256, WIDTH))

    @jax.jit
    def step(state, block):
        return jnp.tanh(state @ block), block * 0.999 + 0.001 * jnp.roll(block, 1, 0)

    yield count * BLOCK
    while True:
        for _ in range(STEPS):
            for number, block in enumerate(blocks):
                state, blocks[number] = step(state, block)
        state.block_until_ready()
        yield lambda: sum(int(jax.lax.bitcast_convert_type(block, jnp.int32).sum(dtype=jnp.uint32))
                          for block in [*blocks, state])


def with_cupy(count):
    import cupy
    chance = cupy.random.RandomState(1)
    blocks = [chance.standard_normal((WIDTH, WIDTH), dtype=cupy.float32) / WIDTH**0.5 for _ in range(count)]
    state = chance.standard_normal((256, WIDTH), dtype=cupy.float32)
    yield count * BLOCK
    while True:
        for _ in range(STEPS):
            for block in blocks:
                state = cupy.tanh(state @ block)
                block *= 0.999
                block += 0.001 * cupy.roll(block, 1, 0)
        cupy.cuda.Device().synchronize()
        yield lambda: sum(int(block.view(cupy.int32).sum(dtype=cupy.int64)) for block in [*blocks, state])


KINDS = {"torch": lambda count: with_torch(count, False), "graph": lambda count: with_torch(count, True),
         "jax": with_jax, "cupy": with_cupy, "share": with_share}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--gib", type=float, default=8)
    parser.add_argument("--rounds", type=int, default=0)
    options = parser.parse_args()
    work = KINDS[options.kind](max(1, int(options.gib * (1 << 30) / BLOCK)))
    print("ready", next(work), flush=True)
    rounds, checksum = 0, None
    while rounds == 0 or go_on(rounds, options.rounds):
        checksum = next(work)
        rounds += 1
    print("done", rounds, checksum(), flush=True)


if __name__ == "__main__":  # the second process of `share` imports this file
    main()
