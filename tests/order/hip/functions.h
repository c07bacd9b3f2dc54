// The HIP runtime's functions as a program gets them at run time. Any thread.
#pragma once

#include "platform/hip/hal/api.h"

namespace hip {

using namespace xsched::hip;

// Those that api/hip.json does not declare, because XSched leaves them alone.
struct Others {
    hipError_t (*hipInit)(unsigned);
    hipError_t (*hipDeviceGetName)(char*, int, hipDevice_t);
    hipError_t (*hipModuleLoadData)(hipModule_t*, const void*);
    hipError_t (*hipModuleGetFunction)(hipFunction_t*, hipModule_t, const char*);
    hipError_t (*hipSetupArgument)(const void*, size_t, size_t);
    hipError_t (*hipEventElapsedTime)(float*, hipEvent_t, hipEvent_t);
    hipError_t (*hipGraphExecUpdate)(hipGraphExec_t, hipGraph_t, hipGraphNode_t*, int*);
    hipError_t (*hipGraphDestroy)(hipGraph_t);
    hipError_t (*hipGraphExecDestroy)(hipGraphExec_t);
    hipError_t (*hipGraphGetNodes)(hipGraph_t, hipGraphNode_t*, size_t*);
    void** (*__hipRegisterFatBinary)(const void*);
    void (*__hipUnregisterFatBinary)(void**);
    void (*__hipRegisterFunction)(void**, const void*, char*, const char*, unsigned, void*, void*, void*, void*, int*);
};

struct Functions : Others {
#define FUNCTION(result, name, ...) declared::name name;
#include "functions.inc"
};

// From libamdhip64.so.6, or the library that FAKE_HIP_DIRECT names; from the shim, where that is preloaded.
const Functions& functions();
void* library();

}  // namespace hip
