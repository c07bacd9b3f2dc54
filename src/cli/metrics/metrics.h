// xcli metrics: numbers for Prometheus and the like, once or over HTTP.
#pragma once

#include <string>

#include "cli/web/http_request.h"

namespace xsched::cli {

struct MetricsWords {
    bool definitions = false;  // what each means, instead
    std::string listen;        // a Unix socket's path, or 127.0.0.1:PORT; empty: print once
    std::string token_file;    // needed for a port: where its token is written
    std::string token_group;   // of this name, may read that file too
};

// Returns the exit status; with `listen` after SIGTERM or SIGINT. Throws Failure.
int metrics(const MetricsWords& words, bool json);

// Answers GET /metrics. A server that is away is no reason to leave: whoever asks is told.
HttpAnswer answer_metrics();

}  // namespace xsched::cli
