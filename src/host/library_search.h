// Where a vendor's library lies. Asking the dynamic linker for its name is no use while a shim is loaded that bears it.
// So this looks where the linker would: its search path (LD_LIBRARY_PATH and run paths), its cache, its default
// folders, those of distributions, and folders that the vendor, containers and WSL put it into. Any thread.
#pragma once

#include <cstddef>

namespace xsched::stream {

inline constexpr size_t kPathBytes = 4096;

// Where distributions put libraries, whatever the linker at hand was told.
inline constexpr const char* kSystemFolders[] = {
#ifdef __aarch64__
    "/usr/lib/aarch64-linux-gnu",
    "/lib/aarch64-linux-gnu",
#else
    "/usr/lib/x86_64-linux-gnu",
    "/lib/x86_64-linux-gnu",
#endif
    "/usr/lib64",
    "/lib64",
    "/usr/lib",
    "/lib"};

// Calls `visit(path, data)` for each place in turn that has a file of that name, until it returns true. `folders`: more
// places to look at in the end, up to nullptr. False: it never did.
bool for_each_library_file(const char* name, const char* const* folders, bool (*visit)(const char* path, void* data),
                           void* data);

// The same for one cache file's bytes (tests).
bool for_each_cached_file(const char* bytes, size_t size, const char* library,
                          bool (*visit)(const char* path, void* data), void* data);

}  // namespace xsched::stream
