#include "cli/http_place.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/server_link.h"

namespace xsched::cli {
namespace {

constexpr std::string_view kLoopback = "127.0.0.1:";
constexpr int kBacklog = 32;
constexpr size_t kShortestToken = 16;

base::UniqueFd new_socket(int family) {
    base::UniqueFd made(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!made) throw Failure(std::string("no socket can be made: ") + strerror(errno));
    return made;
}

bool is_token(const std::string& token) {
    return token.size() >= kShortestToken && token.find_first_of(" \t\r") == std::string::npos;
}

// False, and errno: it is there already, or cannot be made.
bool make_token_file(const std::string& file) {
    const base::UniqueFd made(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    const std::string line = fresh_token() + "\n";
    return made && write(made.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

// Whoever may make files beside the socket may have made this one first. It may hold a token that he knows, or be a
// link to a file that everybody can read.
bool is_of_strangers(const std::string& file, int opened) {
    struct stat link{};
    struct stat target{};
    if (lstat(file.c_str(), &link) != 0 || fstat(opened, &target) != 0) return true;
    const auto is_ours = [](uid_t uid) { return uid == geteuid() || uid == 0; };
    return !is_ours(link.st_uid) || !is_ours(target.st_uid) || (target.st_mode & 022) != 0;
}

std::string first_line(int file) {
    char text[4096];
    const ssize_t bytes = read(file, text, sizeof(text));
    const std::string all(text, bytes > 0 ? static_cast<size_t>(bytes) : 0);
    return all.substr(0, all.find('\n'));
}

}  // namespace

HttpPlace::HttpPlace(const std::string& where, const std::string& token) : token_(token) {
    if (where.starts_with(kLoopback)) {
        if (token.empty()) throw Failure("every user can open a port: say which token to ask for, --token-file FILE");
        open_port(where);
    } else if (where.find('/') == std::string::npos) {
        throw Failure("\"" + where + "\" is no place to listen: use the path of a Unix socket (with a '/'), or " +
                      std::string(kLoopback) + "PORT");
    } else {
        open_path(where);
    }
    if (listen(socket_.get(), kBacklog) != 0) throw Failure("cannot listen at " + name_ + ": " + strerror(errno));
}

void HttpPlace::open_path(const std::string& path) {
    name_ = path;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) throw Failure("the path " + path + " is too long for a Unix socket");
    memcpy(address.sun_path, path.c_str(), path.size());
    socket_ = new_socket(AF_UNIX);
    const auto* target = reinterpret_cast<const sockaddr*>(&address);
    const base::UniqueFd probe = new_socket(AF_UNIX);
    if (connect(probe.get(), target, sizeof(address)) == 0 || errno == EAGAIN)
        throw Failure("somebody listens at " + path + " already");
    struct stat info{};
    if (errno == ECONNREFUSED && lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) unlink(path.c_str());
    const mode_t before = umask(0177);
    const bool bound = bind(socket_.get(), target, sizeof(address)) == 0;
    const int error = errno;
    umask(before);
    if (!bound) throw Failure("cannot listen at " + path + ": " + strerror(error));
    path_ = path;
}

void HttpPlace::open_port(const std::string& where) {
    char* end = nullptr;
    const unsigned long port = strtoul(where.c_str() + kLoopback.size(), &end, 10);
    if (*end != '\0' || port > 65535 || where.size() == kLoopback.size())
        throw Failure("\"" + where + "\" has no port: use " + std::string(kLoopback) + "9555");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socket_ = new_socket(AF_INET);
    const int yes = 1;
    setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    socklen_t bytes = sizeof(address);
    auto* target = reinterpret_cast<sockaddr*>(&address);
    if (bind(socket_.get(), target, bytes) != 0) throw Failure("cannot listen at " + where + ": " + strerror(errno));
    getsockname(socket_.get(), target, &bytes);
    name_ = std::string(kLoopback) + std::to_string(ntohs(address.sin_port));
}

HttpPlace::HttpPlace(HttpPlace&& other) noexcept
    : socket_(std::move(other.socket_)),
      name_(std::move(other.name_)),
      path_(std::exchange(other.path_, "")),
      token_(std::move(other.token_)) {}

HttpPlace::~HttpPlace() {
    if (!path_.empty()) unlink(path_.c_str());
}

std::string fresh_token() {
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes)) throw Failure("the kernel gives no random numbers");
    constexpr char kLetters[] = "0123456789abcdef";
    std::string token;
    for (const unsigned char byte : bytes) {
        token += kLetters[byte >> 4];
        token += kLetters[byte & 15];
    }
    return token;
}

std::string read_token(const std::string& file, bool make) {
    if (make && !make_token_file(file) && errno != EEXIST)
        throw Failure("cannot write a token into " + file + ": " + strerror(errno));
    const base::UniqueFd opened(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (opened && is_of_strangers(file, opened.get()))
        throw Failure("\"" + file +
                      "\" is another user's, or others may write it: they would know the token; remove it, or "
                      "say another file");
    std::string token = opened ? first_line(opened.get()) : "";
    if (!is_token(token))
        throw Failure("\"" + file + "\" has no token: its first line must have 16 letters at least, and no space");
    return token;
}

}  // namespace xsched::cli
