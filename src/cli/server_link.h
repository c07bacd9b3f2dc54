// A tool's connection to xserver: one request, one answer.
#pragma once

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>

#include "base/unique_fd.h"

namespace xsched::cli {

using Json = nlohmann::json;

// xcli's exit statuses if it did not carry out a command, or could not write its output.
enum Status : int { kNotWritten = 1, kUsage = 2, kNoServer = 3, kNobody = 4, kRefused = 5 };

// Thrown to end the tool with this sentence and status.
class Failure : public std::runtime_error {
public:
    explicit Failure(const std::string& sentence, Status status = kUsage)
        : std::runtime_error(sentence), status_(status) {}
    Status status() const { return status_; }

private:
    Status status_;
};

// Thrown if no server answers, or not as it should.
class NoServer : public Failure {
public:
    explicit NoServer(const std::string& sentence) : Failure(sentence, kNoServer) {}
};

// Thrown if the server refused a request; has the server's sentence.
class Refusal : public Failure {
public:
    using Failure::Failure;
};

// Sets how long to wait for answers in this process from now on (default 5000). Call before there are threads.
void wait_for_server_ms(int ms);

class ServerLink {
public:
    // Connects to the server that this user's programs would use. Throws NoServer if none answers.
    ServerLink();
    // Makes the handshake over an existing connection. Throws NoServer if the server refuses.
    ServerLink(base::UniqueFd socket, std::string path);

    // Returns the answer, which has "ok": true. Throws Refusal with the server's sentence, or NoServer if there is no
    // answer. If a server has died and its successor runs, waits until the programs have come back to that one.
    Json ask(const Json& request);
    const std::string& path() const { return path_; }

private:
    void shake_hands();
    bool connect_again();
    Json ask_server(const std::string& request);
    Json ask_once(const std::string& request);

    base::UniqueFd socket_;
    std::string path_;
    bool asked_ = false;
};

// Asks for page after page, and returns one answer in which the lists `member` of all pages are joined.
Json ask_all(ServerLink& link, Json request, const char* member);

}  // namespace xsched::cli
