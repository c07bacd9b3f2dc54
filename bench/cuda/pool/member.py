#!/usr/bin/env python3
"""One program of a pool (bench/cuda/pool_faults.py), through the driver alone: kernels of a millisecond, one after the
other, until it ends or is told to fail.

    member.py [--fails HOW] [--go FILE] [--seconds 60]

HOW it fails once FILE is there: address (a kernel writes where there is no memory), assertion (an assertion in a kernel
fails), torch (PyTorch's own assertion: an index out of range), long (a kernel of two seconds, in which it can be
killed). Lines, with the time in seconds of CLOCK_MONOTONIC: "pid PID", "worked TIME ROUNDS LONGEST" every 20 ms
(LONGEST: seconds of the longest round), "failing TIME", "error TIME CALL CODE NAME". Exit status 1 after an error.
"""
import argparse
import ctypes
import os
import sys
import time

KERNEL_NS, LONG_NS, SAY_S, LOOK_S = 1_000_000, 2_000_000_000, 0.02, 0.01
PTX = b"""
.version 6.0
.target sm_50
.address_size 64
.extern .func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function,
                           .param .b64 size);
.global .align 1 .b8 text[5] = {116, 114, 117, 101, 0};
.visible .entry busy(.param .u64 length)
{
    .reg .pred %more;
    .reg .b64 %begin, %now, %length;
    ld.param.u64 %length, [length];
    mov.u64 %begin, %globaltimer;
again:
    mov.u64 %now, %globaltimer;
    sub.u64 %now, %now, %begin;
    setp.lt.u64 %more, %now, %length;
    @%more bra again;
    ret;
}
.visible .entry address(.param .u64 where)
{
    .reg .b64 %where;
    ld.param.u64 %where, [where];
    st.global.u64 [%where], %where;
    ret;
}
.visible .entry assertion(.param .u64 unused)
{
    .reg .b64 %text;
    mov.u64 %text, text;
    cvta.global.u64 %text, %text;
    {
        .param .b64 message;
        .param .b64 file;
        .param .b32 line;
        .param .b64 function;
        .param .b64 size;
        st.param.b64 [message], %text;
        st.param.b64 [file], %text;
        st.param.b32 [line], 1;
        st.param.b64 [function], %text;
        st.param.b64 [size], 1;
        call __assertfail, (message, file, line, function, size);
    }
    ret;
}
"""


def say(*words):
    print(words[0], f"{time.monotonic():.4f}", *words[1:], flush=True)


class Driver:
    """libcuda by name; an error ends the program."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self("cuInit", 0)
        context = ctypes.c_void_p()
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self("cuCtxSetCurrent", context)
        self.module = ctypes.c_void_p()
        self("cuModuleLoadData", ctypes.byref(self.module), PTX)

    def __call__(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(code, ctypes.byref(text))
            say("error", name, code, (text.value or b"").decode())
            os._exit(1)

    def run(self, kernel, value):
        function, number = ctypes.c_void_p(), ctypes.c_uint64(value)
        self("cuModuleGetFunction", ctypes.byref(function), self.module, kernel.encode())
        given = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(number), ctypes.c_void_p))
        self("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, None, given, None)
        self("cuCtxSynchronize")


def torch_work(go):
    """The same by PyTorch, as a program of today fails."""
    import torch
    values = torch.ones(1 << 20, device="cuda")

    def one_round():
        values.mul_(1).sum().item()

    def fail():
        values[torch.tensor([1 << 30], device="cuda")].sum().item()
    work(one_round, fail, go)


def work(one_round, fail, go):
    one_round()
    rounds, longest, said = 0, 0.0, time.monotonic()
    looked = said
    while True:
        began = time.monotonic()
        one_round()
        now = time.monotonic()
        rounds, longest = rounds + 1, max(longest, now - began)
        if now - said >= SAY_S:
            say("worked", rounds, f"{longest:.4f}")
            rounds, longest, said = 0, 0.0, now
        if now > END:
            return
        if fail and go and now - looked >= LOOK_S:
            looked = now
            if os.path.exists(go):
                say("failing")
                fail()


def main():
    global END
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fails", choices=("address", "assertion", "torch", "long"))
    parser.add_argument("--go")
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    END = time.monotonic() + options.seconds
    print("pid", os.getpid(), flush=True)
    if options.fails == "torch":
        try:
            torch_work(options.go)
        except RuntimeError as error:
            say("error", "PyTorch", 0, type(error).__name__)
            raise
        return
    driver = Driver()
    value = {"address": 16, "assertion": 0, "long": LONG_NS}.get(options.fails)
    kernel = "busy" if options.fails == "long" else options.fails
    work(lambda: driver.run("busy", KERNEL_NS), (lambda: driver.run(kernel, value)) if kernel else None, options.go)


if __name__ == "__main__":
    sys.exit(main())
