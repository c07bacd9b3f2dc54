// Controls of the fake OpenCL platform (libfakeopencl.so): a driver without hardware. The real shim and real programs
// run against orders, faults and timings that a real driver shows only now and then.
//
// It is an ICD: OCL_ICD_VENDORS=/path/libfakeopencl.so makes the real loader use it; it can also stand in for the
// loader itself (it exports every entry point). One platform, two devices that can be split into sub-devices, one
// executor thread per device. Every function may be called from any thread.
//
// Environment, read when the library is loaded and again by fake_cl_reload():
//   FAKE_CL_DELAY_US=n          each command takes a random 0..n microseconds more
//   FAKE_CL_SEED=n              ready commands start in a random (legal) order drawn from n; unset: first come
//   FAKE_CL_FAIL=f:nth:code[,..]  the nth call of function f (`*`: every call) returns code; with `:async` after the
//                               code the call succeeds and its command ends with that negative status
//   FAKE_CL_NOOP=1              every enqueue is complete when it returns, waits and effects are left out
//   FAKE_CL_CALLBACK_THREAD=driver|separate|inline   who calls event callbacks: the executor (default), a thread of
//                               its own, or whichever call made the command ready; in the last case that call also
//                               runs the command
//   FAKE_CL_NO_USER_EVENTS=1    clCreateUserEvent is refused
//   FAKE_CL_DEFER_UNTIL_FLUSH=1 commands start only after clFlush, clFinish, a blocking call or a wait
//   FAKE_CL_BREAK_ORDER=mode    misbehaves on purpose once in a while, for testing tests: 1 or `order` (in-order
//                               queues overtake), `waits` (wait lists ignored), `early` (complete before it ran),
//                               `drop` (never ran), `twice` (callbacks come twice), `unblock` (blocking calls return
//                               early), `args` (kernel arguments read when the kernel starts)
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Returns how often the API was misused so far: released or foreign handles, a user event set twice or released unset
// while something waits for it, a blocking call inside a callback. Each is one line on standard error.
int fake_cl_errors(void);
void fake_cl_clear_errors(void);

// Objects not yet destroyed, of all kinds or of one: "event", "user event", "queue", "context", "memory", "program",
// "kernel", "sampler", "sub-device". An event counts until it is released and its command is complete.
int fake_cl_live_objects(void);
int fake_cl_live(const char* kind);

// Returns how often an entry point was called since the last reload (not counted with FAKE_CL_NOOP).
long fake_cl_calls(const char* function);

void fake_cl_reload(void);

#ifdef __cplusplus
}
#endif
