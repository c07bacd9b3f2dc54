// Copies in pieces on a gated queue: which of their callers wait out here, and how much of them is with the driver.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "queue/gated_device.h"
#include "queue/path/copy_rates.h"
#include "support/eventually.h"

namespace {

using xsched::fake::FakeDevice;
using namespace xsched::test;

constexpr size_t kDriversQueue = 1024;  // commands that a vendor's queue holds; the caller of one more waits in it

void launch_piece(FakeDevice& device, XqCopyKind kind, int id) {
    XqTicket ticket;
    const XqPiece piece{kind, uint64_t{1} << 20};
    xq_admit_piece(device.abi_queue(), &ticket, &piece);
    device.driver_launch({id, nullptr, ticket.token});
    xq_launched(device.abi_queue(), &ticket, kXqSucceeded);
}

TEST(GatedCopies, AreCountedForPeople) {
    FakeDevice device(kGates);
    launch_piece(device, kXqToDevice, 0);
    xq_note_copy(device.abi_queue(), 1 << 20);
    device.enqueue(1);
    launch_piece(device, kXqToDevice, 2);
    xq_note_copy(device.abi_queue(), 5);
    EXPECT_EQ(device.slot().submitted, 3U);
    EXPECT_EQ(device.slot().copies, 2U);
    EXPECT_EQ(device.slot().copied_bytes, (1U << 20) + 5);
    device.run_freely();
}

TEST(GatedCopies, TheirGatesCountAsWell) {
    FakeDevice device(kGates);
    device.slot().window_ns = 1'000'000;
    direct(device, true);
    constexpr int kPieces = 3 * static_cast<int>(xsched::queue::CopyRates::most_pieces());
    std::atomic<int> launched{0};
    std::thread copier([&] {
        for (int i = 0; i < kPieces; ++i) {
            launch_piece(device, kXqToDevice, i);
            ++launched;
        }
    });
    EXPECT_TRUE(eventually([&] { return launched == xsched::queue::CopyRates::most_pieces(); }));
    let_time_pass();
    EXPECT_EQ(launched, xsched::queue::CopyRates::most_pieces());
    EXPECT_EQ(device.gates_inserted, launched);
    EXPECT_LT(device.in_driver(), kDriversQueue);
    direct(device, false);
    device.run_freely();
    copier.join();
    EXPECT_TRUE(eventually([&] { return device.executed().size() == size_t{kPieces}; }));
}

// The thread that copies pageable memory waits before the driver's call. Inside the call the driver would keep it,
// with the context's lock, until the memory was read.
TEST(GatedCopies, WhoCopiesPageableMemoryWaitsOutsideTheDriver) {
    for (const XqCopyKind kind : {kXqPageableToDevice, kXqDeviceToPageable}) {
        FakeDevice device(kGates);
        device.slot().window_ns = 1'000'000;
        device.enqueue(0);
        direct(device, true);
        std::atomic<bool> launched{false};
        std::thread copier([&] {
            launch_piece(device, kind, 1);
            launched = true;
        });
        let_time_pass();
        EXPECT_FALSE(launched);
        const int gates = device.gates_inserted;
        direct(device, false);
        EXPECT_TRUE(eventually([&] { return launched.load(); }));
        copier.join();
        EXPECT_EQ(device.gates_inserted, gates) << "it stands behind none";
    }
}

// The last piece of a copy for which the call waits is launched only once the queue may run: until then the thread
// waits here, not in the driver.
TEST(GatedCopies, TheLastPieceOfAWaitingCopyWaitsOutHereToo) {
    FakeDevice device(kGates);
    device.slot().window_ns = 1'000'000;
    direct(device, true);
    std::atomic<bool> launched{false};
    std::thread copier([&] {
        ASSERT_TRUE(xq_split_begins(device.abi_queue()));
        for (int i = 0; i < 20; ++i) launch_piece(device, kXqToDevice, i);
        device.enqueue(20);
        launched = true;
        xq_split_over(device.abi_queue());
        device.enqueue(21);
    });
    EXPECT_TRUE(eventually([&] { return device.slot().waiting.load() != 0; }));
    let_time_pass();
    EXPECT_FALSE(launched);
    EXPECT_EQ(device.gates_inserted, 20);
    device.run_freely();
    direct(device, false);
    copier.join();
    EXPECT_TRUE(eventually([&] { return device.executed().size() == 22; }));
}

}  // namespace
