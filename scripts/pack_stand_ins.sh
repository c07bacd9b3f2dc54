#!/bin/bash
# Collects what bench/hip/run_stand_ins.py runs from a build directory with tests, stripped, so that it runs on a
# machine with many processors that has no compiler: the stand-ins of AMD's runtime and kernel driver among it.
#
#   scripts/pack_stand_ins.sh BUILD_DIRECTORY [FOLDER]   (FOLDER: hip_pack)
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] && [ -d "$1/bin" ] || { echo "usage: $0 BUILD_DIRECTORY [FOLDER]; \"${1:-}\" has no bin/" >&2; exit 2; }
build=$(realpath "$1")
pack=${2:-hip_pack}
rm -rf "$pack"
mkdir -p "$pack/bin" "$pack/lib/xsched" "$pack/bench/hip"

copy() {  # FILE FOLDER
    if [ -L "$1" ]; then cp -P "$1" "$pack/$2/"; else strip -o "$pack/$2/$(basename "$1")" "$1"; fi
}
for name in xserver test_hip_system hip_program order_check_hip; do copy "$build/bin/$name" bin; done
for file in "$build"/lib/lib{preempt,halhip}.so* "$build"/lib/lib{shimhip,fakehip,fakekfd,fakehsa}.so; do
    copy "$file" lib
done
for file in "$build"/lib/xsched/*; do
    case $file in *cuda* | *opencl*) ;; *) copy "$file" lib/xsched ;; esac
done
for name in shared_queues two_streams; do copy "$build/bench/hip/$name" bench/hip; done
# How the order checker and the storm run in each mode is known to CMake.
ctest --test-dir "$build" --show-only=json-v1 -R '^(order_hip_shim.*|hip_storm)$' |
    python3 -c '
import json, sys
root, build = sys.argv[1:]
told = [{"name": test["name"], "command": test["command"],
         "environment": next(it["value"] for it in test["properties"] if it["name"] == "ENVIRONMENT")}
        for test in json.load(sys.stdin)["tests"] if not test["name"].endswith("_long")]
print(json.dumps(told, indent=1).replace(build, "@BUILD@").replace(root, "@ROOT@"))' "$PWD" "$build" \
    > "$pack/runs.json"
git describe --always --dirty --abbrev=12 > "$pack/VERSION" 2> /dev/null || echo unknown > "$pack/VERSION"
du -sh "$pack" | sed 's/^/packed: /'
