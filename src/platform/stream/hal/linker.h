// The dynamic linker's own dlopen and dlsym. Profilers preload libraries that export functions of these names, and
// answer with a library of their own (Nsight Compute: libcuda-injection.so): the shim and that library would call each
// other without end. HIP's shim has a dlsym of its own for programs. Any thread.
#pragma once

namespace xsched::stream {

using Dlopen = void* (*)(const char* path, int flags);
using Dlsym = void* (*)(void* library, const char* name);

// Looked up at the first call, in the C library's own table of symbols. If the C library has none there, both fail as
// they do for a library that does not exist.
Dlopen linker_dlopen();
Dlsym linker_dlsym();

}  // namespace xsched::stream
