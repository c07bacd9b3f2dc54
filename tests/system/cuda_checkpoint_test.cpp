// Tests that memory which XSched itself cannot move is moved off the device by the driver's checkpoint of the process
// (docs/memory.md).
#include "system/memory_rig.h"

namespace xsched::test {
namespace {

class CudaCheckpoint : public CudaMemory {
protected:
    // Runs xcli beside the server and the driver, and keeps its exit status.
    Process& xcli(std::vector<std::string> words, bool with_driver = true) {
        Environment own = directory.environment();
        own["XSCHED_CUDA_LIB"] = with_driver ? getenv("TEST_DRIVER") : directory.path() + "/none.so";
        own["FAKE_CUDA_SHARED"] = directory.path() + "/card";
        own["FAKE_CUDA_MEMORY"] = std::to_string(card_mib_ << 20);
        words.insert(words.begin(), binary("xcli"));
        tool_ = std::make_unique<Process>(words, own);
        status_ = tool_->wait();
        return *tool_;
    }
    // Starts a program with 96 of the card's 192 MiB, none of which may be moved.
    std::unique_ptr<Process> start_holder() {
        auto holder = start(kHolder, "96", 0, false, "holder");
        EXPECT_TRUE(says(*holder, "holds")) << holder->err();
        return holder;
    }

    std::unique_ptr<Process> tool_;
    int status_ = 0;
};

TEST_F(CudaCheckpoint, TheDriverTakesAwayWhatXSchedCannotMove) {
    const auto holder = start_holder();
    const std::string pid = std::to_string(holder->pid());
    Process& suspended = xcli({"suspend", "--memory", pid});
    EXPECT_NE(suspended.out().find("memory moved by the driver's checkpoint"), std::string::npos)
        << suspended.out() << suspended.err();
    EXPECT_EQ(program(*holder)["memory_on_card"], 0);
    EXPECT_EQ(program(*holder)["memory_on_host"], 96 << 20);
    EXPECT_EQ(program(*holder)["memory_by_driver"], true);
    EXPECT_FALSE(order("resume", *holder, {})["ok"]) << "this tool has no driver";
    for (const char* command : {"explain", "status"})
        EXPECT_NE(xcli({command, pid}).out().find("moved by the driver's checkpoint"), std::string::npos)
            << tool_->out();
    const auto taker = start(kTaker, "160", 0, false, "taker");
    EXPECT_TRUE(says(*taker, "code 0")) << "the room is there: " << taker->out() << taker->err();
    xcli({"resume", pid});
    EXPECT_EQ(status_, 5) << "there is no room for it: " << tool_->out() << tool_->err();
    EXPECT_EQ(program(*holder)["memory_by_driver"], true);
    tell("taker");
    EXPECT_EQ(taker->wait(), 0);
    xcli({"resume", pid});
    EXPECT_EQ(status_, 0) << tool_->out() << tool_->err();
    EXPECT_EQ(program(*holder)["memory_on_card"], 96 << 20);
    EXPECT_TRUE(goes_on(*holder)) << holder->out() << holder->err();
    ends_well(*holder);
}

TEST_F(CudaCheckpoint, WithoutSuchADriverNothingChanges) {
    const auto holder = start_holder();
    Process& refused = xcli({"suspend", "--memory", std::to_string(holder->pid())}, false);
    EXPECT_EQ(status_, 5);
    EXPECT_NE(refused.err().find("cannot be loaded"), std::string::npos) << refused.err();
    EXPECT_EQ(program(*holder)["memory_by_driver"], false);
    EXPECT_TRUE(goes_on(*holder)) << "and it is not suspended";
    ends_well(*holder);
}

// A server is killed while the driver keeps a program's memory on the host. The supervisor's next server knows that
// and can bring the memory back.
TEST_F(CudaCheckpoint, TheNextServerKnowsThatTheDriverMovedIt) {
    server.reset();
    Process supervisor({binary("xserver"), "--socket", socket()}, directory.environment());
    ASSERT_TRUE(supervisor.wait_for_output("listening on")) << supervisor.err();
    const auto holder = start_holder();
    const std::string pid = std::to_string(holder->pid());
    xcli({"suspend", "--memory", pid});
    ASSERT_EQ(status_, 0) << tool_->err();
    next_server_knows(*holder, "memory_by_driver", supervisor);
    xcli({"resume", pid});
    EXPECT_EQ(status_, 0) << tool_->out() << tool_->err();
    EXPECT_TRUE(goes_on(*holder)) << holder->out() << holder->err();
    ends_well(*holder);
}

}  // namespace
}  // namespace xsched::test
