"""The programs of the matrix that use OpenCL."""
from row import Mask, Row

NUMPY_CHECK = "{clients}/../../../programs/numpy_check.py"
HASH = "c4ca4238a0b923820dcc509a6f75849b"  # of "1"
SPEEDS = Mask(r"(?<=: )[0-9.]+(?= us)", "a time")

ROWS = (
    Row("clinfo", ("clinfo",), packages=("clinfo",), quick=True, uses_device=False,
        says="asks for all that can be asked"),
    Row("clpeak", ("clpeak", "--kernel-latency"), packages=("clpeak",), masks=(SPEEDS,),
        says="profiled events"),
    Row("pyopencl", ("/usr/bin/python3", "-B", NUMPY_CHECK), packages=("python3-pyopencl", "python3-numpy"),
        modules=("pyopencl", "numpy"), quick=True, says="two queues, events, maps"),
    Row("Python ctypes", ("/usr/bin/python3", "-B", "{clients}/client.py"), packages=("python3",), quick=True),
    Row("hashcat", ("hashcat", "-O", "-m", "0", "-a", "3", "--force", "--quiet", "--potfile-disable", "--runtime",
                    "120", HASH, "?d"),
        packages=("hashcat",), variables={"POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable"}, seconds=180,
        says="looks up libOpenCL's functions by itself"),
    Row("OpenCV T-API", ("/usr/bin/python3", "-B", "{clients}/opencv_check.py"), packages=("python3-opencv",),
        modules=("cv2",), variables={"OPENCV_OPENCL_DEVICE": ":CPU:"},
        says="UMat: filters, resizing, a product of matrices"),
    Row("gegl", ("gegl", "in.png", "-o", "out.png", "--", "gaussian-blur", "std-dev-x=6", "std-dev-y=6", "exposure",
                 "exposure=0.5"),
        packages=("gegl",), make=("{clients}/picture.py in.png",), files=("out.png",),
        variables={"GEGL_USE_OPENCL": "cpu"}, masks=(Mask(r"gegl:\d+\): GEGL-WARNING \*\*: [0-9:.]+",
                                                         "a process number and the time of day"),)),
    Row("StarPU", ("/usr/lib/x86_64-linux-gnu/starpu/examples/vector_scal",), packages=("starpu-examples",),
        variables={"STARPU_NCPU": "0", "STARPU_OPENCL_ON_CPUS": "1", "STARPU_OPENCL_ONLY_ON_CPUS": "1",
                   "STARPU_SILENT": "1"}, says="its own threads and events"),
    Row("CLBlast", ("clblast_test_xaxpy", "-precision", "32"), packages=("clblast-tests",),
        says="a library's tests against CBLAS"),
)

DRIVERS = ("pocl-opencl-icd", "ocl-icd-libopencl1")  # packages whose versions the result says
