// Where a vendor's library lies. Asking the dynamic linker for its name is no use while a shim is loaded that bears it.
// So this looks where the linker would: its search path (LD_LIBRARY_PATH and run paths), its cache, its default
// folders, those of distributions, and folders that the vendor, containers and WSL put it into. Any thread.
#pragma once

#include <cstddef>

namespace xsched::stream {

inline constexpr size_t kPathBytes = 4096;

// Folders into which distributions put libraries, searched whatever the linker's configuration says.
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

// Calls `visit(path, data)` for each existing file of that name, in search order, until `visit` returns true.
// `folders`: more folders to search last, ended by nullptr. Returns whether `visit` returned true.
bool for_each_library_file(const char* name, const char* const* folders, bool (*visit)(const char* path, void* data),
                           void* data);

// Does the same as for_each_library_file, but only with the library paths in the bytes of one linker cache (for tests).
bool for_each_cached_file(const char* bytes, size_t size, const char* library,
                          bool (*visit)(const char* path, void* data), void* data);

}  // namespace xsched::stream
