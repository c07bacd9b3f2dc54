#include "cli/http_door.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/time.h"
#include "cli/server_link.h"
#include "cli/stop_signals.h"

namespace xsched::cli {
namespace {

constexpr size_t kLongestHead = 8192;
constexpr int64_t kRequestNs = 2 * base::kSecond;  // for a request, and for its answer
constexpr std::string_view kLoopback = "127.0.0.1:";

const char* words_of(int status) {
    switch (status) {
        case 200: return "OK";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        default: return "Service Unavailable";
    }
}

// Takes the same time whatever is different.
bool equal(const std::string& one, const std::string& other) {
    unsigned difference = one.size() == other.size() ? 0 : 1;
    for (size_t i = 0; i < other.size(); ++i)
        difference |= static_cast<unsigned char>(other[i] ^ (i < one.size() ? one[i] : '\0'));
    return difference == 0;
}

// The value of a header; empty: it has none.
std::string header_of(const std::string& head, std::string name) {
    std::string small = head;
    std::transform(small.begin(), small.end(), small.begin(), [](unsigned char letter) { return tolower(letter); });
    name = "\r\n" + name + ":";
    const size_t at = small.find(name);
    if (at == std::string::npos) return "";
    size_t begin = at + name.size();
    while (begin < head.size() && head[begin] == ' ') ++begin;
    return head.substr(begin, head.find("\r\n", begin) - begin);
}

void limit_time(int connection) {
    const timeval patience{1, 0};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

// Up to the empty line; empty: it did not come in time, or is too long.
std::string read_head(int connection) {
    const int64_t until_ns = base::now_ns() + kRequestNs;
    std::string head;
    while (head.find("\r\n\r\n") == std::string::npos) {
        char part[1024];
        const ssize_t bytes = recv(connection, part, sizeof(part), 0);
        if (bytes <= 0 || base::now_ns() > until_ns) return "";
        head.append(part, static_cast<size_t>(bytes));
        if (head.size() > kLongestHead) return "";
    }
    return head;
}

void send_all(int connection, const std::string& text) {
    const int64_t until_ns = base::now_ns() + kRequestNs;
    for (size_t sent = 0; sent < text.size() && base::now_ns() < until_ns;) {
        const ssize_t bytes = send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (bytes <= 0) return;
        sent += static_cast<size_t>(bytes);
    }
}

}  // namespace

HttpAnswer judge_request(const std::string& head, const std::string& token, const HttpDoor::Answer& answer) {
    const size_t method_end = head.find(' ');
    const size_t path_end = method_end == std::string::npos ? method_end : head.find(' ', method_end + 1);
    if (path_end == std::string::npos || head.compare(path_end + 1, 7, "HTTP/1.") != 0)
        return {.status = 400, .type = "text/plain", .body = "this is no request of HTTP/1\n"};
    if (!token.empty() && !equal(header_of(head, "authorization"), "Bearer " + token))
        return {.status = 401, .type = "text/plain", .body = "say the token: Authorization: Bearer TOKEN\n"};
    if (head.compare(0, method_end, "GET") != 0)
        return {.status = 405, .type = "text/plain", .body = "only GET is answered\n"};
    const std::string path = head.substr(method_end + 1, path_end - method_end - 1);
    return answer(path.substr(0, path.find('?')));
}

HttpDoor::HttpDoor(const std::string& where, const std::string& token) : token_(token) {
    if (where.starts_with(kLoopback)) {
        if (token.empty()) throw Failure("every user can open a port: say which token to ask for, --token-file FILE");
        open_port(where);
    } else if (where.find('/') == std::string::npos) {
        throw Failure("\"" + where + "\" is no place to listen: use the path of a Unix socket (with a '/'), or " +
                      std::string(kLoopback) + "PORT");
    } else {
        open_path(where);
    }
    if (listen(socket_.get(), 16) != 0) throw Failure("cannot listen at " + place_ + ": " + strerror(errno));
}

void HttpDoor::open_path(const std::string& path) {
    place_ = path;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) throw Failure("the path " + path + " is too long for a Unix socket");
    memcpy(address.sun_path, path.c_str(), path.size());
    socket_.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto* target = reinterpret_cast<const sockaddr*>(&address);
    const base::UniqueFd probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(probe.get(), target, sizeof(address)) == 0) throw Failure("somebody listens at " + path + " already");
    struct stat info{};
    if (errno == ECONNREFUSED && lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) unlink(path.c_str());
    const mode_t before = umask(0177);
    const bool bound = bind(socket_.get(), target, sizeof(address)) == 0;
    const int error = errno;
    umask(before);
    if (!bound) throw Failure("cannot listen at " + path + ": " + strerror(error));
    path_ = path;
}

void HttpDoor::open_port(const std::string& where) {
    char* end = nullptr;
    const unsigned long port = strtoul(where.c_str() + kLoopback.size(), &end, 10);
    if (*end != '\0' || port > 65535 || where.size() == kLoopback.size())
        throw Failure("\"" + where + "\" has no port: use " + std::string(kLoopback) + "9555");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socket_.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int yes = 1;
    setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    socklen_t bytes = sizeof(address);
    auto* target = reinterpret_cast<sockaddr*>(&address);
    if (bind(socket_.get(), target, bytes) != 0) throw Failure("cannot listen at " + where + ": " + strerror(errno));
    getsockname(socket_.get(), target, &bytes);
    place_ = std::string(kLoopback) + std::to_string(ntohs(address.sin_port));
}

HttpDoor::~HttpDoor() {
    if (!path_.empty()) unlink(path_.c_str());
}

void HttpDoor::serve(const Answer& answer) {
    stop_on_signals();
    while (!told_to_stop()) {
        const base::UniqueFd connection(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (connection)
            serve_one(connection.get(), answer);
        else if (errno != EINTR)
            base::sleep_ns(10 * base::kMillisecond);  // out of descriptors
    }
}

void HttpDoor::serve_one(int connection, const Answer& answer) const {
    limit_time(connection);
    const std::string head = read_head(connection);
    if (head.empty()) return;
    const HttpAnswer given = judge_request(head, token_, answer);
    send_all(connection,
             "HTTP/1.1 " + std::to_string(given.status) + " " + words_of(given.status) +
                 "\r\nContent-Type: " + given.type + "\r\nContent-Length: " + std::to_string(given.body.size()) +
                 "\r\nConnection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n" +
                 given.body);
}

}  // namespace xsched::cli
