// Calls for trials of streams that CUDA and HIP share except for their names. The platform's calls.h includes this, and
// defines the names (kNames), how a function is found (symbol), and the types. Functions return the vendor's code.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xsched::probe::vendor {

inline constexpr int kNotSupported = 801;
inline constexpr int kNotReady = 600;

template <typename... Arguments>
int call(const char* name, Arguments... arguments) {
    void* address = symbol(name);
    return address != nullptr ? reinterpret_cast<int (*)(Arguments...)>(address)(arguments...) : kNotSupported;
}

inline int query(Stream stream) { return call(kNames.query, stream); }
inline int write_value(Stream stream, Word word, uint32_t value) {
    return call(kNames.write_value, stream, word, value, 0U);
}
inline int copy_out_in(Stream stream, void* to, Memory from, size_t bytes) {
    return call(kNames.copy_out, to, from, bytes, stream);
}
// Registers pages of host memory for the device to wait on.
inline int register_pages(void* pages, size_t bytes, Word* word) {
    const unsigned portable_mapped = 3;
    const int code = call(kNames.register_memory, pages, bytes, portable_mapped);
    return code == 0 ? call(kNames.device_pointer, word, pages, 0U) : code;
}
// Returns the launch function that the runtime's own look-up hands out.
inline void* launch_by_proc_address() {
    void* function = nullptr;
    int status = 0;
    call(kNames.proc_address, kNames.launch, &function, kNames.proc_version, uint64_t{0}, &status);
    return function;
}

}  // namespace xsched::probe::vendor
