// Controls of the fake CUDA driver (libfakecuda.so): a libcuda without hardware. The real shim and real programs run
// against orders, faults and states that a real driver shows only now and then.
//
// XSCHED_CUDA_LIB=/path/libfakecuda.so makes the shim use it; a program may also open it directly. Two devices, each
// with one executor thread; device memory is host memory. Kernels are known by name, whatever the module's image:
// append, append_wide, mix, spin, noop (builtin_kernels.h). Every function may be called from any thread.
//
// The driver is strict where real drivers are, or may be:
//  - contexts are per thread; work needs its stream's own context, a destroyed one gives 709;
//  - the legacy stream waits for all blocking streams of its context and they for it, also for value operations;
//  - addresses of value operations must lie in device memory, or be device addresses (cuMemHostGetDevicePointer, never
//    equal to the host's) of memory registered in this context or as portable, and stay so until the operation is done;
//  - a stream holds FAKE_CUDA_QUEUE commands: the caller of one more waits with the context's lock held, as in real
//    drivers every other call on that context then does too;
//  - stream capture: calls that CUDA forbids meanwhile fail and invalidate it;
//  - no call of the driver from host functions and callbacks;
//  - addresses of destroyed streams are used again soon;
//  - where the fake kernel driver is loaded (fake/rm/fake_rm.h), nothing runs on channels that are disabled.
//
// Environment, read when the library is loaded and again by fake_cuda_reload():
//   FAKE_CUDA_QUEUE=n           commands that a stream holds (1024 at most, and by default)
//   FAKE_CUDA_HARDWARE_QUEUES=n  streams of equal priority share so many queues, in which commands run in the order of
//                               their submission; 0 (default): each stream has its own
//   FAKE_CUDA_DEVICES=1         one device instead of two
//   FAKE_CUDA_MEMORY=n          bytes of device memory, of all devices together, and of all processes that share one
//   FAKE_CUDA_DELAY_US=n        each command takes a random 0..n microseconds more
//   FAKE_CUDA_SEED=n            for those delays and for the choice among streams that are ready
//   FAKE_CUDA_FAIL=f:nth:code[,..]  the nth call of function f (`*`: every call) returns code and does nothing;
//                               code `hang`: it never returns; `crash`: it ends the process, as by a wild pointer
//   FAKE_CUDA_NO_MEMOPS=1       value operations are not supported
//   FAKE_CUDA_NO_CONCURRENT_MANAGED=1  the host may not touch managed memory while the device works
//   FAKE_CUDA_SHARED=path       the processes that name this file (any; it is made) share one device: kernels of a
//                               length (spin, busy, tick) run in turns of at most a millisecond. Else each process has
//                               devices of its own. Read at a thread's first kernel
//   FAKE_CUDA_COPY_LOCK=1       a call that waits for its copy holds the context's lock meanwhile
//   FAKE_CUDA_SYNC_LOCK=1       a call that waits for a stream keeps out meanwhile all that submit to it
//   FAKE_CUDA_BLIND_WAITS=1     a wait for a value that has begun does not see what the host stores, but what the
//   device
//                               writes
//   FAKE_CUDA_LAZY_LOADING=1    the first launch of a kernel waits for all work of the context, with its lock held
//   FAKE_CUDA_NOOP=1            all stream work is complete when its call returns; kernels and copies are left out
//   FAKE_CUDA_BREAK_ORDER=mode  misbehaves on purpose once in a while, for testing tests: 1 or `order` (a command
//                               overtakes the one before it), `waits` (event waits and the legacy stream's are
//                               ignored), `drop` (a kernel never runs), `early` (a synchronizing call returns early)
//
// Threads of XSched's own (by their names) that call end the process, but for the one for errands, which may use
// streams of its own making.
// faults.h has what tests of a look at the device need.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Returns how often the driver was misused so far: wrong addresses of value operations, handles of dead objects, calls
// from host functions. Each is one line on standard error.
long fake_cuda_errors(void);
// Returns how many calls waited in the driver because a stream was full.
long fake_cuda_blocked_in_driver(void);
// Captures that were invalidated, and calls refused because something is being captured.
long fake_cuda_capture_disturbed(void);
// Returns how often an entry point was called since the last reload; per-thread variants count as the plain one.
long fake_cuda_calls(const char* function);
// Returns how many kernels have run.
long fake_cuda_kernels(void);
// Objects that exist: "stream", "event", "context", "graph", "graph exec", "module", "memory", "registration",
// "piece" (of memory that is mapped), "reservation" (of addresses). A stream counts until its work is done.
long fake_cuda_live(const char* kind);
void fake_cuda_reload(void);

#ifdef __cplusplus
}
#endif
