#!/bin/bash
# The view of every process below a preloaded program, though it never uses an accelerator: shells and tools must run as
# always, and a library of ours must not have done anything in them. Prints the same with and without it.
set -u
echo one two three | tr ' ' '\n' | grep -c .
printf 'b\na\n' | sort | head -1
(exit 5); echo "status $?"
# The vendor's library is not opened before the first accelerator call,
grep -c 'libOpenCL\.so' /proc/self/maps
# no thread is started,
grep '^Threads:' /proc/self/status
# and no file or socket is opened.
bash -c 'for fd in /proc/self/fd/*; do readlink "$fd"; done' | grep -E 'socket:|memfd|anon_inode'
bash -c 'kill -TERM $$'; echo "signal status $?"
