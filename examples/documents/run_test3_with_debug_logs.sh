#!/bin/bash
# Runs a program with the shim and XLOG_LEVEL=DEBG, and counts what the log shows of its work.
# Usage: run_test3_with_debug_logs.sh PROGRAM [ARGUMENTS...]    LOG=FILE: where the log goes
#        without a program: test_phase4_dual_model.py --duration 10
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
shim=${SHIM:-${XSCHED_PATH:-/usr/local}/lib/libshimhip.so}
log=${LOG:-test3_debug_$(date +%Y%m%d_%H%M%S).log}
[[ -e $shim ]] || { echo "$shim is not there: set SHIM or XSCHED_PATH" >&2; exit 2; }
[[ $# -gt 0 ]] || set -- "$here/test_phase4_dual_model.py" --duration 10
LD_PRELOAD=$shim XLOG_LEVEL=DEBG XLOG_FILE=$log "$@"
status=$?
touch "$log"
for what in 'streamcreate|priority' 'launchkernel|kernel.*launch' 'Launch|Sync|Create' 'suspended|resumed' \
    'malloc|free'; do
    printf '%-32s %s\n' "$what" "$(grep -ciE "$what" "$log")"
done
grep -m1 -E 'using (local|global|app-managed) scheduler' "$log" || echo "no line says who schedules"
echo "log: $log; the program's exit status: $status"
exit $status
