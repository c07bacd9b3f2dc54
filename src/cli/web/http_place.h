// Where HTTP is served: a Unix socket, which only this user may open, or a port of this machine alone. Every user of
// the machine can open a port, so that it asks for a token. One thread.
#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace xsched::cli {

class HttpPlace {
public:
    // `where`: a path with a '/' in it, or 127.0.0.1:PORT (0: any). `token`: what requests must say; at a Unix socket
    // it may be empty. A port is two places: the second is [::1]:PORT, where localhost leads as well. Another user who
    // had that one would be told the tokens of those who ask for localhost. Throws Failure, also if one is taken.
    static std::vector<HttpPlace> open(const std::string& where, const std::string& token);
    ~HttpPlace();
    HttpPlace(HttpPlace&& other) noexcept;
    HttpPlace(const HttpPlace&) = delete;
    HttpPlace& operator=(const HttpPlace&) = delete;

    int socket() const { return socket_.get(); }
    // As it became: with the number of the port.
    const std::string& name() const { return name_; }
    bool is_port() const { return path_.empty(); }
    const std::string& token() const { return token_; }

private:
    explicit HttpPlace(const std::string& token) : token_(token) {}
    static std::vector<HttpPlace> open_port(const std::string& where, const std::string& token);
    // False: another process listens there already. Throws Failure.
    bool bind_port(int family, unsigned long& port);
    void bind_path(const std::string& path);
    void begin_to_listen();

    base::UniqueFd socket_;
    std::string name_;
    std::string path_;  // of the Unix socket; empty: a port
    std::string token_;
};

}  // namespace xsched::cli
