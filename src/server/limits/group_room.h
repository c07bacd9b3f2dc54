// The memory and processes that control groups (version 1 and 2) allow this process: the least limit of its own group
// and all groups above. Reads only files of the kernel. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace xsched::server {

struct GroupRoom {
    static constexpr int64_t kNoLimit = INT64_MAX;

    int64_t memory_bytes = kNoLimit;  // memory.max and memory.high, memory.limit_in_bytes
    int64_t processes = kNoLimit;     // pids.max: processes and threads
};

// `groups`: the file that names this process's groups. `root`: the folder below which the hierarchies are mounted.
GroupRoom room_of_groups(const std::string& groups = "/proc/self/cgroup", const std::string& root = "/sys/fs/cgroup");

}  // namespace xsched::server
