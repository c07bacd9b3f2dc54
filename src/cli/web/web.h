// xcli web: the page and the HTTP API, in a process of its own.
#pragma once

#include <string>
#include <vector>

namespace xsched::cli {

struct WebWords {
    std::vector<std::string> listen;  // paths of Unix sockets, and 127.0.0.1:PORT; empty: the usual places of both
    std::string token_file;           // file for the token; empty: the printed address contains it
    bool openapi = false;             // print the description of the API instead
};

// Serves until SIGTERM or SIGINT. Throws Failure.
int web(const WebWords& words, bool json);

}  // namespace xsched::cli
