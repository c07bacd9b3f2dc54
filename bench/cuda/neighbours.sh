#!/bin/bash
# Copies on an NVIDIA GPU, in under 4 minutes: bench/cuda/copies.py, in turns natively, with whole copies and with
# copies in pieces.
#
#   bench/cuda/copies.sh [--build DIR] [--out DIR] [OPTIONS OF copies.py]
#
# DIR of --build: a build directory, or what scripts/pack_gpu.sh made of one (gpu_pack, the default). --out gets
# cuda_copies.json and log.txt.
cd "$(dirname "$0")/../.." || exit 2
build=gpu_pack out=${OUT:-output}
more=()
while [ $# -gt 0 ]; do
    case $1 in
        --build) build=$2; shift 2 ;;
        --out) out=$2; shift 2 ;;
        *) more+=("$1"); shift ;;
    esac
done
mkdir -p "$out"
chmod -R u+rwX,go+rX "$build" 2> /dev/null
chmod +x "$build"/bin/* "$build"/bench/cuda/* 2> /dev/null
ulimit -n 65536 2> /dev/null
timeout --kill-after=10 220 python3 -u bench/cuda/copies.py --build "$build" --results "$out" "${more[@]}" 2>&1 |
    tee "$out/log.txt"
exit "${PIPESTATUS[0]}"
