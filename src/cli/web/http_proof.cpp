#include "cli/web/http_proof.h"

#include <nlohmann/json.hpp>

#include "cli/sha256.h"

namespace xsched::cli {
namespace {

// Shortest nonce, in letters: at least 128 bits, so that no earlier answer fits.
constexpr size_t kShortestNonce = 32;
constexpr size_t kLongestNonce = 128;

bool is_nonce(const std::string& text) {
    return text.size() >= kShortestNonce && text.size() <= kLongestNonce &&
           text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

std::string proof_of(const std::string& token, const std::string& nonce) {
    const Sha256 proof = hmac_sha256(token, kProofPrefix + nonce);
    return hex_of(proof.data(), proof.size());
}

HttpAnswer answer_proof(const HttpRequest& request, const std::string& token) {
    if (request.method != "GET") return http_refusal(405, request.method + " is not for " + kProofPath);
    const std::string nonce = request.parameter("nonce");
    if (!token.empty() && !is_nonce(nonce))
        return http_refusal(400, "say nonce=N, with 32 to 128 digits of 0-9 and a-f by chance");
    const nlohmann::json body{{"ok", true}, {"api", 1}, {"proof", token.empty() ? "" : proof_of(token, nonce)}};
    return {.type = "application/json", .body = body.dump() + "\n"};
}

}  // namespace xsched::cli
