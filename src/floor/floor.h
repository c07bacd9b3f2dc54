// What guest libraries bring along of a newer C library than the oldest they are to run on (XSCHED_GLIBC_FLOOR,
// cmake/floor.cmake): each function here has the name and the behaviour of the C library's own, hidden within the guest
// library, so that the linker need not ask the C library for it. Any thread.
#pragma once

#define XSCHED_FLOOR __attribute__((visibility("hidden")))
