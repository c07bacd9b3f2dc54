#include "cli/web/http_place.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cli/server_link.h"

namespace xsched::cli {
namespace {

constexpr std::string_view kLoopback = "127.0.0.1:";
constexpr int kBacklog = 32;
// Most ports chosen by the kernel that are tried until one is free in both address families. "Safety": usually the
// first is.
constexpr int kMostTries = 64;

base::UniqueFd new_socket(int family) {
    base::UniqueFd made(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!made) throw Failure(std::string("no socket can be made: ") + strerror(errno));
    return made;
}

union PortAddress {
    sockaddr any;
    sockaddr_in four;
    sockaddr_in6 six;
};

PortAddress loopback(int family, unsigned long port) {
    PortAddress address{};
    const uint16_t number = htons(static_cast<uint16_t>(port));
    if (family == AF_INET6) {
        address.six.sin6_family = AF_INET6;
        address.six.sin6_addr = in6addr_loopback;
        address.six.sin6_port = number;
    } else {
        address.four.sin_family = AF_INET;
        address.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.four.sin_port = number;
    }
    return address;
}

unsigned long port_of(const std::string& where) {
    char* end = nullptr;
    const unsigned long port = strtoul(where.c_str() + kLoopback.size(), &end, 10);
    if (*end == '\0' && port > 65535) throw Failure("\"" + where + "\" has a port beyond 65535");
    if (*end != '\0' || where.size() == kLoopback.size())
        throw Failure("\"" + where + "\" has no port: use " + std::string(kLoopback) + "9555");
    return port;
}

bool has_ipv6() {
    const base::UniqueFd probe(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const PortAddress any = loopback(AF_INET6, 0);
    return probe && bind(probe.get(), &any.any, sizeof(any.six)) == 0;
}

}  // namespace

std::vector<HttpPlace> HttpPlace::open(const std::string& where, const std::string& token) {
    if (where.starts_with(kLoopback)) return open_port(where, token);
    if (where.find('/') == std::string::npos || where.find("://") != std::string::npos)
        throw Failure("\"" + where + "\" is no place to listen: use the path of a Unix socket (with a '/'), or " +
                      std::string(kLoopback) + "PORT");
    std::vector<HttpPlace> places;
    places.push_back(HttpPlace(token));
    places.back().bind_path(where);
    places.back().begin_to_listen();
    return places;
}

std::vector<HttpPlace> HttpPlace::open_port(const std::string& where, const std::string& token) {
    const unsigned long asked = port_of(where);
    if (token.empty())
        throw Failure("every user can open a port: say where to write a token to ask for, --token-file FILE");
    std::vector<int> families{AF_INET};
    if (has_ipv6()) families.push_back(AF_INET6);
    for (int tries = asked == 0 ? kMostTries : 1; tries > 0; --tries) {
        unsigned long port = asked;
        std::vector<HttpPlace> places;
        for (const int family : families) {
            HttpPlace place(token);
            if (place.bind_port(family, port)) places.push_back(std::move(place));
        }
        if (places.size() < families.size()) continue;
        for (HttpPlace& place : places) place.begin_to_listen();
        return places;
    }
    throw Failure("cannot listen at " + where +
                  ": another process listens there, or at [::1], where localhost leads as well: choose another port");
}

bool HttpPlace::bind_port(int family, unsigned long& port) {
    socket_ = new_socket(family);
    const int yes = 1;
    setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (family == AF_INET6) setsockopt(socket_.get(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
    PortAddress address = loopback(family, port);
    socklen_t bytes = family == AF_INET6 ? sizeof(address.six) : sizeof(address.four);
    const bool bound = bind(socket_.get(), &address.any, bytes) == 0;
    if (!bound && errno == EADDRINUSE) return false;
    if (!bound) throw Failure("cannot listen at port " + std::to_string(port) + ": " + strerror(errno));
    getsockname(socket_.get(), &address.any, &bytes);
    port = ntohs(family == AF_INET6 ? address.six.sin6_port : address.four.sin_port);
    name_ = (family == AF_INET6 ? "[::1]:" : std::string(kLoopback)) + std::to_string(port);
    return true;
}

void HttpPlace::begin_to_listen() {
    if (listen(socket_.get(), kBacklog) != 0) throw Failure("cannot listen at " + name_ + ": " + strerror(errno));
}

void HttpPlace::bind_path(const std::string& path) {
    name_ = path;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) throw Failure("the path " + path + " is too long for a Unix socket");
    memcpy(address.sun_path, path.c_str(), path.size());
    socket_ = new_socket(AF_UNIX);
    const auto* target = reinterpret_cast<const sockaddr*>(&address);
    const base::UniqueFd probe = new_socket(AF_UNIX);
    if (connect(probe.get(), target, sizeof(address)) == 0 || errno == EAGAIN)
        throw Failure("another process listens at " + path + " already");
    struct stat info{};
    if (errno == ECONNREFUSED && lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) unlink(path.c_str());
    const mode_t before = umask(0177);
    const bool bound = bind(socket_.get(), target, sizeof(address)) == 0;
    const int error = errno;
    umask(before);
    if (!bound) throw Failure("cannot listen at " + path + ": " + strerror(error));
    path_ = path;
}

HttpPlace::HttpPlace(HttpPlace&& other) noexcept
    : socket_(std::move(other.socket_)),
      name_(std::move(other.name_)),
      path_(std::exchange(other.path_, "")),
      token_(std::move(other.token_)) {}

HttpPlace::~HttpPlace() {
    if (!path_.empty()) unlink(path_.c_str());
}

}  // namespace xsched::cli
