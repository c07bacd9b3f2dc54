#!/bin/bash
# The adapters xsched_l1, xsched_l2, xsched_l3:   xsched_level.sh LEVEL check|serve|run ...
level=$1 what=$2 role=$3
case $what in
    check)
        said=$("$BENCH_BUILD/bin/xcli" run --level "$level" --log INFO -- "$BENCH_PROGRAMS/hp" --bursts 1 --steps 100 \
                   --pause-ms 1 2>&1 > /dev/null) || { echo "no program runs under XSched: ${said##*$'\n'}"; exit 1; }
        used=$(grep -o 'uses preempt level [0-9]' <<< "$said" | head -1)
        [ "$used" = "uses preempt level $level" ] && exit 0
        echo "this device and driver offer preempt level ${used##* } at most"
        exit 77 ;;
    run)
        options=(--level "$level")
        [ "$role" = hp ] && options+=(--priority 10)
        exec "$BENCH_BUILD/bin/xcli" run "${options[@]}" -- "${@:4}" ;;
esac
exit 0
