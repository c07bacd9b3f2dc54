#include "cli/web/http_guard.h"

#include <algorithm>
#include <cctype>

#include "cli/web/http_proof.h"

namespace xsched::cli {
namespace {

// Compares two texts in a time that does not depend on where they differ.
bool equal(const std::string& one, const std::string& other) {
    unsigned difference = one.size() == other.size() ? 0 : 1;
    for (size_t i = 0; i < other.size(); ++i)
        difference |= static_cast<unsigned char>(other[i] ^ (i < one.size() ? one[i] : '\0'));
    return difference == 0;
}

// Returns whether the request comes from a browser: every browser sends this header, and no page can omit it.
bool is_of_browser(const HttpRequest& request) { return request.headers.contains("accept-encoding"); }

// Returns whether the host names this machine, with any port, since an SSH tunnel may have another one. `is_tool`: a
// name without dots is accepted, too, as in curl's http://xsched/. In a browser such a name may lead to a stranger's
// machine, since the network chooses the domain in which it is looked up.
bool is_own_name(const std::string& host, bool is_tool) {
    std::string name = host;
    if (const size_t colon = host.rfind(':'); colon != std::string::npos && host.back() != ']') {
        const std::string port = host.substr(colon + 1);
        if (port.empty() || !std::all_of(port.begin(), port.end(), [](unsigned char it) { return isdigit(it); }))
            return false;
        name = host.substr(0, colon);
    }
    if (name == "localhost" || name == "127.0.0.1" || name == "[::1]") return true;
    return is_tool && !name.empty() &&
           std::all_of(name.begin(), name.end(), [](unsigned char it) { return isalnum(it) || it == '-'; });
}

bool is_secret(const std::string& path) { return path.starts_with("/api/") || path == "/metrics"; }

// Returns whether the path needs no token: any program may ask the server for its proof, but no page of another origin
// may.
bool is_open(const std::string& path) { return path == kProofPath; }

bool is_json(const std::string& type) { return type == "application/json" || type.starts_with("application/json;"); }

}  // namespace

std::optional<HttpAnswer> refuse_request(const HttpRequest& request, bool is_port, const std::string& token) {
    const std::string host = request.header("host");
    if (host.empty()) return http_refusal(400, "the request names no Host");
    if (!is_own_name(host, !is_port && !is_of_browser(request)))
        return http_refusal(421, "this is not " + host + ": ask for localhost or 127.0.0.1");
    if (!is_secret(request.path)) return std::nullopt;
    const std::string origin = request.header("origin");
    const std::string site = request.header("sec-fetch-site");
    if ((!origin.empty() && origin != "http://" + host) || (!site.empty() && site != "same-origin" && site != "none"))
        return http_refusal(403, "the page of another site may not ask here", "refused");
    if (is_open(request.path)) return std::nullopt;
    if (!token.empty() && !equal(request.header("authorization"), "Bearer " + token)) {
        HttpAnswer answer = http_refusal(401, "say the token: Authorization: Bearer TOKEN", "refused");
        answer.headers.emplace_back("WWW-Authenticate", "Bearer");
        return answer;
    }
    if (request.method != "GET" && !is_json(request.header("content-type")))
        return http_refusal(415, "what changes something must be sent as Content-Type: application/json");
    return std::nullopt;
}

}  // namespace xsched::cli
