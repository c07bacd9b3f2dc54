// Proves that the server knows the token, before a browser's page sends it. Another user may have taken the port after
// the server's end, and cannot give the proof. No token is needed to ask. Pure; any thread.
#pragma once

#include <string>

#include "cli/web/http_request.h"

namespace xsched::cli {

inline constexpr const char* kProofPath = "/api/v1/proof";

// The proof is an HMAC-SHA-256 of kProofPrefix and the request's nonce, with the token as its key. web/api.js computes
// the same.
inline constexpr const char* kProofPrefix = "xsched-proof:";
std::string proof_of(const std::string& token, const std::string& nonce);

// Answers a request for the proof. `token`: of the place that was asked; if it is empty, so is the proof.
HttpAnswer answer_proof(const HttpRequest& request, const std::string& token);

}  // namespace xsched::cli
