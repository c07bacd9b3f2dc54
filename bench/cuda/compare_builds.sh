#!/bin/bash
# The main job with two builds of XSched in turns, and what the scheduler itself costs with 2 processors.
#
#   bench/cuda/compare_builds.sh OLD NEW [OUT]     (build directories, or what scripts/pack_gpu.sh made of them)
#
# OUT gets one folder of results per build and round, and log.txt. Bounded by time: about 8 minutes.
cd "$(dirname "$0")/../.." || exit 2
[ $# -ge 2 ] || { echo "usage: $0 OLD NEW [OUT]" >&2; exit 2; }
old=$1 new=$2 out=${3:-output}
mkdir -p "$out"
exec > >(tee "$out/log.txt") 2>&1
ulimit -n 65536 2> /dev/null || ulimit -n "$(ulimit -Hn)"
for build in "$old" "$new"; do chmod +x "$build"/bin/* "$build"/bench/cuda/* 2> /dev/null; done
chmod +x bench/peers/* bench/lib/*.sh 2> /dev/null
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
for round in 1 2; do
    for build in "$old" "$new"; do
        name=$(basename "$build")
        echo "=== round $round, $name ($(cat "$build/VERSION" 2> /dev/null))"
        XSCHED_BENCH_VERSION=$(cat "$build/VERSION" 2> /dev/null) timeout --kill-after=5 110 python3 bench/suite.py \
            --platform cuda --build "$build" --results "$out/$name.$round" --profile full --budget 85 --only main_job \
            --lp-ms 0.3,3 --peers native,xsched --rounds 1 --seconds 2
    done
done
echo "=== the scheduler on 2 processors"
timeout 60 taskset -c 0,1 "$new/bin/bench_pass_cost" | tee "$out/pass_cost.json"
for devices in 8 1; do
    timeout 60 taskset -c 0,1 "$new/bin/directive_latency" --samples 1000 --clients 1000 --devices "$devices" \
        --server "$new/bin/xserver" | tee "$out/directive_latency_$devices.json"
done
