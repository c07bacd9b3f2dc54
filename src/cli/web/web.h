// xcli web: the page and the HTTP API, in a process of its own.
#pragma once

#include <string>
#include <vector>

namespace xsched::cli {

struct WebWords {
    std::vector<std::string> listen;  // Unix sockets' paths, and 127.0.0.1:PORT; empty: both at usual places
    std::string token_file;           // where the token is written; empty: the address is printed with it
    bool openapi = false;             // print the description of the API instead
};

// Until SIGTERM or SIGINT. Throws Failure.
int web(const WebWords& words, bool json);

}  // namespace xsched::cli
