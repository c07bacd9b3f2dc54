#!/bin/bash
# The first thing to run on a machine with an NVIDIA GPU: the CUDA shim under ever more of PyTorch, from the bare driver
# to captured graphs, natively and with each kind of scheduler. Every result must be the same, bit for bit.
#
#   tests/gpu/cuda_smoke.sh BUILD_DIR [LOG_DIR] [--compile]
#
# Exit status 1 if anything failed or differed, 77 if there is no GPU here. LOG_DIR keeps the logs of every step.
cd "$(dirname "$0")/../.." || exit 2
build=$(realpath "${1:?say which build directory}") logs=${2:-$(mktemp -d)} compile=${3:-}
mkdir -p "$logs" && logs=$(realpath "$logs")
shim=$build/lib/libshimcuda.so failed=0
[ -e "$shim" ] || { echo "$shim is missing: build the target shimcuda"; exit 2; }
export XDG_RUNTIME_DIR=$logs/runtime PYTHONUNBUFFERED=1
mkdir -p -m 700 "$XDG_RUNTIME_DIR"

# step NAME SECONDS COMMAND...: standard output and error go to files of that name.
step() {
    local name=$1 seconds=$2
    shift 2
    timeout -k 5 "$seconds" "$@" > "$logs/$name.out" 2> "$logs/$name.err"
    local status=$?
    printf '%-18s exit status %s\n' "$name" "$status"
    [ $status = 0 ] || { failed=1; tail -n 25 "$logs/$name.out" "$logs/$name.err" | cut -c1-300; }
    return $status
}
under() { echo env LD_PRELOAD="$shim" XSCHED_SCHEDULER="$1"; }
# same NAME: its results are those of the native run.
same() {
    diff <(cut -d' ' -f1,2 "$logs/native.out") <(cut -d' ' -f1,2 "$logs/$1.out") > "$logs/$1.diff" && return
    echo "  $1: results DIFFER from the native run (left: native):"
    cat "$logs/$1.diff"
    failed=1
}

driver='import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
context, memory, word = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_uint32()
calls = [("cuInit", cuda.cuInit(0)), ("retain", cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)),
         ("current", cuda.cuCtxSetCurrent(context)),
          ("alloc", cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(64))),
         ("set", cuda.cuMemsetD32Async(memory, 77, ctypes.c_size_t(16), None)),
         ("copy", cuda.cuMemcpyDtoH_v2(ctypes.byref(word), memory, ctypes.c_size_t(4))),
         ("free", cuda.cuMemFree_v2(memory)), ("release", cuda.cuDevicePrimaryCtxRelease_v2(0))]
print(calls, word.value)
assert word.value == 77 and not any(code for _, code in calls)'
matmul='import torch; a = torch.ones(64, 64, device="cuda"); print((a @ a).sum().item())'
matmul+='; assert (a @ a).sum().item() == 64.0 ** 3'

timeout 60 python3 -c 'import torch, sys; sys.exit(0 if torch.cuda.is_available() else 77)' 2> /dev/null ||
    { echo "skipped: PyTorch sees no GPU"; exit 77; }
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader

export XLOG_LEVEL=DEBG
step driver 60 $(under app) python3 -c "$driver"
grep -ho 'the CUDA driver is .*\|no gates on device.*\|uses preempt level.*' "$logs/driver.err" | sort -u
step import 120 $(under app) python3 -c 'import torch; print(torch.cuda.device_count())'
step matmul 120 $(under app) python3 -c "$matmul"
grep -ho 'cuGetProcAddress(.*' "$logs/matmul.err" | sort | uniq -c | sort -rn | head -20
grep -ho 'cuda error .*' "$logs/matmul.err" | sort | uniq -c | head
export XLOG_LEVEL=INFO
step late_environment 120 \
    env LD_PRELOAD="$shim" python3 -c "import os; os.environ['XSCHED_SCHEDULER'] = 'local'; $matmul"
grep -q 'using local scheduler' "$logs/late_environment.err" ||
    { echo "  the environment set inside Python did not count"; failed=1; }

step native 300 python3 tests/gpu/cuda_smoke.py $compile
for scheduler in app local; do
    step "$scheduler" 300 $(under $scheduler) python3 tests/gpu/cuda_smoke.py $compile && same $scheduler
done
step suspended 300 $(under app) python3 tests/gpu/cuda_smoke.py --suspend "$build/lib" $compile && same suspended
step blocking 300 $(under app) env CUDA_LAUNCH_BLOCKING=1 python3 tests/gpu/cuda_smoke.py $compile && same blocking
step no_gates 300 $(under app) env XSCHED_AUTO_XQUEUE_LEVEL=1 XSCHED_AUTO_XQUEUE_THRESHOLD=8 \
    python3 tests/gpu/cuda_smoke.py --suspend "$build/lib" $compile && same no_gates

# A process in the background has nothing of ours open, so that a reader of our output comes to its end. It is ended by
# its own process id: `timeout` takes the loop and its program along. Without a server the loop would go on for all its
# time.
"$build/bin/xserver" HPF --no-supervise --idle-exit 300 > "$logs/xserver.log" 2>&1 < /dev/null &
server=$!
LD_PRELOAD=$shim XSCHED_SCHEDULER=global XSCHED_AUTO_XQUEUE_PRIORITY=10 timeout -k 5 400 bash -c \
    'while :; do python3 tests/gpu/cuda_smoke.py || break; done' > /dev/null 2>&1 < /dev/null &
urgent=$!
trap 'kill $urgent $server 2> /dev/null' EXIT
sleep 1
step global 400 $(under global) python3 tests/gpu/cuda_smoke.py $compile && same global
kill $urgent $server 2> /dev/null
wait $urgent $server 2> /dev/null
trap - EXIT
grep -h 'WARN\|ERRO' "$logs"/*.err "$logs/xserver.log" | cut -d']' -f2- | sort | uniq -c | sort -rn | head -20

echo; echo "milliseconds:"; for name in native app local suspended blocking no_gates global; do
    printf '%-18s %s\n' "$name" "$(awk '{printf "%s %s  ", $1, $3}' "$logs/$name.out")"
done
echo "logs: $logs"
exit $failed
