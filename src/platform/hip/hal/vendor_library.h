// The C library's own dlsym: the shim has one for programs. Any thread.
#pragma once

namespace xsched::hip {

using Dlsym = void* (*)(void* library, const char* name);
Dlsym real_dlsym();

}  // namespace xsched::hip
