#include "server/clients/peer.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "server/system_files.h"

namespace xsched::server {
namespace {

// The socket option that returns a pidfd of the peer, since Linux 6.5. Debian 12's headers do not define it.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

constexpr gid_t kNoGroup = static_cast<gid_t>(-1);

bool has_group(int socket, gid_t own, gid_t wanted) {
    if (wanted == kNoGroup) return false;
    if (own == wanted) return true;
    std::vector<gid_t> groups(64);
    socklen_t bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    int result = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
    if (result != 0 && bytes > groups.size() * sizeof(gid_t)) {  // the kernel says how much room the groups need
        groups.resize(bytes / sizeof(gid_t));
        result = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
    }
    if (result != 0) return false;
    groups.resize(bytes / sizeof(gid_t));
    return std::find(groups.begin(), groups.end(), wanted) != groups.end();
}

}  // namespace

std::string name_of(const Peer& peer) {
    const std::string where = peer.place != nullptr ? " of " + peer.place->name : "";
    return "uid " + std::to_string(peer.told_uid) + where + " (pid " + std::to_string(peer.pid) + ")";
}

gid_t trusted_group() {
    const group* found = getgrnam("xsched");
    return found != nullptr ? found->gr_gid : kNoGroup;
}

bool identify(int socket, gid_t trusted, Peer* peer) {
    ucred credentials{};
    socklen_t bytes = sizeof(credentials);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) != 0) return false;
    peer->pid = credentials.pid;
    peer->uid = peer->told_uid = credentials.uid;
    peer->of_trusted_group = has_group(socket, credentials.gid, trusted);
    peer->standing = standing_of(open_process(socket, *peer).get(), peer->pid);
    return true;
}

bool identify_process(pid_t pid, Peer* peer) {
    peer->pid = pid;
    const base::UniqueFd process = open_process(-1, *peer);
    const SystemFile folder = look_at_system_file("/proc/" + std::to_string(pid));
    if (pid <= 0 || !process || !folder.there) return false;
    peer->uid = peer->told_uid = folder.info.st_uid;
    peer->standing = standing_of(process.get(), pid);
    return true;
}

base::UniqueFd open_process(int socket, const Peer& peer) {
    int fd = -1;
    socklen_t bytes = sizeof(fd);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &fd, &bytes) == 0 && fd >= 0) {
        fcntl(fd, F_SETFD, FD_CLOEXEC);
        return base::UniqueFd(fd);
    }
#ifdef SYS_pidfd_open
    if (peer.pid > 0) return base::UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, peer.pid, 0)));
#endif
    return {};
}

}  // namespace xsched::server
