#!/bin/bash
# Programs of every kind beside an urgent one on an NVIDIA GPU, within LIMIT seconds (220): bench/cuda/neighbours.py.
#
#   [LIMIT=SECONDS] bench/cuda/neighbours.sh [--build DIR] [--out DIR] [OPTIONS OF neighbours.py]
#
# DIR of --build: a build directory, or what scripts/pack_gpu.sh made of one (gpu_pack, the default). --out gets
# cuda_neighbours_SET.json, bursts_SET.json and log.txt.
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
limit=${LIMIT:-220}
[ -f "$build/VERSION" ] && XSCHED_BENCH_VERSION=$(cat "$build/VERSION") && export XSCHED_BENCH_VERSION
timeout --kill-after=10 "$limit" python3 -u bench/cuda/neighbours.py --build "$build" --results "$out" \
    --budget $((limit - 40)) "${more[@]}" 2>&1 | tee -a "$out/log.txt"
exit "${PIPESTATUS[0]}"
