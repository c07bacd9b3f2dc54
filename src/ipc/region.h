// The memory of layout.h: a file that two processes map, which the server makes and seals and the client checks; or the
// private memory of a process without a server. Any thread.
#pragma once

#include <cstdint>

#include "ipc/layout.h"

namespace xsched::ipc {

// Server: a zeroed Region of sealed size with its header's constants filled in; `fd` receives its descriptor.
// nullptr and errno: no memory or descriptors left.
Region* create_region(uint32_t client_id, int32_t server_pid, int* fd);

// Client, without a server: a zeroed Region of its own with its header's constants filled in. nullptr: no memory left.
// Never unmapped: a thread may still hold a pointer into it, and only the touched pages cost memory.
Region* create_private_region();

// Client: maps what came with the Welcome (`bytes` as the Welcome says). nullptr, with one WARN line that says why, if
// it is not a Region of this version whose size can never change. The descriptor may be closed afterwards.
Region* map_region(int fd, uint64_t bytes);

void unmap_region(Region* region);

}  // namespace xsched::ipc
