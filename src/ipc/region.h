// The memory of layout.h: a file that two processes map, which the server makes and seals and the client checks; or the
// private memory of a process without a server. Any thread.
#pragma once

#include <cstdint>

#include "ipc/layout.h"

namespace xsched::ipc {

inline constexpr const char* kRegionName = "xsched-region";  // the file's, as /proc/PID/maps shows it

// Server: makes a zeroed Region of sealed size with its header's constants filled in; `fd` receives its descriptor. All
// of its pages are in the mapping, writable: touching them later never enters the kernel. Returns nullptr, with errno,
// if no memory or descriptors are left.
Region* create_region(uint32_t client_id, int32_t server_pid, int* fd);
// create_region's two parts: first the file without memory, then its memory. The second takes a millisecond, and blocks
// while another thread of this process maps or unmaps memory. On failure they return -1 or nullptr, with errno.
int make_region_file();
Region* map_new_region(int fd, uint32_t client_id, int32_t server_pid);

// Server: prevents the kernel from moving the file's pages while the returned descriptor is open. Otherwise a process
// that maps the file could have them gathered into one huge page (MADV_COLLAPSE), and our threads would block in a page
// fault meanwhile. Returns -1 with errno if no descriptors are left.
int pin_region(int fd);

// Server: seals the file once both sides have mapped it, so that no process can punch holes into it, or map it
// writable. Blocks on the file's lock, which a process that changes the file may hold for as long as it likes. Returns
// 0, also if it is sealed already, or errno. EPERM: the peer has added other seals, and no more can be added.
int seal_region(int fd);

// Returns whether the kernel can seal a file that is mapped writable (F_SEAL_FUTURE_WRITE, since Linux 5.1).
bool can_seal_regions();

// Client, without a server: makes a zeroed Region of its own with its header's constants filled in. Returns nullptr if
// no memory is left. Never unmapped: a thread may still hold a pointer into it, and only the touched pages cost memory.
Region* create_private_region();

// Client: maps the Region that came with the Welcome (`bytes` as the Welcome says). Returns nullptr, after one WARN
// line that says why, if it is not a Region of this version whose size can never change. The descriptor may be closed
// afterwards.
Region* map_region(int fd, uint64_t bytes);

void unmap_region(Region* region);

}  // namespace xsched::ipc
