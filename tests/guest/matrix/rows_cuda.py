"""Programs that need an NVIDIA GPU."""
from row import Mask, Row


def script(name, file, modules, says="", **more):
    return Row(name, ("python3", "-B", "{clients}/" + file), modules=modules, platform="cuda", seconds=180, says=says,
               **more)


EXACT = {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}  # cuBLAS gives the same sums each time

ROWS = (
    script("PyTorch training", "pytorch_check.py", ("torch",), "a network, an optimizer, a CUDA graph",
           variables=EXACT),
    script("PyTorch NCCL", "nccl_check.py", ("torch",), "a group of one process"),
    script("transformers", "transformers_check.py", ("torch", "transformers"), "greedy words of a random GPT-2",
           variables=EXACT),
    script("torchvision", "torchvision_check.py", ("torch", "torchvision"), "inference of a random ResNet-50",
           variables=EXACT),
    script("Triton", "triton_check.py", ("torch", "triton"), "two kernels compiled at run time"),
    script("JAX", "jax_check.py", ("jax",),
           masks=(Mask(r"(?<=\.)\d+", "XLA's sums differ natively in their last digits"),)),
    script("CuPy", "cupy_check.py", ("cupy",)),
    Row("CUDA runtime", ("./program",), make=("nvcc -O1 -o program {clients}/client.cu",), needs=("nvcc",),
        platform="cuda", says="streams, events, a graph, a host function"),
    Row("llama.cpp", ("{outside}/llama.cpp/llama_cuda_check", "tiny.gguf"),
        make=("{clients}/tiny_llama.py tiny.gguf",), platform="cuda", seconds=180,
        says="as whisper.cpp v1.8.2 has it; CUDA graphs; a model of arbitrary weights"),
    Row("nccl-tests", ("{outside}/nccl-tests/all_reduce_perf", "-b", "1M", "-e", "64M", "-f", "4", "-g", "1"),
        platform="cuda", variables={"NCCL_NVLS_ENABLE": "0"}, seconds=120, masks=(
            Mask(r" +[\d.]+ +[\d.]+ +0\.00", "a time, a speed, and 0 for that of a bus"),
            Mask(r"Pid +\d+", "a number")),
        says="all_reduce_perf on one GPU"),
    Row("ffmpeg on CUDA", ("ffmpeg", "-v", "error", "-init_hw_device", "cuda=it", "-filter_hw_device", "it", "-f",
                           "lavfi", "-i", "testsrc=s=320x240:d=20", "-vf",
                           "format=nv12,hwupload,scale_cuda=160:120,hwdownload,format=nv12", "-f", "framemd5", "-"),
        platform="cuda", says="a filter, a digest of each picture"),
)
