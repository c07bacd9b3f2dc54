#include "cli/other_servers.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/printable.h"
#include "base/unique_fd.h"
#include "ipc/protocol.h"
#include "ipc/user_namespace.h"

namespace xsched::cli {
namespace {

constexpr const char* kName = "/xserver.sock";
constexpr unsigned long kListens = 1UL << 16;  // in the kernel's flags
constexpr unsigned long kSeqPacket = SOCK_SEQPACKET;

// Returns the path with its symbolic links resolved: a server is found from other places by links
// (server/announcement.h). Returns `path` itself if it cannot be resolved.
std::string real_path(const std::string& path) {
    char resolved[PATH_MAX];
    return realpath(path.c_str(), resolved) != nullptr ? resolved : path;
}

// Returns the path that a line of /proc/net/unix says is listened at; empty if it is another kind of line. Example:
// "0000000000000000: 00000002 00000000 00010000 0005 01 12345 /run/user/1000/xsched/xserver.sock"
std::string listening_path(const std::string& line) {
    std::istringstream words(line);
    std::string number, references, protocol, flags, type, state, inode, path;
    words >> number >> references >> protocol >> flags >> type >> state >> inode;
    std::getline(words >> std::ws, path);
    const bool listens =
        strtoul(flags.c_str(), nullptr, 16) == kListens && strtoul(type.c_str(), nullptr, 16) == kSeqPacket;
    return listens && path.starts_with('/') && path.ends_with(kName) ? path : "";
}

ServerOwner owner_of(const std::string& path) {
    const base::UniqueFd connection(ipc::connect_path(path.c_str()));
    if (!connection)
        return errno == EPERM || errno == EACCES ? ServerOwner::kAnotherUser
               : errno == EAGAIN                 ? ServerOwner::kThisUser
                                                 : ServerOwner::kUnknown;
    ucred peer{};
    socklen_t bytes = sizeof(peer);
    const bool known = getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0;
    return known && ipc::is_own_uid(peer.uid) ? ServerOwner::kThisUser : ServerOwner::kAnotherUser;
}

// Returns the process that listens at `path`, as the kernel tells a client; 0 if no client can connect.
pid_t listener_of(const std::string& path) {
    const base::UniqueFd connection(path.empty() ? -1 : ipc::connect_path(path.c_str()));
    ucred peer{};
    socklen_t bytes = sizeof(peer);
    const bool known = connection && getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0;
    return known ? peer.pid : 0;
}

}  // namespace

std::vector<OtherServer> other_servers(const std::string& used, const char* table) {
    std::vector<OtherServer> servers;
    std::vector<std::string> seen{real_path(ipc::system_socket_path())};
    if (!used.empty()) seen.push_back(real_path(used));
    const pid_t own[]{listener_of(ipc::system_socket_path()), listener_of(used)};
    std::ifstream lines(table);
    for (std::string line; std::getline(lines, line);) {
        const std::string path = listening_path(line);
        if (path.empty() || std::find(seen.begin(), seen.end(), path) != seen.end()) continue;
        seen.push_back(path);
        const pid_t listener = listener_of(path);
        // A server's guest socket has the usual name as well, and is not another server.
        if (listener != 0 && std::find(std::begin(own), std::end(own), listener) != std::end(own)) continue;
        servers.push_back({base::printable(path), owner_of(path)});
    }
    return servers;
}

}  // namespace xsched::cli
