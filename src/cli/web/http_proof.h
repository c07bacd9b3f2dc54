// Before a browser's page says its token, the server shows that it knows it. The port may be another user's by now: a
// stranger who took it after the server's end cannot answer. No token is needed. Pure; any thread.
#pragma once

#include <string>

#include "cli/web/http_request.h"

namespace xsched::cli {

inline constexpr const char* kProofPath = "/api/v1/proof";

// The HMAC-SHA-256 of kProofPrefix and the request's nonce, with the token as its key. web/api.js computes the same.
inline constexpr const char* kProofPrefix = "xsched-proof:";
std::string proof_of(const std::string& token, const std::string& nonce);

// `token`: of the place that was asked at; empty: it has none, and the proof is empty.
HttpAnswer answer_proof(const HttpRequest& request, const std::string& token);

}  // namespace xsched::cli
