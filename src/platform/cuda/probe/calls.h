// The CUDA driver's calls that trials of streams need beyond the benchmark programs' (vendor.h): value operations and
// memory that they work on. They return the driver's own code; a function that this version lacks is "not supported".
#pragma once

#include <dlfcn.h>

#include "platform/stream/probe/call_names.h"

namespace xsched::probe::vendor {

using Word = busy::CuPointer;  // a word's address as the device knows it
inline constexpr CallNames kNames{"libcuda.so",
                                  "cuLaunchKernel",
                                  "cuStreamQuery",
                                  "cuStreamWriteValue32_v2",
                                  "cuMemcpyDtoHAsync_v2",
                                  "cuMemHostRegister_v2",
                                  "cuMemHostGetDevicePointer_v2",
                                  "cuGetProcAddress_v2",
                                  12000};

inline void* symbol(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    void* address = dlsym(RTLD_DEFAULT, name);
    return address != nullptr ? address : dlsym(library, name);
}

}  // namespace xsched::probe::vendor

#include "platform/stream/probe/vendor_calls.h"

namespace xsched::probe::vendor {

inline int wait_value(Stream stream, Word word, uint32_t value) {
    return call("cuStreamWaitValue32_v2", stream, word, value, 0U /* at least */);
}

}  // namespace xsched::probe::vendor
