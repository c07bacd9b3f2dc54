// The CUDA driver's functions that the benchmark programs use, found as the CUDA runtime finds them: libcuda.so.1 is
// opened at run time and asked through its own cuGetProcAddress. The declarations are our own, so that the programs
// build without a CUDA toolkit and one binary serves every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace busy {

using CuResult = int;  // 0: success
using CuDevice = int;
using CuPointer = uint64_t;
struct CuContextTag;
struct CuModuleTag;
struct CuFunctionTag;
struct CuStreamTag;
struct CuEventTag;
using CuContext = CuContextTag*;
using CuModule = CuModuleTag*;
using CuFunction = CuFunctionTag*;
using CuStream = CuStreamTag*;
using CuEvent = CuEventTag*;

constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kEventDefault = 0;
constexpr unsigned kEventDisableTiming = 2;
constexpr int kAttributeMultiprocessors = 16;
constexpr int kAttributeThreadsPerMultiprocessor = 39;

// name, parameters
#define BENCH_CUDA_FUNCTIONS(F)                                                                                 \
    F(cuInit, unsigned flags)                                                                                   \
    F(cuDriverGetVersion, int* version)                                                                         \
    F(cuDeviceGet, CuDevice* device, int ordinal)                                                               \
    F(cuDeviceGetName, char* name, int bytes, CuDevice device)                                                  \
    F(cuDeviceGetAttribute, int* value, int attribute, CuDevice device)                                         \
    F(cuDevicePrimaryCtxRetain, CuContext* context, CuDevice device)                                            \
    F(cuCtxSetCurrent, CuContext context)                                                                       \
    F(cuCtxGetStreamPriorityRange, int* least, int* greatest)                                                   \
    F(cuModuleLoadData, CuModule* module, const void* image)                                                    \
    F(cuModuleGetFunction, CuFunction* function, CuModule module, const char* name)                             \
    F(cuMemAlloc, CuPointer* pointer, size_t bytes)                                                             \
    F(cuMemFree, CuPointer pointer)                                                                             \
    F(cuMemcpyHtoD, CuPointer to, const void* from, size_t bytes)                                               \
    F(cuMemcpyDtoH, void* to, CuPointer from, size_t bytes)                                                     \
    F(cuMemsetD8Async, CuPointer to, unsigned char value, size_t bytes, CuStream stream)                        \
    F(cuStreamCreate, CuStream* stream, unsigned flags)                                                         \
    F(cuStreamCreateWithPriority, CuStream* stream, unsigned flags, int priority)                               \
    F(cuStreamWaitEvent, CuStream stream, CuEvent event, unsigned flags)                                        \
    F(cuStreamQuery, CuStream stream)                                                                           \
    F(cuStreamSynchronize, CuStream stream)                                                                     \
    F(cuStreamDestroy, CuStream stream)                                                                         \
    F(cuEventCreate, CuEvent* event, unsigned flags)                                                            \
    F(cuEventRecord, CuEvent event, CuStream stream)                                                            \
    F(cuEventQuery, CuEvent event)                                                                              \
    F(cuEventSynchronize, CuEvent event)                                                                        \
    F(cuEventElapsedTime, float* ms, CuEvent begin, CuEvent end)                                                \
    F(cuEventDestroy, CuEvent event)                                                                            \
    F(cuGetErrorName, CuResult result, const char** name)                                                       \
    F(cuLaunchKernel, CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
      unsigned block_y, unsigned block_z, unsigned shared_bytes, CuStream stream, void** parameters, void** extra)

struct Driver {
#define BENCH_CUDA_MEMBER(name, ...) CuResult (*name)(__VA_ARGS__) = nullptr;
    BENCH_CUDA_FUNCTIONS(BENCH_CUDA_MEMBER)
#undef BENCH_CUDA_MEMBER
};

// Opens and initializes the CUDA driver at the first call. Throws std::runtime_error with a sentence if there is
// none.
const Driver& driver();
// Throws std::runtime_error with the call and the driver's word for `result` unless it is success.
void check(CuResult result, const char* call);
// Returns the driver's version as people know it, such as "580.159.04 (CUDA 13.0)".
std::string driver_version();

}  // namespace busy
