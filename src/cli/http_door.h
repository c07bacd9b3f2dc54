// A small HTTP/1.1 server for things to be read: one connection and one request at a time, with a time limit for each.
// It is in a process of its own: whoever hangs on it keeps nobody from being scheduled. One thread.
#pragma once

#include <functional>
#include <string>

#include "base/unique_fd.h"

namespace xsched::cli {

struct HttpAnswer {
    int status = 200;
    std::string type;
    std::string body;
};

class HttpDoor {
public:
    using Answer = std::function<HttpAnswer(const std::string& path)>;

    // At a Unix socket, which only this user may open, or at 127.0.0.1:PORT (0: any), where every request must have
    // "Authorization: Bearer TOKEN", since all users of a machine can open a port. Throws Failure.
    HttpDoor(const std::string& where, const std::string& token);
    ~HttpDoor();
    HttpDoor(const HttpDoor&) = delete;
    HttpDoor& operator=(const HttpDoor&) = delete;

    // Until SIGTERM or SIGINT.
    void serve(const Answer& answer);
    const std::string& place() const { return place_; }

private:
    void open_path(const std::string& path);
    void open_port(const std::string& where);
    void serve_one(int connection, const Answer& answer) const;

    base::UniqueFd socket_;
    std::string place_;
    std::string path_;  // of the Unix socket; empty: a port
    std::string token_;
};

// What is answered to the head of a request. Pure.
HttpAnswer judge_request(const std::string& head, const std::string& token, const HttpDoor::Answer& answer);

}  // namespace xsched::cli
