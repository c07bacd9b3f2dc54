// The lines that the MPS server of driver 580 has written about faults on an H200.
#include "cli/pool/server_log.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace xsched::cli {
namespace {

constexpr const char* kLog =
    R"([2026-11-30 12:47:30.917 Server   637] Status of client {PID: 625, Context ID: 1} is ACTIVE
[2026-11-30 12:47:32.942 Server   637] Client {PID: 625, Context: 1} encountered a fatal GPU error.
[2026-11-30 12:47:32.942 Server   637] Server is handling a fatal GPU error.
[2026-11-30 12:47:32.942 Server   637] Client {PID: 630, Context ID: 1} on device 0 to be torn down
[2026-11-30 12:47:32.942 Server   637] The following devices will be reset:
[2026-11-30 12:47:32.942 Server   637] 0
[2026-11-30 12:47:32.942 Server   637] The following client process have a sticky error set:
[2026-11-30 12:47:32.942 Server   637] 630
[2026-11-30 12:47:32.942 Server   637] 625
[2026-11-30 12:47:32.966 Server   637] Server failed to recevie command with status 806, assuming client {PID: 630} exit
[2026-11-30 12:47:53.068 Server   637] Exiting
[2026-11-30 12:48:55.412 Server  3228] Client {PID: 3219, Context ID: 1} exiting. Worker is in reset.
)";

TEST(ServerLog, TheLastFaultIsFound) {
    setenv("TZ", "UTC", 1);
    const std::optional<LoggedFault> fault = last_fault(kLog, 637);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->at_ms, 1796042852942);
    EXPECT_EQ(fault->programs, (std::vector<int>{630, 625}));
}

TEST(ServerLog, AFailedAssertionIsNoFaultOfTheServers) { EXPECT_FALSE(last_fault(kLog, 3228)); }

TEST(ServerLog, OtherTextIsNone) {
    EXPECT_FALSE(last_fault("", 637));
    EXPECT_FALSE(last_fault("]\n[] \n[2026-11-30 12:47 Server 637] Server is handling a fatal GPU error.\n", 637));
}

}  // namespace
}  // namespace xsched::cli
