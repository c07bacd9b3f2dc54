#include "agent/region.h"

#include <sys/mman.h>
#include <unistd.h>

namespace xsched::agent {

ipc::Region* map_private_region() {
    // Shared, though nobody shares it: a device may pin its pages, and copy-on-write after fork would part the two.
    void* memory = mmap(nullptr, sizeof(ipc::Region), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    auto* region = static_cast<ipc::Region*>(memory);
    region->header.magic = ipc::kMagic;
    region->header.version = ipc::kVersion;
    region->header.header_bytes = sizeof(ipc::Header);
    region->header.slot_bytes = sizeof(ipc::QueueSlot);
    region->header.slot_count = ipc::kMostQueues;
    region->header.server_pid = getpid();
    return region;
}

}  // namespace xsched::agent
