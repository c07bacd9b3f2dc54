// Connections to what xcli serves over HTTP, byte by byte.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/unique_fd.h"

namespace xsched::test {

inline base::UniqueFd connected(int family, const sockaddr* address, socklen_t bytes, bool must = true) {
    base::UniqueFd connection(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval patience{20, 0};
    setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    const bool done = connect(connection.get(), address, bytes) == 0;
    EXPECT_TRUE(done || !must) << strerror(errno);
    return connection;
}

inline base::UniqueFd connect_unix(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    return connected(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

inline sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// Connects to the port. `must`: fail the test if no program listens there.
inline base::UniqueFd connect_port(int port, bool must = true) {
    const sockaddr_in address = loopback(port);
    return connected(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof(address), must);
}

inline base::UniqueFd listen_at_any_port(int& port) {
    sockaddr_in address = loopback(0);
    socklen_t bytes = sizeof(address);
    auto* target = reinterpret_cast<sockaddr*>(&address);
    base::UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(bind(listener.get(), target, bytes), 0) << strerror(errno);
    EXPECT_EQ(getsockname(listener.get(), target, &bytes), 0);
    port = ntohs(address.sin_port);
    return listener;
}

inline bool say(int connection, const std::string& text) {
    return send(connection, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

// Returns the bytes that come until the other side closes, or `end` has come.
inline std::string hear(int connection, const std::string& end = "") {
    std::string text;
    char part[4096];
    while (end.empty() || text.find(end) == std::string::npos) {
        const ssize_t bytes = recv(connection, part, sizeof(part), 0);
        if (bytes <= 0) break;
        text.append(part, static_cast<size_t>(bytes));
    }
    return text;
}

inline std::string everything_after(int connection, const std::string& request) {
    return say(connection, request) ? hear(connection) : "";
}

}  // namespace xsched::test
