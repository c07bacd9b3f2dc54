"""OpenCV's T-API: the same calls on the OpenCL device and on the host, and how far apart they are."""
import cv2
import numpy as np

cv2.setNumThreads(1)


def steps(image):
    blurred = cv2.GaussianBlur(image, (9, 9), 2.0)
    edges = cv2.Canny(blurred, 40, 90)
    small = cv2.resize(blurred, (160, 120), interpolation=cv2.INTER_LINEAR)
    grown = cv2.dilate(edges, np.ones((3, 3), np.uint8))
    return blurred, edges, small, grown


def main():
    print("OpenCL:", cv2.ocl.haveOpenCL() and cv2.ocl.useOpenCL(), cv2.ocl.Device.getDefault().name())
    y, x = np.mgrid[0:480, 0:640]
    image = ((x * 7 + y * y // 50) & 255).astype(np.uint8)
    for _ in range(10):
        on_device = steps(cv2.UMat(image))
    on_host = steps(image)
    for device, host in zip(on_device, on_host):
        difference = np.abs(device.get().astype(int) - host.astype(int))
        print(host.shape, "checksum", int(device.get().astype(np.int64).sum()), "farthest", int(difference.max()))
    matrix = np.arange(256 * 256, dtype=np.float32).reshape(256, 256) % 17
    product = cv2.gemm(cv2.UMat(matrix), cv2.UMat(matrix), 1.0, None, 0.0).get()
    print("product", "right" if np.array_equal(product, matrix @ matrix) else "WRONG")


main()
