// Servers that the one in use does not know of: of this user at another place, and of other users. Two servers on one
// device schedule against each other without a word, so that tools say where they are.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace xsched::cli {

enum class ServerOwner {
    kThisUser,
    kAnotherUser,
    kUnknown,  // it listens, but nobody can get there: its path was removed, or is in another container
};

struct OtherServer {
    std::string path;
    ServerOwner owner;
};

// All that listen under the usual name, but for the system's and the one at `used` (empty: none). `table`: the kernel's
// list of sockets, which names those of other users as well.
std::vector<OtherServer> other_servers(const std::string& used, const char* table = "/proc/net/unix");

}  // namespace xsched::cli
