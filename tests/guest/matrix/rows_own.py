"""Clients of our own: the loader from other languages, and libraries of which Debian has no program."""
from row import Mask, Row


def script(language, command, packages, says, **more):
    return Row(language, command, packages=packages, says=says, **more)


def compiled(name, command, packages, says, **more):
    """A program that is compiled into its row's folder."""
    return Row(name, ("./program",), packages=packages, make=(command,), says=says, **more)


CXX = "g++ -std=c++17 -O1 -w -o program {clients}/"
VKFFT = "cc -O1 -w -o program {clients}/vkfft_check.c -lOpenCL -lm"
VKFFT_HEADER = "/usr/include/vkFFT.h"
WHISPER = "{outside}/whisper/"
OF_WHISPER = {"LD_LIBRARY_PATH": WHISPER}
WHISPER_LINES = (Mask(r" +\d+\.\d+ ms", "a time"),)
NODE_MODULES = "npm install --silent --no-audit --no-fund --ignore-scripts --prefix {home} koffi@2"

ROWS = (
    script("Python ctypes", ("/usr/bin/python3", "-B", "{clients}/client.py"), ("python3",), "", quick=True),
    script("Ruby", ("/usr/bin/ruby", "{clients}/client.rb"), ("ruby",), "Fiddle, in two threads"),
    script("LuaJIT", ("luajit", "{clients}/client.lua"), ("luajit",), "ffi"),
    script("PHP", ("php", "-d", "ffi.enable=1", "{clients}/client.php"), ("php-cli",), "FFI"),
    script("SBCL", ("sbcl", "--script", "{clients}/client.lisp"), ("sbcl",), "sb-alien"),
    script("Erlang", ("erl", "-noshell", "-run", "client", "main"), ("erlang-cl", "erlang-base"),
           "Debian's module cl; a thread for each event", make=("erlc {clients}/client.erl",)),
    script("Node", ("node", "{clients}/client.js"), ("nodejs", "npm"), "koffi, in the main thread and a worker",
           make=(NODE_MODULES,), variables={"NODE_PATH": "{home}/node_modules"}, needs=("npm",)),
    compiled("Go", "GOCACHE={home}/go CGO_CFLAGS=-w /usr/bin/go build -o program {clients}/client.go",
             ("golang-go",), "eight goroutines with a queue each", needs=("/usr/bin/go",),
             threads_vary="its runtime starts a thread when a call into C takes long"),
    compiled("Rust", "/usr/bin/rustc --edition 2021 -O -o program {clients}/client.rs", ("rustc",),
             "threads, one of which panics past its queue", needs=("/usr/bin/rustc",)),
    compiled("Boost.Compute", CXX + "boost_check.cpp -lOpenCL", ("libboost-dev",), "transforms, sorts, sums",
             needs=("/usr/include/boost/compute.hpp",)),
    compiled("ViennaCL", CXX + "viennacl_check.cpp -lOpenCL", ("libviennacl-dev",), "a solver of linear equations",
             needs=("/usr/include/viennacl/vector.hpp",)),
    compiled("VkFFT", VKFFT, ("libvkfft-dev",), "transforms there and back", needs=(VKFFT_HEADER,)),
    script("gpyfft", ("/usr/bin/python3", "-B", "{clients}/gpyfft_check.py"), ("python3-gpyfft",), "clFFT from Python",
           modules=("gpyfft", "pyopencl")),
    Row("whisper.cpp", (WHISPER + "main", "-t", "1", "-m", "tiny.bin", "-f", WHISPER + "jfk.wav", "-d", "2000", "-bs",
                        "1", "-bo", "1", "-nf", "-ac", "256"),
        packages=("libclblast1",), variables=OF_WHISPER, masks=WHISPER_LINES,
        make=("{clients}/tiny_whisper.py {outside}/whisper/for-tests-ggml-tiny.en.bin tiny.bin",),
        says="v1.5.5, over CLBlast; a model of arbitrary weights"),
    Row("llama.cpp's library", (WHISPER + "llama_check", "tiny.gguf"), packages=("libclblast1",), variables=OF_WHISPER,
        make=("{clients}/tiny_llama.py tiny.gguf",),
        says="as whisper.cpp v1.5.5 has it, over CLBlast; a model of arbitrary weights"),
    Row("Oclgrind", ("oclgrind", "./program"), packages=("oclgrind", "libvkfft-dev"), uses_device=False,
        needs=(VKFFT_HEADER,), make=(VKFFT,), seconds=120, says="a simulated device, preloaded before the loader"),
)
