// xcli metrics: numbers for Prometheus and similar programs, once or over HTTP.
#pragma once

#include <string>

#include "cli/web/http_request.h"

namespace xsched::cli {

struct MetricsWords {
    bool definitions = false;  // print what each number means instead
    std::string listen;        // a Unix socket's path, or 127.0.0.1:PORT; empty: print once
    std::string token_file;    // file for a port's token, without which no port is opened
    std::string token_group;   // group that may read that file, too
};

// Prints or serves the numbers. Returns the exit status; with `listen`, after SIGTERM or SIGINT. Throws Failure.
int metrics(const MetricsWords& words, bool json);

// Answers GET /metrics in the format that the request accepts. If the server is away, the answer says so, and serving
// goes on.
HttpAnswer answer_metrics(const HttpRequest& request);

}  // namespace xsched::cli
