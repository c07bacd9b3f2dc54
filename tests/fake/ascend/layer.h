// Functions that the files of the stand-in for CANN share. Any thread.
#pragma once

#include <dlfcn.h>

#include "fake/ascend/fake_acl.h"
#include "order/cuda/driver.h"

namespace acl_layer {

constexpr aclError kTimeout = 107020;  // ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
constexpr aclError kInternal = 507899;  // ACL_ERROR_RT_DRV_INTERNAL_ERROR
constexpr aclError kInvalid = 107000;  // ACL_ERROR_RT_PARAM_INVALID

// Returns the functions of the fake CUDA driver.
inline const cuda::Api& cu() { return cuda::api(); }

inline aclError code_of(CUresult code) {
    switch (code) {
        case CUDA_SUCCESS: return ACL_SUCCESS;
        case CUDA_ERROR_OUT_OF_MEMORY: return ACL_ERROR_RT_MEMORY_ALLOCATION;
        case CUDA_ERROR_INVALID_CONTEXT: return ACL_ERROR_RT_CONTEXT_NULL;
        case CUDA_ERROR_CONTEXT_IS_DESTROYED: return ACL_ERROR_RT_STREAM_CONTEXT;
        case CUDA_ERROR_INVALID_HANDLE: return ACL_ERROR_RT_INVALID_HANDLE;
        case CUDA_ERROR_INVALID_VALUE: return kInvalid;
        case CUDA_ERROR_NOT_SUPPORTED: return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
        default: return kInternal;
    }
}

inline CUstream cu_stream(aclrtStream stream) { return reinterpret_cast<CUstream>(stream); }
inline CUevent cu_event(aclrtEvent event) { return reinterpret_cast<CUevent>(event); }
inline CUcontext cu_context(aclrtContext context) { return reinterpret_cast<CUcontext>(context); }
inline CUdeviceptr at(const void* address) { return reinterpret_cast<CUdeviceptr>(address); }

// Returns whether the stream records for a model. (models.cpp)
bool is_of_model(aclrtStream stream);
void note_model_stream(aclrtStream stream);
void forget_model_stream(aclrtStream stream);
// Returns false, and counts a misuse, if the stream records for a model, which `what` must not be put into.
bool may_get(aclrtStream stream, const char* what);
struct Kernel {
    CUfunction function;
    uint32_t threads;
    unsigned char arguments[64];
    size_t bytes;
};
aclError launch(const Kernel& kernel, CUstream stream);
aclError launch_or_record(aclrtFuncHandle function, uint32_t threads, const void* arguments, size_t bytes,
                          aclrtStream stream);
CUfunction function_named(const char* name);
// Returns whether a pause of the send queues loses this copy. (send_queues.cpp)
bool loses_a_copy();

}  // namespace acl_layer

// An exported function as the dynamic linker binds it for all of the process: the shim's, if that is preloaded.
#define THROUGH_EXPORT(name)                                                                     \
    ([] {                                                                                        \
        static const auto bound = reinterpret_cast<decltype(&name)>(dlsym(RTLD_DEFAULT, #name)); \
        return bound;                                                                            \
    }())

#define ACL_TRY(call) \
    if (const aclError failed = (call); failed != ACL_SUCCESS) return failed
