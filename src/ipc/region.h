// The memory of layout.h as a file that two processes map: made and sealed by the server, checked and mapped by the
// client. Any thread.
#pragma once

#include <cstdint>

#include "ipc/layout.h"

namespace xsched::ipc {

// Server: a zeroed Region of sealed size with its header's constants filled in; `fd` receives its descriptor.
// nullptr and errno: no memory or descriptors left.
Region* create_region(uint32_t client_id, int32_t server_pid, int* fd);

// Client: maps what came with the Welcome (`bytes` as the Welcome says). nullptr, with one WARN line that says why, if
// it is not a Region of this version whose size can never change. The descriptor may be closed afterwards.
Region* map_region(int fd, uint64_t bytes);

void unmap_region(Region* region);

}  // namespace xsched::ipc
