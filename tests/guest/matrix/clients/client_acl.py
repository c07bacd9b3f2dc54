#!/usr/bin/env python3
"""AscendCL from Python's ctypes: fills and copies in two threads with a stream each, and a digest of what is left."""
import ctypes
import hashlib
import threading

BYTES, ROUNDS, WITHIN_DEVICE, TO_HOST = 1 << 20, 100, 3, 2
ACL = ctypes.CDLL("libascendcl.so")
SIZE = ctypes.c_size_t


def call(name, *arguments):
    code = getattr(ACL, name)(*arguments)
    if code != 0:
        raise RuntimeError(f"{name}: error {code}")


def made(name, *arguments):
    found = ctypes.c_void_p()
    call(name, ctypes.byref(found), *arguments)
    return found


def work(number, digests):
    call("aclrtSetDevice", 0)
    stream, event = made("aclrtCreateStream"), made("aclrtCreateEventWithFlag", 1)
    one, other = (made("aclrtMalloc", SIZE(BYTES), 0) for _ in range(2))
    for i in range(ROUNDS):
        part = ctypes.c_void_p(one.value + i * 4096)
        call("aclrtMemsetAsync", part, SIZE(4096), (i * 7 + number) % 256, SIZE(4096), stream)
        call("aclrtMemcpyAsync", other, SIZE(BYTES), one, SIZE(BYTES), WITHIN_DEVICE, stream)
        call("aclrtRecordEvent", event, stream)
        if i % 10 == 0:
            call("aclrtSynchronizeEvent", event)
    call("aclrtSynchronizeStream", stream)
    left = (ctypes.c_ubyte * (ROUNDS * 4096))()
    call("aclrtMemcpy", left, SIZE(len(left)), other, SIZE(len(left)), TO_HOST)
    digests[number] = hashlib.sha256(bytes(left)).hexdigest()
    for name, what in (("aclrtDestroyEvent", event), ("aclrtDestroyStream", stream), ("aclrtFree", one),
                       ("aclrtFree", other)):
        call(name, what)


def main():
    call("aclInit", None)
    digests = {}
    threads = [threading.Thread(target=work, args=(number, digests)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(digests[0], digests[1])


if __name__ == "__main__":
    main()
