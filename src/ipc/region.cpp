#include "ipc/region.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "base/unique_fd.h"

namespace xsched::ipc {
namespace {

using base::UniqueFd;

// Missing in Debian 11's headers.
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr int kLastSeals = F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
#ifndef MADV_POPULATE_WRITE  // since Linux 5.14
#define MADV_POPULATE_WRITE 23
#endif

constexpr size_t kPageBytes = 4096;  // the smallest page size; on larger pages some pages are touched several times

// Maps the file. fd -1: shared memory of this process alone. It is shared because a device may pin its pages:
// copy-on-write after a fork would separate the two.
Region* map(int fd) {
    const int flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
    void* memory = mmap(nullptr, sizeof(Region), PROT_READ | PROT_WRITE, flags, fd, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<Region*>(memory);
}

// Touches every page for writing. One call where the kernel can: a fault per page took half of a new client's 5 ms
// (measured on a virtual machine).
void touch_pages(Region& region) {
    if (madvise(&region, sizeof(Region), MADV_POPULATE_WRITE) == 0) return;
    for (size_t at = 0; at < sizeof(Region); at += kPageBytes)
        reinterpret_cast<std::atomic<uint32_t>*>(reinterpret_cast<char*>(&region) + at)->fetch_or(0);
}

void fill_header(Header& header, uint32_t client_id, int32_t server_pid) {
    header.magic = kMagic;
    header.version = kVersion;
    header.header_bytes = sizeof(Header);
    header.slot_bytes = sizeof(QueueSlot);
    header.slot_count = kMostQueues;
    header.server_pid = server_pid;
    header.client_id = client_id;
    header.made_ns = base::now_ns();
}

}  // namespace

Region* create_region(uint32_t client_id, int32_t server_pid, int* fd) {
    UniqueFd file(make_region_file());
    Region* region = file ? map_new_region(file.get(), client_id, server_pid) : nullptr;
    *fd = region != nullptr ? file.release() : -1;
    return region;
}

int make_region_file() {
    UniqueFd file(memfd_create(kRegionName, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file || ftruncate(file.get(), sizeof(Region)) != 0) return -1;
    return fcntl(file.get(), F_ADD_SEALS, kSizeSeals) == 0 ? file.release() : -1;
}

Region* map_new_region(int fd, uint32_t client_id, int32_t server_pid) {
    // Allocates the pages now: running out of memory is an error here, and a fatal signal later.
    const int error = posix_fallocate(fd, 0, sizeof(Region));
    if (error != 0) {
        errno = error;
        return nullptr;
    }
    Region* region = map(fd);
    if (region == nullptr) return nullptr;
    touch_pages(*region);
    fill_header(region->header, client_id, server_pid);
    return region;
}

// Keeps every page in a pipe: a page that a pipe refers to is neither moved nor merged into a huge one.
int pin_region(int fd) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    UniqueFd read_end(ends[0]);
    const UniqueFd write_end(ends[1]);
    loff_t offset = 0;
    return splice(fd, &offset, write_end.get(), nullptr, 1, SPLICE_F_NONBLOCK) == 1 ? read_end.release() : -1;
}

int seal_region(int fd) {
    const int seals = can_seal_regions() ? kLastSeals : F_SEAL_SEAL;
    if (fcntl(fd, F_ADD_SEALS, seals) == 0) return 0;
    const int error = errno;
    return (fcntl(fd, F_GET_SEALS) & seals) == seals ? 0 : error;
}

bool can_seal_regions() {
    static const bool can = [] {
        const UniqueFd file(memfd_create("xsched-trial", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        return !file || fcntl(file.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE) == 0;
    }();
    return can;
}

Region* create_private_region() {
    Region* region = map(-1);
    if (region != nullptr) fill_header(region->header, 0, getpid());
    return region;
}

Region* map_region(int fd, uint64_t bytes) {
    struct stat info{};
    if (fstat(fd, &info) != 0) info.st_size = 0;
    if (bytes != sizeof(Region) || info.st_size != static_cast<off_t>(sizeof(Region))) {
        XLOG_WARN(
            "xserver sent shared memory of %lld bytes (and said %llu) where %zu are expected: install the same "
            "version of both",
            static_cast<long long>(info.st_size), static_cast<unsigned long long>(bytes), sizeof(Region));
        return nullptr;
    }
    if ((fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK) == 0) {
        XLOG_WARN("xserver sent shared memory that could shrink: it is not used; install the same version of both");
        return nullptr;
    }
    Region* region = map(fd);
    if (region == nullptr) {
        // the caller logs what follows from it
        XLOG_INFO("xserver's shared memory cannot be mapped (%s)", strerror(errno));
        return nullptr;
    }
    const Header& header = region->header;
    if (header.magic == kMagic && header.version == kVersion && header.header_bytes == sizeof(Header) &&
        header.slot_bytes == sizeof(QueueSlot) && header.slot_count == kMostQueues)
        return region;
    XLOG_WARN(
        "xserver's shared memory has version %u, a header of %u and %u slots of %u bytes, not %u, %zu, %u and %zu: "
        "install the same version of both",
        header.version, header.header_bytes, header.slot_count, header.slot_bytes, kVersion, sizeof(Header),
        kMostQueues, sizeof(QueueSlot));
    unmap_region(region);
    return nullptr;
}

void unmap_region(Region* region) {
    if (region != nullptr) munmap(region, sizeof(Region));
}

}  // namespace xsched::ipc
