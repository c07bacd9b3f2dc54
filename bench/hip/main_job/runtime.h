// The HIP runtime's functions that the benchmark programs use, found as a program without ROCm's headers finds them:
// those already in the process come first (a preloaded shim), else libamdhip64 is opened at run time. XSCHED_HIP_LIB
// names another one, such as the tests' stand-ins.
#pragma once

#include <cstddef>
#include <string>

#include "platform/hip/hal/api.h"

namespace busy {

namespace hip = xsched::hip;

constexpr unsigned kEventDefault = 0;
// Numbers of hipDeviceAttribute_t, the same in ROCm 5 to 7.
constexpr int kAttributeThreadsPerMultiprocessor = 57;
constexpr int kAttributeMultiprocessors = 63;

// clang-format off: one function a line
// Declared for XSched, and those that it leaves alone: name, parameters.
#define BENCH_HIP_DECLARED(F) \
    F(hipGetDeviceCount) \
    F(hipSetDevice) \
    F(hipGetErrorName) \
    F(hipMalloc) \
    F(hipFree) \
    F(hipMemcpyHtoD) \
    F(hipMemcpyDtoH) \
    F(hipModuleLaunchKernel) \
    F(hipStreamCreateWithFlags) \
    F(hipStreamCreateWithPriority) \
    F(hipStreamWaitEvent) \
    F(hipStreamQuery) \
    F(hipStreamSynchronize) \
    F(hipStreamDestroy) \
    F(hipEventCreateWithFlags) \
    F(hipEventRecord) \
    F(hipEventQuery) \
    F(hipEventSynchronize) \
    F(hipEventDestroy) \
    F(hipMemsetD8Async)
#define BENCH_HIP_OTHERS(F) \
    F(hipInit, unsigned flags) \
    F(hipRuntimeGetVersion, int* version) \
    F(hipDeviceGetName, char* name, int bytes, hip::hipDevice_t device) \
    F(hipDeviceGetAttribute, int* value, int attribute, hip::hipDevice_t device) \
    F(hipDeviceGetStreamPriorityRange, int* least, int* greatest) \
    F(hipModuleLoadData, hip::hipModule_t* module, const void* image) \
    F(hipModuleGetFunction, hip::hipFunction_t* function, hip::hipModule_t module, const char* name) \
    F(hipEventElapsedTime, float* ms, hip::hipEvent_t begin, hip::hipEvent_t end)
// clang-format on

struct Runtime {
#define BENCH_HIP_MEMBER(name) hip::declared::name name = nullptr;
    BENCH_HIP_DECLARED(BENCH_HIP_MEMBER)
#undef BENCH_HIP_MEMBER
#define BENCH_HIP_MEMBER(name, ...) hip::hipError_t (*name)(__VA_ARGS__) = nullptr;
    BENCH_HIP_OTHERS(BENCH_HIP_MEMBER)
#undef BENCH_HIP_MEMBER
};

// Opens and initializes it on the first call. Throws std::runtime_error with a sentence if there is none, or no device.
const Runtime& runtime();
// A function of the runtime that not every version has; nullptr: this one has not.
void* runtime_symbol(const char* name);
// Throws std::runtime_error with the call and the runtime's word for `result` unless it is success.
void check(hip::hipError_t result, const char* call);
// Returns the version as people know it, such as "HIP 6.2.41133".
std::string runtime_version();

}  // namespace busy
