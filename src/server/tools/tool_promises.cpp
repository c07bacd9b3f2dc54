// The commands behind xcli admit and xcli status --promises: what is known of programs' work, the promises made, and
// the score. Front thread.
#include "base/hints.h"
#include "base/printable.h"
#include "server/tools/tool_commands.h"

namespace xsched::server {
namespace {

constexpr int64_t kMostUs = base::hint_info(base::HintId::slo_p99).most;

Punctuality with_present(const ToolHost& host, const Promise& promise) {
    Punctuality all = promise.past;
    for (const uint32_t id : promise.clients) {
        const auto found = host.clients.find(id);
        if (found == host.clients.end()) continue;
        const Punctuality now = punctuality_of(*found->second->record());
        all.requests += now.requests;
        all.late += now.late;
    }
    return all;
}

// Ends the promises to processes that are gone and were never announced: their xcli was killed.
void end_those_gone(PromiseBook& book) {
    std::vector<pid_t> gone;
    for (const Promise& promise : book.promises())
        if (!promise.ended && promise.clients.empty() && start_of(promise.pid) == 0) gone.push_back(promise.pid);
    for (const pid_t pid : gone) book.ended(pid);
}

Json describe(const ToolHost& host, const Promise& promise) {
    const Punctuality all = with_present(host, promise);
    const bool over = promise.ended && promise.clients.empty();
    return {{"pid", promise.pid},
            {"uid", promise.user},
            {"program", promise.program},
            {"target_us", promise.target_us},
            {"predicted_us", promise.predicted_us},
            {"hints", promise.hints},
            {"requests", all.requests},
            {"late", all.late},
            {"kept", all.requests == 0 ? Json() : Json(all.keeps())},
            {"promise", over           ? "over"
                        : promise.came ? "holds"
                                       : "awaited"}};
}

}  // namespace

// Describes what is known of the work of the asking user's programs, of their last runs.
Json describe_habits(const Request& request) {
    return {{"known", request.host.habits.works_of(request.asking.user.uid())}};
}

// Notes a promise to the asking process, which becomes the program.
Json note_promise(const Request& request) {
    const auto target = request.number("target_us", 1, kMostUs);
    if (!target) throw ToolError("a promise has a target_us");
    if (request.asking.peer.pid <= 0) throw NotDone("this server does not see your process, so it cannot keep score");
    Promise promise{.user = request.asking.user.uid(),
                    .pid = request.asking.peer.pid,
                    .program = base::printable(request.text("program").value_or("").substr(0, HabitBook::kLongestName)),
                    .target_us = *target,
                    .predicted_us = request.number("predicted_us", 0, kMostUs).value_or(0),
                    .hints = Json::object()};
    for (const base::HintInfo& hint : base::kHints) {
        if (hint.listed == nullptr || hint.kind == base::HintKind::kName) continue;
        if (const auto value = request.number(hint.listed, hint.least, hint.most)) promise.hints[hint.listed] = *value;
    }
    end_those_gone(request.host.promises);
    if (!request.host.promises.add(std::move(promise)))
        throw NotDone("this server keeps score of " + std::to_string(PromiseBook::kMostOfUser) +
                      " promises of a user at most");
    request.host.checkpoint.note(kPromises, request.host.promises.to_json());
    return Json::object();
}

// Describes the promises to the programs that the asking user may see, and the score of all.
Json describe_promises(const Request& request) {
    end_those_gone(request.host.promises);
    const PromiseBook& book = request.host.promises;
    uint64_t kept = book.kept();
    uint64_t broken = book.broken();
    Json promises = Json::array();
    for (const Promise& promise : book.promises()) {
        const Punctuality all = with_present(request.host, promise);
        const bool counted = promise.ended && promise.clients.empty();
        if (!counted && all.requests != 0) ++(all.keeps() ? kept : broken);
        if (request.may_see(promise.user, promise.user)) promises.push_back(describe(request.host, promise));
    }
    return {{"promises", promises}, {"score", {{"promised", kept + broken}, {"kept", kept}}}};
}

}  // namespace xsched::server
