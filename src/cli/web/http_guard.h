// Checks requests: the token, the Host, and the origin that a browser reports. Pure; any thread.
//
// A browser on this machine also runs strangers' pages. They can send requests here (CSRF). With a host name of their
// own that leads to 127.0.0.1 they could even read the answers (DNS rebinding). So the Host must be this machine's own
// name for itself. A request from another page is refused. A request that changes something must be JSON, which no page
// may send elsewhere without permission. There are no cookies: the token comes with each request.
#pragma once

#include <optional>

#include "cli/web/http_request.h"

namespace xsched::cli {

// Returns nothing if the request may be answered, otherwise the refusal. Only /api/ and /metrics are protected; the
// server's proof (http_proof.h) needs no token.
std::optional<HttpAnswer> refuse_request(const HttpRequest& request, bool is_port, const std::string& token);

}  // namespace xsched::cli
