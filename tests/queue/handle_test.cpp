#include "queue/handle.h"

#include <gtest/gtest.h>

#include "ipc/layout.h"
#include "queue/abi/abi_pointer.h"

namespace xsched::queue {
namespace {

TEST(Handle, NamesProcessGenerationAndIndex) {
    const XQueueHandle handle = pack_handle(0xfffffffe, 3, 7);
    EXPECT_EQ(handle >> 32, 0xfffffffeu);
    EXPECT_EQ(handle_index(handle), 7u);
    EXPECT_NE(handle, pack_handle(0xfffffffe, 4, 7));
    EXPECT_NE(handle, pack_handle(0xfffffffe, 3, 8));
    EXPECT_NE(pack_handle(0, 0, 0), 0u) << "0 is no queue";
}

TEST(Handle, HasRoomForEveryIndex) {
    EXPECT_LT(ipc::kMostQueues, (1u << kHandleIndexBits) - 1);
    EXPECT_EQ(handle_index(pack_handle(1, UINT32_MAX, ipc::kMostQueues - 1)), ipc::kMostQueues - 1);
}

TEST(AbiPointer, OfAnUnusedObjectLeadsNowhere) {
    XQueue queue(0);
    EXPECT_EQ(of_pointer(abi_pointer(queue)), nullptr);
    EXPECT_EQ(of_pointer(nullptr), nullptr);
}

}  // namespace
}  // namespace xsched::queue
