// The CUDA driver's calls that trials of streams need beyond the benchmark programs' (vendor.h): value operations and
// memory that they work on. They return the driver's own code; a function that this version lacks is "not supported".
#pragma once

#include <dlfcn.h>

#include "vendor.h"

namespace xsched::probe::vendor {

using namespace busy::vendor;
using Word = busy::CuPointer;  // a word's address as the device knows it
inline constexpr int kNotSupported = 801;
inline constexpr int kNotReady = 600;
inline constexpr const char* kLibrary = "libcuda.so";
inline constexpr const char* kLaunch = "cuLaunchKernel";

template <typename... Arguments>
int call(const char* name, Arguments... arguments) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    void* address = dlsym(RTLD_DEFAULT, name);
    if (address == nullptr) address = dlsym(library, name);
    return address != nullptr ? reinterpret_cast<int (*)(Arguments...)>(address)(arguments...) : kNotSupported;
}

inline int query(Stream stream) { return call("cuStreamQuery", stream); }
inline int wait_value(Stream stream, Word word, uint32_t value) {
    return call("cuStreamWaitValue32_v2", stream, word, value, 0U /* at least */);
}
inline int write_value(Stream stream, Word word, uint32_t value) {
    return call("cuStreamWriteValue32_v2", stream, word, value, 0U);
}
inline int copy_out_in(Stream stream, void* to, Memory from, size_t bytes) {
    return call("cuMemcpyDtoHAsync_v2", to, from, bytes, stream);
}
// Pages of host memory, for the device to wait on.
inline int register_pages(void* pages, size_t bytes, Word* word) {
    const unsigned portable_mapped = 3;
    const int code = call("cuMemHostRegister_v2", pages, bytes, portable_mapped);
    return code == 0 ? call("cuMemHostGetDevicePointer_v2", word, pages, 0U) : code;
}

}  // namespace xsched::probe::vendor
