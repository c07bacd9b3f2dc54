// How long the front waits for a file of /proc: a slow machine changes no answer, a blocked thread delays nothing.
#include "server/system_files.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "support/eventually.h"

namespace xsched::test {
namespace {

using server::look_in_time;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(SystemFiles, AThreadThatLacksAProcessorIsWaitedFor) {
    EXPECT_TRUE(look_in_time("slow", [] {
        const auto until = steady_clock::now() + milliseconds(150);
        while (steady_clock::now() < until) {
        }
    }));
}

TEST(SystemFiles, AThreadThatIsBlockedIsNotWaitedFor) {
    const auto released = std::make_shared<std::atomic<bool>>(false);
    const auto ended = std::make_shared<std::atomic<bool>>(false);
    EXPECT_FALSE(look_in_time("blocked", [released, ended] {
        released->wait(false);
        ended->store(true);
    }));
    EXPECT_FALSE(look_in_time("behind it", [] {})) << "an earlier question blocks";
    released->store(true);
    released->notify_all();
    EXPECT_TRUE(eventually([&] { return ended->load(); }));
    EXPECT_TRUE(eventually([] { return look_in_time("afterwards", [] {}); }));
}

}  // namespace
}  // namespace xsched::test
