// Where the vendor's libcuda.so.1 lies. Asking the dynamic linker for that name is no use while our shim is loaded,
// because the shim bears it; so this looks where the linker would: its search path (LD_LIBRARY_PATH and run paths), its
// cache, its default folders, and the folders that containers and WSL put the driver into. Any thread.
#pragma once

#include <cstddef>

namespace xsched::cuda {

inline constexpr size_t kPathBytes = 4096;

// Calls `visit(path, data)` for each place in turn that has a file of that name, until it returns true.
// False: it never did.
bool for_each_driver_file(bool (*visit)(const char* path, void* data), void* data);

// The same for one cache file's bytes (tests).
bool for_each_cached_file(const char* bytes, size_t size, const char* library,
                          bool (*visit)(const char* path, void* data), void* data);

}  // namespace xsched::cuda
