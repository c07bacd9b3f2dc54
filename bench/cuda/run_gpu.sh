#!/bin/bash
# Benchmarks and tests on an NVIDIA GPU, several in one go and within a time limit. A step that fails or takes too long
# does not keep the others from running; results and logs are packed after every step.
#
#   bench/cuda/run_gpu.sh [--build DIR] [--out DIR] [--limit SECONDS] STEP[=SECONDS]...
#
# DIR of --build: a build directory, or what scripts/pack_gpu.sh made of one. --out gets log.txt and results.tgz.
# EXTRA in the environment: more options for bench/suite.py, bench/published.py and the step `serving`, such as
#     "--set XLOG_LEVEL=DEBG --keep-log".
# RUN in the environment: the command of the step `run`, which may use $build and $work (whose files are kept).
# FAKE_CUDA_DIRECT in the environment: the file that the step `hip` takes for the CUDA driver, such as libfakecuda.so,
# to try it on a machine without a GPU.
# STEP=SECONDS: at most so long instead of the usual time.
cd "$(dirname "$0")/../.." || exit 2
build=gpu_pack out=${OUT:-output} limit=560
steps=()
while [ $# -gt 0 ]; do
    case $1 in
        --build) build=$2; shift 2 ;;
        --out) out=$2; shift 2 ;;
        --limit) limit=$2; shift 2 ;;
        *) steps+=("$1"); shift ;;
    esac
