#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <shared_mutex>

#include "card.h"

namespace kfd {
namespace {

struct Allocation {
    uint64_t address = 0, bytes = 0;
    uint64_t host = 0;  // 0: the same address
    int file = -1;      // of memory that is mapped later (mapped_later)
    bool on_card = false;
};

constexpr uint32_t kNoPages =
    KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL | KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP;

// Returns whether the memory is for hipMemCreate: the runtime then gives no address, since it maps the memory itself
// later.
bool mapped_later(const kfd_ioctl_alloc_memory_of_gpu_args& asked) {
    return asked.va_addr == 0 && (asked.flags & kNoPages) == 0;
}

std::shared_mutex g_mutex;
// These tables are never destroyed, since the runtime makes calls until the very end of the process.
auto& g_by_handle = *new std::map<uint64_t, Allocation>;
auto& g_elsewhere = *new std::map<uint64_t, Allocation>;  // by address: those whose host address is another
auto& g_pages = *new std::map<uint64_t, uint64_t>;  // address, bytes: those that were put there
uint64_t g_last_handle = 0;

bool put_pages(uint64_t address, uint64_t bytes) {
    constexpr int kHow = MAP_SHARED | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE;
    if (mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE, kHow, -1, 0) != MAP_FAILED) return true;
    say(0, "no %llu bytes at %llx: %s", static_cast<unsigned long long>(bytes),
        static_cast<unsigned long long>(address), std::strerror(errno));
    return false;
}

}  // namespace

Answer allocate(kfd_ioctl_alloc_memory_of_gpu_args& asked) {
    const bool registered = (asked.flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) != 0;
    Allocation made{.address = asked.va_addr, .bytes = asked.size};
    made.on_card = (asked.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM) != 0;
    if (made.on_card && !take_card_bytes(asked.size)) return -ENOMEM;
    if (mapped_later(asked)) {
        made.file = memfd_create("kfd_emulator", MFD_CLOEXEC);
        if (made.file < 0 || ftruncate(made.file, static_cast<off_t>(asked.size)) != 0) return -ENOMEM;
    } else if ((asked.flags & kNoPages) == 0 && !put_pages(asked.va_addr, asked.size)) {
        return -ENOMEM;
    }
    if (registered && asked.mmap_offset != asked.va_addr) made.host = asked.mmap_offset;
    const std::lock_guard lock(g_mutex);
    asked.handle = ++g_last_handle;
    g_by_handle[asked.handle] = made;
    if (made.host != 0) g_elsewhere[made.address] = made;
    if ((asked.flags & kNoPages) == 0 && made.file < 0) g_pages[made.address] = made.bytes;
    if (!registered) asked.mmap_offset = asked.handle << 12;  // what the runtime maps then; see files.cpp
    return 0;
}

Answer release(const kfd_ioctl_free_memory_of_gpu_args& asked) {
    const std::lock_guard lock(g_mutex);
    const auto found = g_by_handle.find(asked.handle);
    if (found == g_by_handle.end()) return -EINVAL;
    if (found->second.host != 0) g_elsewhere.erase(found->second.address);
    if (found->second.file >= 0) close(found->second.file);
    if (found->second.on_card) give_card_bytes(found->second.bytes);
    g_by_handle.erase(found);
    return 0;
}

Answer export_memory(kfd_ioctl_export_dmabuf_args& asked) {
    const std::shared_lock lock(g_mutex);
    const auto found = g_by_handle.find(asked.handle);
    if (found == g_by_handle.end() || found->second.file < 0) return -EINVAL;
    const int file = dup(found->second.file);
    if (file < 0) return -EMFILE;
    asked.dmabuf_fd = static_cast<uint32_t>(file);
    return 0;
}

bool close_pages(uint64_t address, uint64_t bytes) {
    static const char* const us = std::getenv("KFD_EMULATOR_UNMAP_US");
    if (us == nullptr) return false;
    {
        const std::lock_guard lock(g_mutex);
        const auto found = g_pages.find(address);
        if (found == g_pages.end() || bytes < found->second) return false;
        g_pages.erase(found);
    }
    constexpr int kHow = MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE;
    const bool closed = mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE, kHow, -1, 0) != MAP_FAILED;
    usleep(static_cast<useconds_t>(std::atoi(us)));  // for those who might
    return closed;
}

uint64_t address_of_handle(uint64_t handle) {
    const std::shared_lock lock(g_mutex);
    const auto found = g_by_handle.find(handle);
    return found != g_by_handle.end() ? found->second.address : 0;
}

uint64_t on_host(uint64_t gpu_address) {
    const std::shared_lock lock(g_mutex);
    auto next = g_elsewhere.upper_bound(gpu_address);
    if (next == g_elsewhere.begin()) return gpu_address;
    const Allocation& before = std::prev(next)->second;
    return gpu_address - before.address < before.bytes ? before.host + (gpu_address - before.address) : gpu_address;
}

}  // namespace kfd
