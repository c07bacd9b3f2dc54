// A stand-in for CANN's runtime without hardware: libascendcl.so, which here contains libruntime.so's functions as
// well. As in CANN, functions of acl end in functions of rt that the library exports: it looks for these by name, and
// meets the shim's where that is preloaded. Streams, events and kernels are those of the fake CUDA driver's engine
// (fake/cuda/fake_cuda.h, whose environment variables and controls apply): strict about contexts, and it ends the
// process if a thread of XSched's own calls it.
//
//  - A kernel is known by its name (aclrtBinaryGetFunction), whatever the binary: those of
//    fake/cuda/builtin_kernels.cpp. The number of blocks is that of its threads.
//  - A model (aclmdlExecute) is known by its number, and does what the kernel append does with that on the 16 words of
//    its output.
//  - A stream that is made for models (ACL_STREAM_PERSISTENT), or bound to one, records kernels. Anything else in it is
//    a misuse (fake_cuda_errors).
//  - The driver's call that pauses and resumes all send queues of the process (halSqCqConfig) stops running kernels as
//    well; it is not known what an NPU does with these. FAKE_ASCEND_PAUSE=refused: it fails; ignored:
//    it succeeds without an effect; lost: one copy behind each pause is lost.
//  - FAKE_ASCEND_SET_DEVICE=threads: aclrtSetDevice waits for threads of the runtime's own, which call functions that
//    the library exports.
#pragma once

#include "fake/cuda/fake_cuda.h"
#include "platform/ascend/hal/api.h"

extern "C" {
using namespace xsched::ascend;

// The functions of api/ascend.json, of which the stand-in has those that programs of the tests call.
#define FUNCTION(result, name, ...) result name(__VA_ARGS__);
#include "functions.inc"

// Functions that the shim leaves alone.
aclError aclInit(const char* configuration);
aclError aclrtGetDeviceCount(uint32_t* count);
aclError aclrtMalloc(void** memory, size_t bytes, int policy);
aclError aclrtFree(void* memory);
aclError aclrtMallocHost(void** memory, size_t bytes);
aclError aclrtFreeHost(void* memory);
aclError aclrtMemcpy(void* to, size_t most, const void* from, size_t bytes, int kind);
aclError aclrtBinaryGetFunction(void* binary, const char* name, aclrtFuncHandle* function);
aclError aclmdlRIDestroy(aclmdlRI model);
aclError rtModelCreate(aclmdlRI* model, uint32_t flags);
aclError rtModelDestroy(aclmdlRI model);

// Returns whether the process's send queues are paused, and how often they were.
bool fake_acl_halted(void);
long fake_acl_pauses(void);
}
