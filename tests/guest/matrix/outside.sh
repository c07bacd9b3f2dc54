#!/bin/bash
# Builds Khronos' conformance tests outside the tree, where run.py looks for them.
#
#   outside.sh CHECKOUT [FOLDER]     CHECKOUT: of KhronosGroup/OpenCL-CTS, at v2023-10-10-00 or a tag as old as the
#                                    installed opencl-headers; FOLDER: /opt/xsched-matrix
#
# Needs cmake, ninja-build, g++, opencl-headers and ocl-icd-opencl-dev. Takes some minutes.
set -euo pipefail
[ $# -ge 1 ] && [ -f "$1/test_conformance/CMakeLists.txt" ] || { sed -n '2,8s/^# \?//p' "$0" >&2; exit 2; }
checkout=$(realpath "$1")
folder=${2:-/opt/xsched-matrix}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
library=$(dirname "$(cc -print-file-name=libOpenCL.so)")
cmake -G Ninja -S "$checkout" -B "$build" -DCL_INCLUDE_DIR=/usr/include -DCL_LIB_DIR="$library" \
    -DSPIRV_INCLUDE_DIR=/usr -DOPENCL_LIBRARIES=OpenCL -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-w \
    -DCMAKE_CXX_FLAGS="-O1 -w" > "$build/log" || { cat "$build/log" >&2; exit 1; }
ninja -C "$build" test_api test_events test_profiling test_multiples
mkdir -p "$folder/cts"
for group in api events profiling multiple_device_context; do
    cp "$build/test_conformance/$group"/test_* "$folder/cts/"
done
echo "built in $folder/cts"
