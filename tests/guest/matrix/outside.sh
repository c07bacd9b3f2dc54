#!/bin/bash
# Builds programs of the matrix outside the tree, where run.py looks for them.
#
#   outside.sh cts CHECKOUT [FOLDER]          Khronos' conformance tests; of KhronosGroup/OpenCL-CTS, at v2023-10-10-00
#                                             or a tag as old as the installed opencl-headers
#   outside.sh whisper CHECKOUT [FOLDER]      whisper.cpp, and llama.cpp's library with a client of ours; of
#                                             ggml-org/whisper.cpp at v1.5.5, whose OpenCL takes any device. Later ones
#                                             from v1.7.0 on take none, or the GPUs of two vendors. Needs libclblast-dev
#   outside.sh nccl-tests CHECKOUT [FOLDER]   of NVIDIA/nccl-tests; needs nvcc, and NCCL in its folder
#   outside.sh llama CHECKOUT [FOLDER]        llama.cpp's library on CUDA with a client of ours; of ggml-org/whisper.cpp
#                                             at v1.8.2, which has it in an example. Needs nvcc and cuBLAS
#
# FOLDER: /opt/xsched-matrix. Needs cmake, ninja-build, g++, opencl-headers and ocl-icd-opencl-dev. Takes some minutes.
# CUDAARCHS=90 builds CUDA programs for H100 where no GPU is; otherwise they are for the GPU that is there.
set -euo pipefail
usage() { sed -n '2,15s/^# \?//p' "$0" >&2; exit 2; }
[ $# -ge 2 ] && [ -d "$2" ] || usage
checkout=$(realpath "$2")
folder=${3:-/opt/xsched-matrix}
clients=$(dirname "$(realpath "$0")")/clients
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

configure() { # what is said only where it fails
    cmake -G Ninja -S "$checkout" -B "$build" -DCMAKE_BUILD_TYPE=Release "$@" > "$build/log" ||
        { cat "$build/log" >&2; exit 1; }
}

cts() {
    library=$(dirname "$(cc -print-file-name=libOpenCL.so)")
    configure -DCL_INCLUDE_DIR=/usr/include -DCL_LIB_DIR="$library" -DSPIRV_INCLUDE_DIR=/usr \
        -DOPENCL_LIBRARIES=OpenCL -DCMAKE_C_FLAGS=-w -DCMAKE_CXX_FLAGS="-O1 -w"
    ninja -C "$build" test_api test_events test_profiling test_multiples
    mkdir -p "$folder/cts"
    for group in api events profiling multiple_device_context; do
        cp "$build/test_conformance/$group"/test_* "$folder/cts/"
    done
}

whisper() {
    configure -DWHISPER_CLBLAST=ON -DWHISPER_NATIVE=OFF -DCMAKE_C_FLAGS=-w -DCMAKE_CXX_FLAGS=-w
    ninja -C "$build" main
    local llama=$checkout/examples/talk-llama made=$folder/whisper
    mkdir -p "$made"
    cp "$build/bin/main" "$build"/libwhisper.so* "$checkout/models/for-tests-ggml-tiny.en.bin" \
        "$checkout/samples/jfk.wav" "$made/"
    g++ -std=c++17 -O2 -w -DGGML_USE_CLBLAST -I"$checkout" -I"$llama" -o "$made/llama_check" \
        "$clients/llama_check.cpp" "$llama/llama.cpp" "$llama/unicode.cpp" "$llama/unicode-data.cpp" \
        -L"$made" -lwhisper -lclblast -lOpenCL -lpthread
}

cuda=$(dirname "$(dirname "$(realpath "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")")
architecture=${CUDAARCHS:-native}
# Looked for beside the program first: where they are elsewhere, links to CUDA's libraries in its folder will do.
places="-Wl,--disable-new-dtags,-rpath,\$ORIGIN:$cuda/lib64"

quietly() { "$@" > "$build/log" 2>&1 || { cat "$build/log" >&2; exit 1; }; }

nccl_tests() {
    local target=$architecture
    [ "$target" = native ] || target=sm_$target
    mkdir "$build/made"
    LD_RUN_PATH=$folder/nccl-tests:$cuda/lib64 quietly make -C "$checkout/src" -j CUDA_HOME="$cuda" NCCL_HOME="$cuda" \
        BUILDDIR="$build/made" NVCC_GENCODE="-arch=$target" "$build/made/all_reduce_perf"
    mkdir -p "$folder/nccl-tests"
    cp "$build/made/all_reduce_perf" "$folder/nccl-tests/"
}

llama() {
    PATH=$cuda/bin:$PATH configure -DGGML_CUDA=ON -DGGML_CUDA_GRAPHS=ON -DGGML_CUDA_FA=OFF -DGGML_NATIVE=OFF \
        -DGGML_OPENMP=OFF -DCMAKE_CUDA_ARCHITECTURES="$architecture" -DWHISPER_BUILD_EXAMPLES=OFF \
        -DWHISPER_BUILD_TESTS=OFF -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON \
        -DCMAKE_SHARED_LINKER_FLAGS="$places ${LDFLAGS:-}"
    local source=$checkout/examples/talk-llama made=$folder/llama.cpp
    mkdir -p "$made" "$build/llama"
    printf '%s\n' "$clients/llama_cuda_check.cpp" "$source"/llama*.cpp "$source"/unicode*.cpp |
        (cd "$build/llama" && xargs -P "$(nproc)" -n 1 g++ -std=c++17 -O1 -w -I"$source" \
            -I"$checkout/ggml/include" -c) &
    ninja -C "$build" ggml
    wait $!
    find "$build" -name 'libggml*.so*' -exec cp -P {} "$made/" \;
    g++ -o "$made/llama_cuda_check" "$build"/llama/*.o -L"$made" "$places" ${LDFLAGS:-} -lggml -lggml-cpu -lggml-base \
        -lpthread
}

case $1 in
    cts | whisper | llama) "$1" ;;
    nccl-tests) nccl_tests ;;
    *) usage ;;
esac
echo "built in $folder"
