#!/bin/bash
# Collects what the benchmarks and GPU tests need from a build directory, for a machine that has a GPU but no compiler:
# programs, libraries and the benchmark programs, laid out as in a build directory.
#
#   scripts/pack_gpu.sh BUILD_DIRECTORY [FOLDER]   (FOLDER: gpu_pack)
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] && [ -d "$1/bin" ] || { echo "usage: $0 BUILD_DIRECTORY [FOLDER]; \"${1:-}\" has no bin/" >&2; exit 2; }
build=$1
pack=${2:-gpu_pack}
rm -rf "$pack"
mkdir -p "$pack/bin" "$pack/lib/xsched"

copy() {  # FILE FOLDER
    [ -f "$1" ] || return 0
    if [ -L "$1" ]; then cp -P "$1" "$pack/$2/"; else strip -o "$pack/$2/$(basename "$1")" "$1"; fi
}
# attack_cost is built when asked for: cmake --build BUILD_DIRECTORY --target attack_cost
for name in xserver xcli xsim directive_latency enqueue_cost bench_pass_cost attack_cost; do
    copy "$build/bin/$name" bin
done
# bench/cuda/run_gpu.sh, for which the pack is, runs CUDA's programs, and HIP's over CUDA's driver.
for file in "$build"/bin/*cuda* "$build"/bin/*order*; do copy "$file" bin; done
for file in "$build"/lib/*.so*; do
    case $file in *fake* | *opencl*) ;; *) copy "$file" lib ;; esac
done
# xsim's library for its files, which such a machine may lack; bench/sequences.py looks for it there.
toml=$(ldd "$build/bin/xsim" 2> /dev/null | awk '$1 ~ /^libtomlplusplus/ { print $3 }')
[ -z "$toml" ] || strip -o "$pack/lib/$(basename "$toml")" "$toml"
for file in "$build"/lib/xsched/*.so; do copy "$file" lib/xsched; done
for described in src/platform/*/platform.json; do
    platform=$(basename "$(dirname "$described")")
    [ "$platform" != opencl ] || continue  # its driver is none of a GPU's alone, and run_gpu.sh has nothing for it
    mkdir -p "$pack/bench/$platform"
    for file in "$build/bench/$platform"/*; do [ ! -x "$file" ] || copy "$file" "bench/$platform"; done
done
copy "$build/bench/spinner" bench
[ ! -d "$build/share/vulkan" ] || { mkdir -p "$pack/share"; cp -r "$build/share/vulkan" "$pack/share"; }
mkdir -p "$pack/share/xsched/report/lib"  # what xcli report starts
cp bench/own_programs.py "$pack/share/xsched/report"
cp bench/lib/*.py bench/lib/report.css "$pack/share/xsched/report/lib"
git describe --always --dirty --abbrev=12 > "$pack/VERSION" 2> /dev/null || echo unknown > "$pack/VERSION"
for needed in lib/libpreempt.so lib/libhalcuda.so lib/libshimcuda.so bin/xserver bin/xcli bench/cuda/hp; do
    [ -e "$pack/$needed" ] || echo "warning: $build has no $needed (build the targets first)" >&2
done
du -sh "$pack" | sed 's/^/packed: /'
