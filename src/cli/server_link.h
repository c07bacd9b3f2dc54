// A tool's connection to xserver: one request, one answer.
#pragma once

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>

#include "base/unique_fd.h"

namespace xsched::cli {

using Json = nlohmann::json;

// Ends the tool with status 2 and this sentence.
class Failure : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The server understood and said no: its own sentence.
class Refusal : public Failure {
    using Failure::Failure;
};

class ServerLink {
public:
    // The server that programs of this user would use. Throws Failure if none answers.
    ServerLink();
    // The handshake over a connection made already. Throws Failure if the server refuses.
    ServerLink(base::UniqueFd socket, std::string path);

    // The answer, which has "ok": true. Throws Refusal with the server's sentence, or Failure if there is no answer.
    Json ask(const Json& request);
    const std::string& path() const { return path_; }

private:
    void greet();

    base::UniqueFd socket_;
    std::string path_;
};

}  // namespace xsched::cli
