// Bytes that come at the door of xcli web: a request is taken apart within its bounds, and nothing behind the token is
// answered without it.
#include <string>
#include <vector>

#include "cli/web/http_guard.h"
#include "cli/web/http_proof.h"
#include "cli/web/http_request.h"
#include "cli/web/http_room.h"
#include "fuzz/bytes.h"
#include "fuzz/target.h"

namespace xsched::fuzz::http_target {
namespace {

void make_room(std::string_view input) {
    Bytes bytes(input);
    const uint64_t peer = bytes.below(8);
    std::vector<cli::HttpSeat> seats;
    while (!bytes.empty() && seats.size() < 64)
        seats.push_back({.peer = bytes.below(8), .use = static_cast<cli::HttpUse>(bytes.below(3))});
    const size_t given = cli::seat_to_give(seats, peer);
    demand(given <= seats.size(), "a seat that is given is one of the door's");
    demand(given == seats.size() || seats[given].use != cli::HttpUse::kStreams || seats[given].peer != peer,
           "a newcomer ends no stream of its own user");
}

void ask(std::string_view input) {
    const std::string token = "0123456789abcdef";
    cli::HttpRequest request;
    const int status = cli::read_request(input, request);
    demand(status == cli::kHttpMore || status == 200 || (status >= 400 && status < 500),
           "a bad request is the client's");
    if (status != 200) return;
    demand(request.body.size() <= cli::HttpRequest::kLongestBody, "a body is within its bound");
    request.parameter("since");
    const cli::HttpAnswer proof = cli::answer_proof(request, token);
    demand(proof.status != 200 || proof.body.find(token) == std::string::npos, "a proof does not say the token");
    for (const bool is_port : {false, true}) {
        const auto refused = cli::refuse_request(request, is_port, token);
        if (refused) {
            demand(refused->status >= 400 && !cli::answer_text(*refused).empty(), "a refusal has a status");
            continue;
        }
        const bool secret =
            request.path != cli::kProofPath && (request.path.starts_with("/api/") || request.path == "/metrics");
        demand(!secret || request.header("authorization") == "Bearer " + token, "nothing secret without the token");
    }
}

}  // namespace

XSCHED_FUZZ(http) {
    ask(input);
    make_room(input);
}

}  // namespace xsched::fuzz::http_target
