"""All programs of the matrix. Debian's that use OpenCL are here; rows_own.py has clients of our own in other languages
and for libraries, rows_other.py Vulkan and Ascend, rows_cuda.py what needs an NVIDIA GPU."""
import rows_cuda
import rows_other
import rows_own
from row import Mask, Row

# Packages whose versions the result says.
DRIVERS = ("pocl-opencl-icd", "ocl-icd-libopencl1", "mesa-vulkan-drivers", "libvulkan1")
NUMPY_CHECK = "{clients}/../../../programs/numpy_check.py"
HASH = "c4ca4238a0b923820dcc509a6f75849b"  # of "1"
TIME = Mask(r"(?<=: )[0-9.]+(?= us)", "a time")
DATE = Mask(r"gegl:\d+\): GEGL-WARNING \*\*: [0-9:.]+", "a process number and the time of day")
FFT_SPEED = Mask(r"(?:wall time|gflops): \S+", "a time or a speed")
BLUR = ("-vf", "format=yuv420p,hwupload,avgblur_opencl=3,hwdownload,format=yuv420p")
CTS = "{outside}/cts/test_"
EVENT_STATES = (Mask(r"^\s*Event status.*$", "how far the device had come by then"),
                Mask(r"^WARNING: (?!Events completed before).*$", "the same"),
                Mask(r"(?:WARNING: Events completed before they could be released.*?again\.|"
                     r"Note: Event status was running or queued when released.*?good\.\n)", "the same"))
CALLBACKS = Mask(r"^(?:\s*(?:Waiting for callback\.\.\.|Event callback +\d+ +of type \d+ triggered))+\s*$|^$",
                 "two threads print, and lines get into each other")
POINTERS = (Mask(r"0x[0-9a-f]{6,}", "an address"),)
PROFILED = (Mask(r"(?<=: )\d[0-9.]*(?=ms| |$)", "a time or a moment"),)


def of_cts(group, tests, masks=(), seconds=120):
    return Row(f"OpenCL CTS {group}", (CTS + group, *tests), masks=masks, seconds=seconds,
               says="Khronos' conformance tests")


OF_DEBIAN = (
    Row("clinfo", ("clinfo",), packages=("clinfo",), quick=True, uses_device=False,
        says="asks for all that can be asked"),
    Row("clpeak", ("clpeak", "--kernel-latency"), packages=("clpeak",), masks=(TIME,), says="profiled events"),
    Row("pyopencl", ("/usr/bin/python3", "-B", NUMPY_CHECK), packages=("python3-pyopencl", "python3-numpy"),
        modules=("pyopencl", "numpy"), quick=True, says="two queues, events, maps"),
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
        variables={"GEGL_USE_OPENCL": "cpu"}, masks=(DATE,), says="GIMP's graph of filters"),
    Row("darktable", ("darktable-cli", "in.png", "out.ppm", "--core", "--configdir", "{home}/darktable"),
        packages=("darktable",), make=("{clients}/picture.py in.png",), files=("out.ppm",), uses_device=False,
        masks=(Mask(r"^wait time [0-9.]+s$", "a time, told where it waited"),),
        says="looks at the device and refuses one that is a processor"),
    Row("ImageMagick", ("convert", "in.png", "-blur", "0x3", "-resize", "50%", "+set", "date:create", "+set",
                        "date:modify", "+set", "date:timestamp", "ppm:out.ppm"),
        packages=("imagemagick",), make=("{clients}/picture.py in.png",), files=("out.ppm",), uses_device=False,
        says="Debian's is built without OpenCL"),
    Row("LibreOffice", ("/usr/lib/libreoffice/program/soffice.bin", "-env:UserInstallation=file://{home}/office",
                        "--headless", "--convert-to", "csv", "--outdir", "out", "sheet.csv"),
        packages=("libreoffice-calc",), make=("{clients}/sheet.py > sheet.csv",), files=("out/sheet.csv",),
        uses_device=False, says="3,000 formulas; it has a list of devices that it uses, without PoCL's"),
    Row("ffmpeg", ("/usr/bin/ffmpeg", "-v", "error", "-init_hw_device", "opencl=it", "-filter_hw_device", "it", "-f",
                   "lavfi", "-i", "testsrc=s=320x240:d=2", *BLUR, "-f", "framemd5", "-"),
        packages=("ffmpeg",), says="a filter on OpenCL, a digest of each picture"),
    Row("UFO", ("ufo-launch", "-q", "dummy-data", "width=256", "height=256", "number=8", "!", "blur", "size=9", "!",
                "write", "filename=out.tif"),
        packages=("libufo-bin", "ufo-filters", "ufo-filters-data"), files=("out.tif",),
        variables={"UFO_DEVICE_TYPE": "cpu"}, masks=(Mask(r"(?<=Finished in )[0-9.]+", "a time"),),
        says="a graph of filters, each with a thread"),
    Row("StarPU", ("/usr/lib/x86_64-linux-gnu/starpu/examples/vector_scal",), packages=("starpu-examples",),
        variables={"STARPU_NCPU": "0", "STARPU_OPENCL_ON_CPUS": "1", "STARPU_OPENCL_ONLY_ON_CPUS": "1",
                   "STARPU_SILENT": "1"}, says="its own threads and events"),
    Row("CLBlast's tests", ("clblast_test_xaxpy", "-precision", "32"), packages=("clblast-tests",),
        says="results against CBLAS's"),
    Row("clFFT's client", ("clFFT-client", "-x", "512", "-y", "64", "-p", "50"), packages=("clfft-client",),
        masks=(FFT_SPEED,), says="profiled transforms"),
    Row("pyFAI and silx", ("/usr/bin/python3", "-B", "{clients}/pyfai_check.py"),
        packages=("python3-pyfai", "python3-silx"), modules=("pyFAI", "silx", "pyopencl"), seconds=120,
        says="crystallography: an integration, statistics"),
    of_cts("api", ("get_*", "retain_*", "release_*", "queue_*", "negative*", "kernel_arg_changes", "clone_kernel",
                   "zero_sized_enqueue", "context_destructor_callback", "mem_object_destructor_callback",
                   "execute_kernel_local_sizes"), POINTERS),
    of_cts("events", ("event_*", "userevents", "callbacks", "waitlists"), (*EVENT_STATES, CALLBACKS)),
    of_cts("profiling", ("read_array_int", "write_array_int", "copy_array", "copy_partial_array", "execute"), PROFILED),
    of_cts("multiples", ("context_two_contexts_same_device", "hundred_queues")),
)

ROWS = OF_DEBIAN + rows_own.ROWS + rows_other.ROWS + rows_cuda.ROWS
