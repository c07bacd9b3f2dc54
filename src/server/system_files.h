// Reads files of /proc and /sys/fs/cgroup on a thread that may block. Any user can block look-ups of new names there
// for as long as he likes: creating a folder takes the parent's lock before it is refused (docs/SECURITY.md). The
// caller waits for at most 100 ms; if the thread is still blocked by an earlier question, not at all. If the thread
// only lacks a processor, the caller waits for up to 0.5 s: a busy machine must not change what is decided about
// rights. One thread at a time may ask, the front.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>

#include "base/unique_fd.h"

namespace xsched::server {

struct SystemFile {
    bool in_time = false;  // the answer came in time; otherwise the members below are not set
    bool there = false;
    std::string text;    // the content, up to 4 kB (read_system_file)
    struct stat info{};  // of look_at_system_file
    base::UniqueFd open;  // of open_system_file
};

SystemFile read_system_file(const std::string& path);
// Returns facts about a file. Does not follow a link at the end of the path.
SystemFile look_at_system_file(const std::string& path);
SystemFile open_system_file(const std::string& path);

// Runs `look` on the same thread, for example to read several files. Returns false if it did not end in time. It may
// end later, so everything it refers to must live as long as it does. `what`: names the files in the log.
bool look_in_time(const std::string& what, std::function<void()> look);

// Runs `look` on the same thread, and waits for its end for 1 ms at most. Returns false if an earlier look has not
// ended: this one is then not run.
bool look_behind(std::function<void()> look);

}  // namespace xsched::server
