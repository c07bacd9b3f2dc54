// The memory that control groups leave to a server, in made-up hierarchies of both versions.
#include "server/limits/group_room.h"

#include <gtest/gtest.h>

#include "support/directory.h"

namespace xsched::test {
namespace {

using server::GroupRoom;
using server::room_of_groups;

class GroupRooms : public ::testing::Test {
protected:
    void write(const std::string& path, const std::string& text) { make_file(directory.path() + path, text + "\n"); }
    GroupRoom room(const std::string& groups) {
        write("/groups", groups);
        return room_of_groups(directory.path() + "/groups", directory.path());
    }
    TemporaryDirectory directory;
};

TEST_F(GroupRooms, TheLeastOfTheGroupAndThoseAboveCounts) {
    write("/a/memory.max", "1000");
    write("/a/b/memory.max", "max");
    write("/a/b/c/memory.max", "2000");
    write("/a/b/c/pids.max", "max");
    write("/a/b/pids.max", "70");
    EXPECT_EQ(room("0::/a/b/c").memory_bytes, 1000);
    EXPECT_EQ(room("0::/a/b/c").processes, 70);
    EXPECT_EQ(room("0::/b").memory_bytes, GroupRoom::kNoLimit);
}

TEST_F(GroupRooms, WhereTheKernelSlowsAGroupDownIsItsEndToo) {
    write("/unified/a/memory.high", "500");
    write("/unified/a/memory.max", "1000");
    EXPECT_EQ(room("0::/a").memory_bytes, 500);
}

TEST_F(GroupRooms, TheFirstVersionIsKnown) {
    write("/memory/memory.limit_in_bytes", "9223372036854771712");
    write("/memory/x/memory.limit_in_bytes", "3000");
    write("/memory/x/y/memory.limit_in_bytes", "9223372036854771712");
    write("/pids/z/pids.max", "9");
    const GroupRoom found = room("9:name=systemd:/x\n8:pids:/z\n4:cpu,memory:/x/y\n0::/x");
    EXPECT_EQ(found.memory_bytes, 3000);
    EXPECT_EQ(found.processes, 9);
    EXPECT_EQ(room("4:memory:/").memory_bytes, GroupRoom::kNoLimit);
}

// A container sees its own group as the root of the mount, under whatever name.
TEST_F(GroupRooms, InAContainerTheRootOfTheMountCounts) {
    write("/memory/memory.limit_in_bytes", "4000");
    write("/memory.max", "5000");
    EXPECT_EQ(room("4:memory:/docker/0123").memory_bytes, 4000);
    EXPECT_EQ(room("0::/../0123").memory_bytes, 5000);
    EXPECT_EQ(room("0::/").memory_bytes, 5000);
}

TEST_F(GroupRooms, NonsenseIsNoLimit) {
    write("/a/memory.max", "much");
    write("/a/pids.max", "-1");
    for (const char* groups : {"0::/a", "", "nonsense", "0:", "::", "0::/a/\n:::"})
        EXPECT_EQ(room(groups).memory_bytes, GroupRoom::kNoLimit) << groups;
    EXPECT_EQ(room("0::/a").processes, GroupRoom::kNoLimit);
}

}  // namespace
}  // namespace xsched::test
