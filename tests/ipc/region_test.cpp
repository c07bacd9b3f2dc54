// Shared memory is made sealed, and only mapped if it is what it says.
#include "ipc/region.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/unique_fd.h"

namespace xsched::ipc {
namespace {

using base::UniqueFd;

TEST(Region, BothSidesSeeTheSameMemory) {
    int fd = -1;
    Region* server = create_region(7, 42, &fd);
    ASSERT_NE(server, nullptr);
    const UniqueFd file(fd);
    Region* client = map_region(fd, sizeof(Region));
    ASSERT_NE(client, nullptr);
    EXPECT_EQ(client->header.client_id, 7U);
    EXPECT_EQ(client->header.server_pid, 42);
    EXPECT_EQ(client->header.doorbell.load(), 0U);
    EXPECT_EQ(client->slots[kMostQueues - 1].state.load(), static_cast<uint32_t>(SlotState::kFree));
    client->slots[kMostQueues - 1].submitted = 99;
    EXPECT_EQ(server->slots[kMostQueues - 1].submitted.load(), 99U);
    unmap_region(client);
    unmap_region(server);
}

TEST(Region, APrivateOneLooksLikeAServers) {
    int fd = -1;
    Region* shared = create_region(0, getpid(), &fd);
    ASSERT_NE(shared, nullptr);
    const UniqueFd file(fd);
    Region* own = create_private_region();
    ASSERT_NE(own, nullptr);
    EXPECT_EQ(memcmp(own, shared, offsetof(Header, made_ns)), 0);
    unmap_region(own);
    unmap_region(shared);
}

TEST(Region, SizeIsSealed) {
    int fd = -1;
    Region* region = create_region(1, 1, &fd);
    ASSERT_NE(region, nullptr);
    const UniqueFd file(fd);
    EXPECT_NE(ftruncate(fd, 4096), 0);
    EXPECT_NE(ftruncate(fd, sizeof(Region) * 2), 0);
    EXPECT_NE(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0) << "it is mapped writable";
    EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    unmap_region(region);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kEntersPages = true;  // a sanitizer's own
#else
constexpr bool kEntersPages = false;
#endif

// Returns the page faults of reading and writing every page of the shared memory once.
long faults_of(Region& region) {
    const auto count = [] {
        rusage usage{};
        getrusage(RUSAGE_THREAD, &usage);
        return usage.ru_minflt + usage.ru_majflt;
    };
    const long before = count();
    for (QueueSlot& slot : region.slots) slot.handle.fetch_add(1);
    return count() - before;
}

TEST(Region, TouchingItEntersNoPage) {
    int fd = -1;
    Region* region = create_region(1, 1, &fd);
    ASSERT_NE(region, nullptr);
    const UniqueFd file(fd);
    const long faults = faults_of(*region);
    EXPECT_TRUE(faults == 0 || kEntersPages) << faults;
    unmap_region(region);
}

TEST(Region, OnceSealedNoHolesAreMadeInIt) {
    if (!can_seal_regions()) GTEST_SKIP() << "needs Linux 5.1";
    int fd = -1;
    Region* region = create_region(1, 1, &fd);
    ASSERT_NE(region, nullptr);
    const UniqueFd file(fd);
    constexpr int kHole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    EXPECT_EQ(fallocate(fd, kHole, 0, 4096), 0);
    EXPECT_EQ(seal_region(fd), 0);
    EXPECT_NE(fallocate(fd, kHole, 0, 4096), 0);
    EXPECT_NE(madvise(region, 4096, MADV_REMOVE), 0);
    EXPECT_EQ(map_region(fd, sizeof(Region)), nullptr) << "who comes later cannot write to it";
    region->slots[3].handle = 5;
    EXPECT_EQ(region->slots[3].handle.load(), 5U);
    EXPECT_EQ(seal_region(fd), 0) << "it is sealed already";
    EXPECT_NE(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0) << "there are no further seals";
    unmap_region(region);
}

// A process may ask the kernel to gather pages into a huge one (MADV_COLLAPSE) in any two megabytes that it maps of
// the file, even if the file is shorter. Pinned pages prevent that.
TEST(Region, PinnedPagesAreNotGatheredIntoAHugeOne) {
    constexpr size_t kHuge = size_t{2} << 20;
    constexpr int kCollapse = 25;  // MADV_COLLAPSE, since Linux 6.1
    const auto gathers = [](int fd) {
        void* memory = mmap(nullptr, 2 * kHuge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        char* place = static_cast<char*>(memory) + kHuge - reinterpret_cast<uintptr_t>(memory) % kHuge;
        mmap(place, kHuge, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
        const bool gathered = madvise(place, kHuge, kCollapse) == 0;
        munmap(memory, 2 * kHuge);
        return gathered;
    };
    int fd = -1;
    Region* unpinned = create_region(1, 1, &fd);
    const UniqueFd without(fd);
    if (!gathers(without.get())) GTEST_SKIP() << "this kernel gathers no pages of such a file";
    Region* region = create_region(1, 1, &fd);
    const UniqueFd file(fd);
    const UniqueFd pin(pin_region(fd));
    ASSERT_TRUE(pin);
    EXPECT_FALSE(gathers(fd));
    const long faults = faults_of(*region);
    EXPECT_TRUE(faults == 0 || kEntersPages) << faults;
    unmap_region(region);
    unmap_region(unpinned);
}

TEST(Region, WrongSizesAreRefused) {
    int fd = -1;
    Region* region = create_region(1, 1, &fd);
    const UniqueFd file(fd);
    EXPECT_EQ(map_region(fd, sizeof(Region) - 1), nullptr);
    EXPECT_EQ(map_region(fd, 0), nullptr);
    unmap_region(region);
    const UniqueFd small(memfd_create("small", MFD_ALLOW_SEALING));
    ASSERT_EQ(ftruncate(small.get(), 100), 0);
    EXPECT_EQ(map_region(small.get(), sizeof(Region)), nullptr);
    EXPECT_EQ(map_region(-1, sizeof(Region)), nullptr);
}

TEST(Region, MemoryThatCouldShrinkIsRefused) {
    const UniqueFd file(memfd_create("unsealed", MFD_ALLOW_SEALING));
    ASSERT_EQ(ftruncate(file.get(), sizeof(Region)), 0);
    EXPECT_EQ(map_region(file.get(), sizeof(Region)), nullptr);
}

TEST(Region, OtherVersionsAndLayoutsAreRefused) {
    int fd = -1;
    Region* region = create_region(1, 1, &fd);
    ASSERT_NE(region, nullptr);
    const UniqueFd file(fd);
    Header& header = region->header;
    for (uint32_t* field :
         {&header.magic, &header.version, &header.header_bytes, &header.slot_bytes, &header.slot_count}) {
        const uint32_t before = *field;
        *field = before + 1;
        EXPECT_EQ(map_region(fd, sizeof(Region)), nullptr);
        *field = before;
    }
    Region* client = map_region(fd, sizeof(Region));
    EXPECT_NE(client, nullptr);
    unmap_region(client);
    unmap_region(region);
}

}  // namespace
}  // namespace xsched::ipc
