#include "server/announcement.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "base/log.h"
#include "base/unique_fd.h"
#include "server/lock_place.h"

namespace xsched::server {
namespace {

bool answers(const std::string& path) { return static_cast<bool>(base::UniqueFd(ipc::connect_path(path.c_str()))); }

std::string target_of(const std::string& link) {
    char target[PATH_MAX];
    const ssize_t bytes = readlink(link.c_str(), target, sizeof(target));
    return bytes > 0 ? std::string(target, static_cast<size_t>(bytes)) : "";
}

// Removes the file of a server that died, unless another server is just about to listen there: such a server holds the
// lock (listener.cpp). Returns false if a server answers or holds the lock.
bool make_room(const std::string& path) {
    struct stat info{};
    if (lstat(path.c_str(), &info) != 0) return errno == ENOENT;
    if (S_ISLNK(info.st_mode)) return unlink(path.c_str()) == 0;
    const base::UniqueFd lock(open(lock_path(path).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    return S_ISSOCK(info.st_mode) && lock && flock(lock.get(), LOCK_EX | LOCK_NB) == 0 && unlink(path.c_str()) == 0;
}

}  // namespace

Announcement::Announcement(const std::string& socket) : socket_(socket) {
    const char* chosen = getenv("XSCHED_SOCKET");
    if (chosen != nullptr && *chosen != '\0') return;
    char places[ipc::kMostPlaces][ipc::kSocketPathBytes];
    const unsigned count = ipc::user_socket_places(places);
    bool ours = false;
    for (unsigned i = 0; i < count; ++i) ours = ours || socket_ == places[i];
    if (!ours) return;
    if (answers(ipc::system_socket_path()))
        XLOG_WARN("the system's server answers at %s: programs use that one, and this one only with XSCHED_SOCKET=%s",
                  ipc::system_socket_path(), socket_.c_str());
    for (unsigned i = 0; i < count; ++i) {
        const std::string place = places[i];
        if (place == socket_) continue;
        // A server that was killed left the link to this socket.
        if (target_of(place) == socket_) {
            links_.push_back(place);
            continue;
        }
        if (answers(place)) {
            XLOG_WARN("another server of this user answers at %s: neither knows of the other's programs; end one",
                      place.c_str());
            continue;
        }
        if (!ipc::make_socket_directory(place.c_str(), false)) continue;
        if (!make_room(place) || symlink(socket_.c_str(), place.c_str()) != 0)
            XLOG_INFO("%s cannot lead to this server (%s): programs that look only there do not find it", place.c_str(),
                      strerror(errno));
        else
            links_.push_back(place);
    }
}

Announcement::~Announcement() {
    for (const std::string& link : links_)
        if (target_of(link) == socket_) unlink(link.c_str());
}

}  // namespace xsched::server
