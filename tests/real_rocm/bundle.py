"""A file of code for one kind of GPU as the compiler bundles it, which programs register with the runtime."""
import struct

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
HOST, GPU = b"host-x86_64-unknown-linux-gnu-", b"hipv4-amdgcn-amd-amdhsa--gfx942"
ALIGNED = 4096  # where code begins


def entry(offset, size, name):
    return struct.pack("<QQQ", offset, size, len(name)) + name


def bundle(code):
    head = MAGIC + struct.pack("<Q", 2) + entry(ALIGNED, 0, HOST) + entry(ALIGNED, len(code), GPU)
    return head.ljust(ALIGNED, b"\0") + code
