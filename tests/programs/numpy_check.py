"""An ordinary pyopencl program whose results numpy checks: copies, kernels, two queues, events, maps."""

import numpy as np
import pyopencl as cl

SOURCE = """
__kernel void saxpy(__global float* y, __global const float* x, float a) {
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
__kernel void advance(__global uint* y, uint v) {
    size_t i = get_global_id(0);
    y[i] = y[i] * 31 + v;
}
"""


def check(name, seen, wanted):
    print(f"{name}: {'right' if np.array_equal(seen, wanted) else 'WRONG'}, {seen.size} items")
    assert np.array_equal(seen, wanted), name


def main():
    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    first = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    second = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build()
    flags = cl.mem_flags

    size = 1 << 16
    x = (np.arange(size) % 1000).astype(np.float32)
    y = np.ones(size, dtype=np.float32)
    x_buffer = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x)
    y_buffer = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=y)
    for _ in range(20):
        event = program.saxpy(first, (size,), None, y_buffer, x_buffer, np.float32(2))
        y += np.float32(2) * x
    event.wait()
    assert event.profile.start <= event.profile.end
    result = np.empty_like(y)
    cl.enqueue_copy(first, result, y_buffer)
    check("saxpy on one queue", result, y)

    words = np.zeros(4096, dtype=np.uint32)
    buffer = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=words)
    before = None
    for i in range(100):
        queue = first if i % 3 else second
        before = program.advance(queue, words.shape, None, buffer, np.uint32(i), wait_for=[before] if before else None)
        words = words * np.uint32(31) + np.uint32(i)
    result = np.empty_like(words)
    cl.enqueue_copy(second, result, buffer, wait_for=[before])
    check("steps on two queues tied by events", result, words)

    gate = cl.UserEvent(context)
    program.advance(first, words.shape, None, buffer, np.uint32(7), wait_for=[gate])
    called = []
    last = cl.enqueue_marker(first)
    last.set_callback(cl.command_execution_status.COMPLETE, called.append)
    first.flush()
    gate.set_status(cl.command_execution_status.COMPLETE)
    mapped, _ = cl.enqueue_map_buffer(first, buffer, cl.map_flags.READ, 0, words.shape, words.dtype)
    words = words * np.uint32(31) + np.uint32(7)
    check("a step behind a user event, mapped", np.array(mapped), words)
    mapped.base.release(first)
    first.finish()
    second.finish()
    print("done")


main()
