"""CuPy: a sort, a product and a kernel of its own, against numpy."""
import cupy
import numpy

host = (numpy.arange(200000) * 7919 % 100003).astype(numpy.int64)
data = cupy.asarray(host)
print("sort", "right" if numpy.array_equal(cupy.asnumpy(cupy.sort(data)), numpy.sort(host)) else "wrong")
square = cupy.ElementwiseKernel("int64 x", "int64 y", "y = x * x", "square")
print("square", "right" if numpy.array_equal(cupy.asnumpy(square(data)), host * host) else "wrong")
matrix = cupy.arange(256 * 256, dtype=cupy.float64).reshape(256, 256) % 5
print("product", float((matrix @ matrix).sum()))
