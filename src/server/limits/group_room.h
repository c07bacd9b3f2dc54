// The memory that control groups leave to this process and to the others in them: the least of the limits of its own
// group and of all groups above, of version 2 and version 1. Reads files of the kernel alone. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace xsched::server {

struct GroupRoom {
    static constexpr int64_t kNoLimit = INT64_MAX;

    int64_t memory_bytes = kNoLimit;  // memory.max and memory.high, memory.limit_in_bytes
    int64_t processes = kNoLimit;     // pids.max: processes and threads
};

// `groups`: the groups of this process. `root`: where the hierarchies are.
GroupRoom room_of_groups(const std::string& groups = "/proc/self/cgroup", const std::string& root = "/sys/fs/cgroup");

}  // namespace xsched::server
