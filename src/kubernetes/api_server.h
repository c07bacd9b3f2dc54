// Requests to the cluster's API server over HTTP, with the certificates and the token of a service account or a node.
// Any thread.
#pragma once

#include <stdexcept>
#include <string>

#include "kubernetes/json.h"

namespace xsched::kubernetes {

struct ApiAccess {
    std::string url;          // "https://10.0.0.1:443"
    std::string authority;    // file with the authority's certificate
    std::string token;        // file with a token, which is read for each request: it is renewed
    std::string certificate;  // file with the client's certificate and key, instead of a token
};

// Returns how a pod reaches the API server by its service account; an empty url outside of a pod.
ApiAccess access_of_pod();

struct ApiError : std::runtime_error {
    ApiError(long code, const std::string& sentence) : std::runtime_error(sentence), status(code) {}
    long status;  // of HTTP; 0: no answer came
};

class ApiServer {
public:
    explicit ApiServer(ApiAccess access) : access_(std::move(access)) {}

    // Returns the answer. Throws ApiError unless its status is one of success. `body`: null for none.
    Json ask(const char* method, const std::string& path, const Json& body = Json()) const;

private:
    ApiAccess access_;
};

}  // namespace xsched::kubernetes
