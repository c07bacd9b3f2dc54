// Files of /proc and /sys/fs/cgroup, read by a thread that may wait. Any user can keep a look-up of a
// new name there waiting for as long as he likes: to make a folder takes the lock of the parent before it is refused
// (docs/SECURITY.md). The caller waits for 100 ms at most, and for nothing while the thread is still held up by an
// earlier question. One thread at a time may ask, the front.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>

#include "base/unique_fd.h"

namespace xsched::server {

struct SystemFile {
    bool in_time = false;  // else nothing below says anything
    bool there = false;
    std::string text;    // of read_system_file, up to 4 kB
    struct stat info{};  // of look_at_system_file
    base::UniqueFd open;  // of open_system_file
};

SystemFile read_system_file(const std::string& path);
// Does not follow a link at the end.
SystemFile look_at_system_file(const std::string& path);
SystemFile open_system_file(const std::string& path);

// Has the same thread look at several files. False: it did not end in time; it may end later, so what it refers to must
// live as long as it does. `what`: names the files in the log.
bool look_in_time(const std::string& what, std::function<void()> look);

}  // namespace xsched::server