done
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod -R u+rwX,go+rX "$build" 2> /dev/null
chmod +x "$build"/bin/* "$build"/bench/{cuda,hip}/* bench/cuda/pytorch/*.py bench/peers/* bench/lib/*.sh \
    tests/gpu/*.py tests/acceptance/*.py 2> /dev/null
[ -f "$build/VERSION" ] && XSCHED_BENCH_VERSION=$(cat "$build/VERSION") && export XSCHED_BENCH_VERSION
export PYTHONUNBUFFERED=1

suite() {
    python3 bench/suite.py --platform cuda --build "$build" --results "$work" --profile full --budget "$budget" "$@" \
        $EXTRA
}
torch() { python3 bench/cuda/pytorch/"$1" --build "$build" --results "$work" --budget "$budget" "${@:2}"; }

# The first thing to try: one program and PyTorch natively and under XSched, with the log.
probe() {
    local run="$build/bin/xcli run --log DEBG --" matmul='import torch; torch.manual_seed(1)
a = torch.randn(512, 512, device="cuda"); print("sum of a product:", (a @ a).double().sum().item())'
    mkdir -p -m 700 "$work/runtime"
    export XDG_RUNTIME_DIR=$work/runtime
    "$build/bench/cuda/hp" --calibrate 1 --kernel-ms 0.007
    "$build/bench/cuda/hp" --bursts 20 --steps 300 --burst-kernels 100 --out "$work/probe_native.rows"
    $run "$build/bench/cuda/hp" --bursts 20 --steps 300 --burst-kernels 100 --out "$work/probe_xsched.rows" \
        > "$work/probe.log" 2>&1
    echo "hp under XSched: exit status $?; its log:"
    cut -c1-220 "$work/probe.log" | head -25
    echo "bursts, native and under XSched (start, latency in ns):"
    tail -qn2 "$work"/probe_*.rows
    python3 -c "$matmul"
    $run python3 -c "$matmul" 2> "$work/probe_torch.log"
    echo "PyTorch under XSched: exit status $?; its log:"
    cut -c1-220 "$work/probe_torch.log" | head -15
    "$build/bin/xcli" server
    kill "$("$build/bin/xcli" server --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')"
}

# The order checker on HIP over the CUDA driver: natively, under the shim, and as ROCm 7 calls; then the launch cost.
hip() {
    local lib each=$(((budget - 5) / 8)) status=0
    lib=$(realpath "$build")/lib
    local driver=${FAKE_CUDA_DIRECT:-$(PYTHONPATH=bench python3 -c 'from lib import stand_ins
print(stand_ins.cuda_driver() or "")')}
    [ -f "$driver" ] || { echo "there is no libcuda.so.1"; return 2; }
    driver=$(realpath "$driver")
    [ -f "$lib/libhiponcuda.so" ] || { echo "$lib has no libhiponcuda.so: build the tests"; return 2; }
    [ "$each" -ge 1 ] || each=1
    local check=("$build/bin/order_check_hip" --ops 10000000 --seconds "$each" --stall 20)
    local run=(timeout --foreground --kill-after=5 $((each + 30)) env "FAKE_CUDA_DIRECT=$driver")
    local shim=("XSCHED_HIP_LIB=$lib/libhiponcuda.so" "LD_PRELOAD=$lib/libshimhip.so" XSCHED_SCHEDULER=app
        XLOG_LEVEL=WARN)
    echo "--- HIP over $driver"
    "${run[@]}" "FAKE_HIP_DIRECT=$lib/libhiponcuda.so" "${check[@]}" || status=1
    echo "--- the same under the shim"
    "${run[@]}" "${shim[@]}" "${check[@]}" --chaos || status=1
    echo "--- by the runtime's table of functions, which calls its own exports"
    "${run[@]}" "${shim[@]}" FAKE_HIP_TABLE=1 FAKE_HIP_CALLS_EXPORTS=1 "${check[@]}" --seed 2 --chaos || status=1
    echo "--- launch cost"
    python3 bench/launch_cost.py --platform hip --build "$build" --results "$work" --rounds 9 --seconds 0.5 \
        --budget $((budget - 3 * each - 6)) || status=1
    return $status
}

# The order checker natively and under the shim. Judged without captures: beside them the driver itself is at fault now
# and then (docs/decisions/006), which is shown for comparison.
order() {
    local each=$(((budget - 10) / 4)) status=0
    local check=("$build/bin/order_check_cuda" --ops 10000000 --seconds "$each" --stall 20 --explain 0)
    local shim=(env "LD_PRELOAD=$(realpath "$build")/lib/libshimcuda.so" XSCHED_SCHEDULER=app XLOG_LEVEL=WARN)
    echo "--- natively, without captures"
    "${check[@]}" --without capture || status=1
    echo "--- under the shim, without captures"
    "${shim[@]}" "${check[@]}" --chaos --without capture || status=1
    echo "--- natively, with captures"
    "${check[@]}" | tail -n 2
    echo "--- under the shim, with captures"
    "${shim[@]}" "${check[@]}" --chaos | tail -n 2
    return $status
}

# A program on two GPUs beside an urgent one on one of them, and a training on both.
devices() {
    local status=0
    for test in run_two_devices run_data_parallel; do
        python3 tests/gpu/$test.py --build "$build" --results "$work" || status=$?
    done
    return $status
}

# The gain where bursts come in a rhythm, and its price for their victims (docs/decisions/016).
foresight() {
    local status=0
    python3 bench/cuda/neighbours.py --build "$build" --results "$work" --set lengths --urgent kernels,steps \
        --ways native,unforeseen,xsched --bursts 200 --native-bursts 40 --budget $((budget / 2)) || status=$?
    python3 bench/published.py --build "$build" --results "$work" --stay --rounds 1 --seconds 4 --keep-rows \
        --only W7.resnet50,W1.A,W7.bert --ways native,xsched_unforeseen,xsched --budget $((budget / 2)) || status=$?
    return $status
}

# The command of each step ($budget: the seconds it may start new measurements in), and its usual time.
usual_seconds() {
    case $1 in
        probe) echo 90 ;;
        smoke) echo 75 ;;
        main) echo 400 ;;
        peers | lengths | bench) echo 540 ;;
        published) echo 540 ;;
        mps | own) echo 180 ;;
        shares | fit) echo 170 ;;
        property) echo 300 ;;
        streams) echo 120 ;;
        overhead | preemption | thresholds | models2) echo 200 ;;
        acceptance) echo 540 ;;
        launch) echo 60 ;;
        hip) echo 90 ;;
        level3) echo 300 ;;
        directive | demo) echo 80 ;;
        devices) echo 200 ;;
        models) echo 330 ;;
        auto) echo 290 ;;
        targets) echo 85 ;;
        foresight) echo 330 ;;
        serving | serving-mps) echo 420 ;;
        suite | suite-compile | order | run) echo 280 ;;
        *) echo 0 ;;
    esac
}
run_step() {
    case $1 in
        probe) probe ;;
        smoke) suite --only main_job --peers native,xsched --rounds 1 --seconds 1 --keep-log --tag _smoke ;;
        main) suite --only main_job --peers native,xsched --keep-log ;;
        peers) suite --only main_job --tag _peers ;;
        lengths) suite --only lengths --seconds 2 ;;
        own) suite --only main_job --peers native,xsched --stream own --tag _own_stream ;;
        mps) suite --only main_job --peers mps,xsched_mps --baseline mps --keep-log --tag _mps ;;
        streams) suite --only main_job --peers stream_priorities,xsched_streams --baseline stream_priorities \
                       --keep-log --tag _streams ;;
        overhead) suite --only overhead --peers native,xsched --seconds 2 ;;
        preemption) suite --only preemption,server_cpu ;;
        thresholds) suite --only thresholds --seconds 2 ;;
        models2) suite --only fixed_priority,partition ;;
        shares) suite --only shares --peers native,xsched ;;
        fit) suite --only lengths --peers native,xsched --rounds 1 --seconds 2 --lp-ms 0.05,0.3,1,3,10,30 \
                   --tag _fit ;;
        property) python3 bench/sequences.py --build "$build" --results "$work" --budget "$budget" ;;
        auto) suite --only auto --peers native,xsched,mps --keep-log ;;
        targets) suite --only targets --peers native,xsched --keep-log ;;
        bench) suite ;;
        published) python3 bench/published.py --build "$build" --results "$work" --short --budget "$budget" $EXTRA ;;
        acceptance) python3 tests/acceptance/run.py --platform cuda --build "$build" --results "$work/acceptance" \
                            --budget "$budget" ;;
        launch) python3 bench/launch_cost.py --build "$build" --results "$work" --budget "$budget" ;;
        hip) hip ;;
        level3) python3 bench/cuda/level3.py --build "$build" --results "$work" --budget "$budget" $EXTRA ;;
        directive) python3 bench/host_cost.py --build "$build" --results "$work" ;;
        order) order ;;
        run) eval "$RUN" ;;
        demo) python3 bench/demo.py --build "$build" ;;
        models) torch overhead.py ;;
        serving) torch serving.py $EXTRA ;;
        serving-mps) torch serving.py --mps --rounds 2 ;;
        devices) devices ;;
        foresight) foresight ;;
        suite) python3 tests/gpu/run_suite.py --build "$build" --results "$work" --budget "$budget" ;;
        suite-compile) python3 tests/gpu/run_suite.py --build "$build" --results "$work" --budget "$budget" \
                               --modes compile --name torch_suite_compile ;;
        *) echo "no step $1: probe smoke main peers lengths own mps streams overhead preemption thresholds models2" \
                "shares auto targets foresight fit property bench published acceptance launch hip level3 directive" \
                "demo models serving serving-mps suite suite-compile devices order run"
           return 2 ;;
    esac
}
pack_results() {
    python3 bench/suite.py --report "$work" > /dev/null
    tar czf "$out/results.tgz" -C "$work" . 2> /dev/null
}

summary=()
{
    echo "XSched ${XSCHED_BENCH_VERSION:-}, build $build; $(uname -r); $(nproc) CPUs"
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,temperature.gpu --format=csv,noheader 2> /dev/null
    for step in "${steps[@]}"; do
        name=${step%%=*}
        seconds=$(usual_seconds "$name")
        [ "$name" != "$step" ] && seconds=${step#*=}
        left=$((limit - SECONDS))
        if [ "$left" -lt 20 ]; then
            summary+=("$name: not run, no time left")
            continue
        fi
        [ "$seconds" -gt $((left - 5)) ] && seconds=$((left - 5))
        budget=$((seconds - 15))
        echo; echo "=== $name (at most $seconds s, $SECONDS s gone)"
        began=$SECONDS
        # A step and all it started end with its time: they are one process group.
        export -f run_step suite torch probe hip order devices foresight
        export build work budget EXTRA RUN
        timeout --kill-after=15 "$seconds" bash -c 'run_step "$1"' step "$name" 2>&1
        summary+=("$name: exit status $? after $((SECONDS - began)) s")
        pack_results
    done
    echo; echo "=== steps"; printf '%s\n' "${summary[@]}"
} 2>&1 | tee "$out/log.txt"
pack_results
