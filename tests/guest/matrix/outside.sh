#!/bin/bash
# Builds programs of the matrix outside the tree, where run.py looks for them.
#
#   outside.sh cts CHECKOUT [FOLDER]          Khronos' conformance tests; of KhronosGroup/OpenCL-CTS, at v2023-10-10-00
#                                             or a tag as old as the installed opencl-headers
#   outside.sh whisper CHECKOUT [FOLDER]      whisper.cpp, and llama.cpp's library with a client of ours; of
#                                             ggml-org/whisper.cpp at v1.5.5, whose OpenCL takes any device. Later ones
#                                             from v1.7.0 on take none, or the GPUs of two vendors. Needs libclblast-dev
#   outside.sh nccl-tests CHECKOUT [FOLDER]   of NVIDIA/nccl-tests; needs nvcc and NCCL's headers
#
# FOLDER: /opt/xsched-matrix. Needs cmake, ninja-build, g++, opencl-headers and ocl-icd-opencl-dev. Takes some minutes.
set -euo pipefail
usage() { sed -n '2,11s/^# \?//p' "$0" >&2; exit 2; }
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

nccl_tests() {
    make -C "$checkout" BUILDDIR="$build/made" > "$build/log" || { cat "$build/log" >&2; exit 1; }
    mkdir -p "$folder/nccl-tests"
    cp "$build/made"/*_perf "$folder/nccl-tests/"
}

case $1 in
    cts | whisper) "$1" ;;
    nccl-tests) nccl_tests ;;
    *) usage ;;
esac
echo "built in $folder"
