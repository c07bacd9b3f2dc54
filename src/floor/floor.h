// The functions of a newer C library that guest libraries bring along, since they run on older ones
// (XSCHED_GLIBC_FLOOR, cmake/floor.cmake): each function here has the name and the behaviour of the C library's own,
// hidden within the guest library, so that the linker need not ask the C library for it. Any thread.
#pragma once

#define XSCHED_FLOOR __attribute__((visibility("hidden")))
