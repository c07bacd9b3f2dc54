// The HIP runtime's calls that trials of streams need beyond the benchmark programs' (vendor.h): value operations and
// memory that they work on. They return the runtime's own code; a function that this version lacks is "not supported".
#pragma once

#include "platform/stream/probe/call_names.h"

namespace xsched::probe::vendor {

using Word = void*;  // a word's address as the device knows it
inline constexpr CallNames kNames{"libamdhip64",
                                  "hipModuleLaunchKernel",
                                  "hipStreamQuery",
                                  "hipStreamWriteValue32",
                                  "hipMemcpyDtoHAsync",
                                  "hipHostRegister",
                                  "hipHostGetDevicePointer",
                                  "hipGetProcAddress",
                                  600};

inline void* symbol(const char* name) { return busy::runtime_symbol(name); }

}  // namespace xsched::probe::vendor

#include "platform/stream/probe/vendor_calls.h"

namespace xsched::probe::vendor {

inline int wait_value(Stream stream, Word word, uint32_t value) {
    return call("hipStreamWaitValue32", stream, word, value, 0U /* at least */, UINT32_MAX);
}

}  // namespace xsched::probe::vendor
