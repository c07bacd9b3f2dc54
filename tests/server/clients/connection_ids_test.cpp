// Numbers of connections begin again after 2^32.
#include "server/clients/connection_ids.h"

#include <gtest/gtest.h>

#include <set>

namespace xsched::server {
namespace {

TEST(ConnectionIds, NobodyGetsWhatAnotherHas) {
    ConnectionIds ids(UINT32_MAX - 1);
    const std::set<uint32_t> taken{UINT32_MAX, 1, 2};
    const auto is_taken = [&taken](uint32_t id) { return taken.contains(id); };
    EXPECT_EQ(ids.take(is_taken), UINT32_MAX - 1);
    EXPECT_EQ(ids.take(is_taken), 3U) << "0 is nobody's";
    EXPECT_EQ(ids.take(is_taken), 4U);
}

}  // namespace
}  // namespace xsched::server
