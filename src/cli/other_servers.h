// Finds other servers: of this user at another place, and of other users. Two servers on one device work against each
// other unnoticed, so tools name them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace xsched::cli {

enum class ServerOwner {
    kThisUser,
    kAnotherUser,
    kUnknown,  // it listens, but cannot be reached: its path was removed, or is in another container
};

struct OtherServer {
    std::string path;
    ServerOwner owner;
};

// Returns all servers that listen under the usual name, except the system's and the one at `used` (empty: none).
// `table`: the kernel's list of sockets, which includes those of other users.
std::vector<OtherServer> other_servers(const std::string& used, const char* table = "/proc/net/unix");

}  // namespace xsched::cli
