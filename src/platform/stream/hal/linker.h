// The dynamic linker's own dlopen and dlsym. Profilers preload libraries that export these names and answer with a
// library of their own (Nsight Compute: libcuda-injection.so); the shim and that library would then call each other
// without end. HIP's shim has a dlsym for programs. Any thread.
#pragma once

namespace xsched::stream {

using Dlopen = void* (*)(const char* path, int flags);
using Dlsym = void* (*)(void* library, const char* name);

// Return the functions, looked up at the first call in the C library's own symbol table. If they are not there, both
// fail as for a library that does not exist.
Dlopen linker_dlopen();
Dlsym linker_dlsym();

}  // namespace xsched::stream
