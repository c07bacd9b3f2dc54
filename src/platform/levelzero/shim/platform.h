// Answers for the ioctl hook that shims share (platform/stream/shim/ioctl.cpp): which calls to the kernel this shim
// handles, and how.
#pragma once

#include <dlfcn.h>

#include "platform/levelzero/hal/hal_abi.h"
#include "platform/levelzero/shim/npu_band.h"

namespace xsched::stream {

constexpr bool is_recorded_ioctl(unsigned long request) { return request == levelzero::ivpu::kCreateQueue; }

inline int hal_ioctl(int fd, unsigned long request, void* argument, int (*next)(int, unsigned long, void*)) {
    return levelzero::create_npu_queue(fd, request, argument, next);
}

// Returns the symbol that the libraries behind this one define.
inline void* next_symbol(const char* name) { return xze_dlsym()(RTLD_NEXT, name); }

}  // namespace xsched::stream
