// The guard of requests: the token, the Host that was meant, and where a browser says that a request comes from. Pure;
// any thread.
//
// A browser on this machine also runs pages of strangers. They can send requests here (CSRF), and with a name of their
// own that leads to 127.0.0.1 even read the answers (DNS rebinding). So the Host must be this machine's own name for
// itself. A request of another page is refused. A request that changes something must be JSON, which no page may send
// elsewhere without asking first. There are no cookies: the token comes with each request.
#pragma once

#include <optional>

#include "cli/web/http_request.h"

namespace xsched::cli {

// Nothing: it may be answered. Else what it gets instead. Only /api/ and /metrics have something to hide, and of these
// a server's proof (http_proof.h) is told without the token.
std::optional<HttpAnswer> refuse_request(const HttpRequest& request, bool is_port, const std::string& token);

}  // namespace xsched::cli
