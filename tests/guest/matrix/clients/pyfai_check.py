"""pyFAI and silx: an azimuthal integration, a sort by median and statistics on the OpenCL device, and on the host."""
import warnings

import numpy as np

warnings.simplefilter("ignore")
from pyFAI.azimuthalIntegrator import AzimuthalIntegrator  # noqa: E402
from silx.opencl.statistics import Statistics  # noqa: E402


def main():
    y, x = np.mgrid[0:200, 0:200]
    image = (np.hypot(y - 100, x - 100) % 31).astype(np.float32)
    integrator = AzimuthalIntegrator(dist=0.1, poni1=0.01, poni2=0.01, pixel1=1e-4, pixel2=1e-4, wavelength=1e-10)
    device = integrator.integrate1d(image, 100, method=("full", "csr", "opencl"), unit="2th_deg")
    host = integrator.integrate1d(image, 100, method=("full", "csr", "cython"), unit="2th_deg")
    print("integration", round(float(device.intensity.sum()), 2), round(float(host.intensity.sum()), 2))
    seen = Statistics(size=image.size, template=image)(image)
    print("statistics", "right" if np.isclose(seen.mean, image.mean(), rtol=1e-4) else "WRONG")


main()
