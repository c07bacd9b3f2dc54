// The HIP runtime's stand-ins: libamdhip64 without an AMD GPU, with the symbol versions of the real one.
//
//  - libfakehip.so runs on the engine of the fake CUDA driver (fake/cuda/fake_cuda.h), which is inside it. That
//    engine's controls (fake_cuda_*) and environment (FAKE_CUDA_*) are its own as well;
//  - libhiponcuda.so runs on libcuda.so.1, so that real kernels of a real GPU are launched through HIP.
//
// Each HIP function is a thin layer over the CUDA driver's functions, whose results have the same numbers. The layer
// adds the parts that HIP has and CUDA has not:
//  - the current device is a thread's; streams of other devices may be used all the same; contexts are devices;
//  - a stream that was destroyed, or whose device was reset, gives 709 (context is destroyed);
//  - the thread's last error; with FAKE_HIP_OLD_ERRORS=1 as before ROCm 6, where success resets it;
//  - kernels by their host function's address (__hipRegisterFunction), whose modules' images are PTX;
//  - functions that call others which the library exports, as ROCm 7 does: FAKE_HIP_CALLS_EXPORTS=1;
//  - the table of functions that rocprofiler_set_api_table gets, if the process has one: FAKE_HIP_TABLE=1;
//  - FAKE_HIP_GRAPH_STREAMS=1: a graph's work goes to a stream that it makes at its first launch, as ROCm's do;
//  - FAKE_HIP_SYNC_LOCK=1: a call that waits for a stream keeps out all that submit to it, as ROCm 7.2.4 does
//    (FAKE_CUDA_SYNC_LOCK), and FAKE_CUDA_COPY_LOCK=1 one that waits for its copy, as all releases do;
//  - FAKE_HIP_CP_WAIT=1: wait-values take memory of hipMallocSignalMemory alone; FAKE_HIP_HIDDEN_SIGNALS=1: the host
//    cannot reach that;
//  - FAKE_HIP_CODE=gfx942: images are code objects for that processor, as AMD's runtime wants them;
//  - a tool that registered itself with hipRegisterTracerCallback is told of each call, as roctracer is;
//  - four hardware queues a priority, which streams share in turn (libfakehip.so; FAKE_CUDA_HARDWARE_QUEUES=n).
//
// FAKE_CUDA_FAIL=hipMemcpyAsync:3:1 makes the third call of that HIP function fail with 1, as of a CUDA function.
#pragma once

#include <cstdint>

// The callback that a tool registers, called at the begin (phase 1) and the end (phase 0) of each API call. `call`:
// here the name of the function.
using FakeTracer = int (*)(uint32_t domain, uint32_t phase, void* call);
inline constexpr uint32_t kFakeHipApi = 3;
