// Where HTTP is served: a Unix socket, which only this user may open, or a port of 127.0.0.1, which every user of the
// machine can open and which therefore asks for a token. One thread.
#pragma once

#include <string>

#include "base/unique_fd.h"

namespace xsched::cli {

class HttpPlace {
public:
    // `where`: a path with a '/' in it, or 127.0.0.1:PORT (0: any). `token`: what requests must say; at a Unix socket
    // it may be empty. Throws Failure.
    HttpPlace(const std::string& where, const std::string& token);
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
    void open_path(const std::string& path);
    void open_port(const std::string& where);

    base::UniqueFd socket_;
    std::string name_;
    std::string path_;  // of the Unix socket; empty: a port
    std::string token_;
};

// The first line of the file, 16 letters at least. `make`: where there is no file one is made, for this user alone,
// with a fresh token. One that another user made, or may write, is refused. Throws Failure.
std::string read_token(const std::string& file, bool make);
// 128 bits from the kernel, in letters.
std::string fresh_token();

}  // namespace xsched::cli
