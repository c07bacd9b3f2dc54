"""Programs of Vulkan, on the driver that answers first (lavapipe, where there is no GPU), and one of AscendCL on the
stand-in for CANN, which only a build with tests has. docs/VULKAN.md says which others have tests of their own."""
from row import Mask, Row

VULKAN = "{clients}/../../../programs/vulkan/"
D3D12 = "cc -O1 -o program " + VULKAN + "d3d12_check.c $(pkg-config --cflags --libs " \
        "libvkd3d-utils libvkd3d)"
LLAMA = "npm install --silent --no-audit --no-fund --ignore-scripts --prefix . node-llama-cpp@3.22.1 " \
        "@node-llama-cpp/linux-x64-vulkan@3.22.1"
LAYERS = Mask(r"^(?:Instance Layers: count = \d+|-+|VK_LAYER_\S+ .*)$", "a list of layers, which has XSched's")

ROWS = (
    Row("vulkaninfo", ("vulkaninfo", "--summary"), packages=("vulkan-tools",), platform="vulkan", uses_device=False,
        masks=(LAYERS,), says="asks for devices"),
    Row("Direct3D 12", ("./program", "400"), packages=("libvkd3d1", "libvkd3d-dev"), make=(D3D12,),
        needs=("/usr/include/vkd3d/vkd3d.h",), platform="vulkan", seconds=120,
        says="vkd3d: fills by compute shaders, copies, a fence for each"),
    Row("ffmpeg on Vulkan", ("/usr/bin/ffmpeg", "-v", "error", "-init_hw_device", "vulkan=v:0", "-f", "lavfi", "-i",
                             "testsrc=s=320x240:d=2", "-vf",
                             "format=yuv420p,hwupload,libplacebo=w=160:h=120,hwdownload,format=yuv420p", "-f",
                             "framemd5", "-"),
        packages=("ffmpeg",), platform="vulkan", seconds=120, says="libplacebo, a digest of each picture"),
    Row("llama.cpp on Vulkan", ("node", "tokens.mjs", "tiny.gguf", "8"), packages=("nodejs", "npm"), needs=("npm",),
        make=(LLAMA, f"cp {VULKAN}tokens.mjs .", f"python3 -B {VULKAN}tiny_gguf.py tiny.gguf"), platform="vulkan",
        variables={"GGML_VK_VISIBLE_DEVICES": "0"}, seconds=300,
        threads_vary="it has a pool of threads, which ends with it",
        says="node-llama-cpp's prebuilt build; a model of arbitrary weights"),
    Row("AscendCL by ctypes", ("/usr/bin/python3", "-B", "{clients}/client_acl.py"), packages=("python3",),
        needs=("{build}/fake_ascend/libascendcl.so",), variables={"LD_LIBRARY_PATH": "{build}/fake_ascend"},
        platform="ascend", says="on the stand-in for CANN; fills and copies in two threads"),
)
