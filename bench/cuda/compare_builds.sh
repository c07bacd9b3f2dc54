#!/bin/bash
# Two builds of XSched in turns: the main job, what a launch costs, and the scheduler itself with 2 processors.
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
version_of() { cat "$1/VERSION" 2> /dev/null; }
for round in 1 2; do
    for build in "$old" "$new"; do
        name=$(basename "$build")
        echo "=== round $round, $name ($(version_of "$build"))"
        XSCHED_BENCH_VERSION=$(version_of "$build") timeout --kill-after=5 90 python3 bench/suite.py \
            --platform cuda --build "$build" --results "$out/$name.$round" --profile full --budget 70 --only main_job \
            --lp-ms 0.3,3 --peers native,xsched --rounds 1 --seconds 2
        XSCHED_BENCH_VERSION=$(version_of "$build") timeout --kill-after=5 40 python3 bench/launch_cost.py \
            --build "$build" --results "$out/$name.$round" --rounds 3 --seconds 0.5
    done
done
echo "=== the scheduler on 2 processors"
for round in 1 2; do
    for build in "$old" "$new"; do
        name=$(basename "$build")
        [ -e "$build/bin/bench_pass_cost" ] || continue
        timeout 25 taskset -c 0,1 "$build/bin/bench_pass_cost" > "$out/$name.$round/pass_cost.json"
        timeout 20 taskset -c 0,1 "$build/bin/directive_latency" --samples 500 --server "$build/bin/xserver" \
            > "$out/$name.$round/directive_latency.json"
        echo "$name: $(head -c 1500 "$out/$name.$round/pass_cost.json" "$out/$name.$round/directive_latency.json")"
    done
done
