// A tool's connection to xserver: one request, one answer.
#pragma once

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>

#include "base/unique_fd.h"

namespace xsched::cli {

using Json = nlohmann::json;

// How xcli ends when it did not do what it was told.
enum Status : int { kUsage = 2, kNoServer = 3, kNobody = 4, kRefused = 5 };

// Ends the tool with this sentence and status.
class Failure : public std::runtime_error {
public:
    explicit Failure(const std::string& sentence, Status status = kUsage)
        : std::runtime_error(sentence), status_(status) {}
    Status status() const { return status_; }

private:
    Status status_;
};

// No server answers, or not as it should.
class NoServer : public Failure {
public:
    explicit NoServer(const std::string& sentence) : Failure(sentence, kNoServer) {}
};

// The server understood and said no: its own sentence.
class Refusal : public Failure {
public:
    using Failure::Failure;
};

// For how long an answer is waited for from now on, in this process (5000). Before there are threads.
void wait_for_server_ms(int ms);

class ServerLink {
public:
    // The server that programs of this user would use. Throws NoServer if none answers.
    ServerLink();
    // The handshake over a connection made already. Throws NoServer if the server refuses.
    ServerLink(base::UniqueFd socket, std::string path);

    // The answer, which has "ok": true. Throws Refusal with the server's sentence, or NoServer if there is no
    // answer.
    Json ask(const Json& request);
    const std::string& path() const { return path_; }

private:
    void shake_hands();

    base::UniqueFd socket_;
    std::string path_;
};

// The answers to `request`, page after page, as one: the lists `member` of all of them joined.
Json ask_all(ServerLink& link, Json request, const char* member);

}  // namespace xsched::cli
