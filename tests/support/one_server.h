// A test in which the program under the shim is this process itself: one small server and one connection serve all
// tests of the suite, because a process reads its environment once.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "support/directory.h"
#include "support/small_server.h"

namespace xsched::test {

class WithOneServer : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_directory = new TemporaryDirectory;
        const std::string path = *s_directory / "socket";
        setenv("XSCHED_SCHEDULER", "global", 1);
        setenv("XSCHED_SOCKET", path.c_str(), 1);
        s_server = new SmallServer(path);
    }
    static void TearDownTestSuite() {
        delete s_server;
        delete s_directory;
    }
    // Returns the slot of the vendor's queue with this handle.
    static const ipc::QueueSlot& slot_of(const void* queue) {
        EXPECT_TRUE(s_server->wait_for_client());
        for (const ipc::QueueSlot& slot : s_server->region().slots)
            if (slot.hwq == reinterpret_cast<uint64_t>(queue) && slot.state != 0) return slot;
        ADD_FAILURE() << "the queue has no slot";
        return s_server->region().slots[0];
    }

    static inline TemporaryDirectory* s_directory = nullptr;
    static inline SmallServer* s_server = nullptr;
};

}  // namespace xsched::test
