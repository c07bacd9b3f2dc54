"""gpyfft (clFFT): transforms on the OpenCL device, against numpy's."""
import numpy as np
import pyopencl as cl
import pyopencl.array
from gpyfft.fft import FFT

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
host = (np.arange(64 * 64).reshape(64, 64) % 13).astype(np.complex64)
data = cl.array.to_device(queue, host)
transform = FFT(context, queue, data, axes=(0, 1))
for _ in range(10):
    for event in transform.enqueue(forward=True):
        event.wait()
    ahead = data.get()
    for event in transform.enqueue(forward=False):
        event.wait()
print("ahead", "right" if np.allclose(ahead, np.fft.fft2(host), atol=1e-1) else "WRONG")
print("and back", "right" if np.allclose(data.get(), host, atol=1e-2) else "WRONG")
