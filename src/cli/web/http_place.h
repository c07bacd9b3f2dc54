// A place where HTTP is served: a Unix socket, which only this user may open, or a port of this machine. Every user of
// the machine can open a port, so a port needs a token. One thread.
#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace xsched::cli {

class HttpPlace {
public:
    // Opens a place. `where`: a path that contains '/', or 127.0.0.1:PORT (0: any). `token`: required in requests; may
    // be empty for a Unix socket. A port means two places; the second is [::1]:PORT, to which localhost also leads. If
    // another user had that one, he would receive the tokens of requests to localhost. Throws Failure, also if one of
    // them is in use.
    static std::vector<HttpPlace> open(const std::string& where, const std::string& token);
    ~HttpPlace();
    HttpPlace(HttpPlace&& other) noexcept;
    HttpPlace(const HttpPlace&) = delete;
    HttpPlace& operator=(const HttpPlace&) = delete;

    int socket() const { return socket_.get(); }
    // Returns the place's name with the actual port.
    const std::string& name() const { return name_; }
    bool is_port() const { return path_.empty(); }
    const std::string& token() const { return token_; }

private:
    explicit HttpPlace(const std::string& token) : token_(token) {}
    static std::vector<HttpPlace> open_port(const std::string& where, const std::string& token);
    // Binds the port. Returns false if another process listens there. Throws Failure.
    bool bind_port(int family, unsigned long& port);
    void bind_path(const std::string& path);
    void begin_to_listen();

    base::UniqueFd socket_;
    std::string name_;
    std::string path_;  // of the Unix socket; empty: a port
    std::string token_;
};

}  // namespace xsched::cli
