// The HIP runtime's calls that trials of streams need beyond the benchmark programs' (vendor.h): value operations and
// memory that they work on. They return the runtime's own code; a function that this version lacks is "not supported".
#pragma once

#include "vendor.h"

namespace xsched::probe::vendor {

using namespace busy::vendor;
using Word = void*;  // a word's address as the device knows it
inline constexpr int kNotSupported = 801;
inline constexpr int kNotReady = 600;
inline constexpr const char* kLibrary = "libamdhip64";
inline constexpr const char* kLaunch = "hipModuleLaunchKernel";

template <typename... Arguments>
int call(const char* name, Arguments... arguments) {
    void* address = busy::runtime_symbol(name);
    return address != nullptr ? reinterpret_cast<int (*)(Arguments...)>(address)(arguments...) : kNotSupported;
}

inline int query(Stream stream) { return call("hipStreamQuery", stream); }
inline int wait_value(Stream stream, Word word, uint32_t value) {
    return call("hipStreamWaitValue32", stream, word, value, 0U /* at least */, UINT32_MAX);
}
inline int write_value(Stream stream, Word word, uint32_t value) {
    return call("hipStreamWriteValue32", stream, word, value, 0U);
}
inline int copy_out_in(Stream stream, void* to, Memory from, size_t bytes) {
    return call("hipMemcpyDtoHAsync", to, from, bytes, stream);
}
// Pages of host memory, for the device to wait on.
inline int register_pages(void* pages, size_t bytes, Word* word) {
    const unsigned portable_mapped = 3;
    const int code = call("hipHostRegister", pages, bytes, portable_mapped);
    return code == 0 ? call("hipHostGetDevicePointer", word, pages, 0U) : code;
}

}  // namespace xsched::probe::vendor
