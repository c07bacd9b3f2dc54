#include "server/promise_book.h"

#include <algorithm>
#include <utility>

namespace xsched::server {

Promise* PromiseBook::find(pid_t pid) {
    const auto found = std::find_if(promises_.begin(), promises_.end(),
                                    [pid](const Promise& one) { return one.pid == pid && !one.ended; });
    return found != promises_.end() ? &*found : nullptr;
}

size_t PromiseBook::count_of(uid_t user) const {
    const auto count =
        std::count_if(promises_.begin(), promises_.end(), [user](const Promise& one) { return one.user == user; });
    return static_cast<size_t>(count);
}

// Forgets the user's oldest promise that is over, or, if `also_others`, its oldest one. Returns false if there is none.
bool PromiseBook::forget(uid_t user, bool also_others) {
    const auto over = [user](const Promise& one) { return one.user == user && one.ended && one.clients.empty(); };
    auto oldest = std::find_if(promises_.begin(), promises_.end(), over);
    if (oldest == promises_.end() && also_others)
        oldest =
            std::find_if(promises_.begin(), promises_.end(), [user](const Promise& one) { return one.user == user; });
    if (oldest == promises_.end()) return false;
    promises_.erase(oldest);
    return true;
}

bool PromiseBook::add(Promise promise) {
    std::erase_if(promises_, [&](const Promise& one) { return one.pid == promise.pid && !one.ended; });
    if (count_of(promise.user) >= kMostOfUser && !forget(promise.user, false)) return false;
    promises_.push_back(std::move(promise));
    if (promises_.size() <= kMost) return true;
    const auto most = std::max_element(
        promises_.begin(), promises_.end(),
        [this](const Promise& one, const Promise& other) { return count_of(one.user) < count_of(other.user); });
    return forget(most->user, true);
}

void PromiseBook::came(pid_t pid, uint32_t client) {
    Promise* promise = find(pid);
    if (promise == nullptr) return;
    promise->came = true;
    if (std::find(promise->clients.begin(), promise->clients.end(), client) == promise->clients.end())
        promise->clients.push_back(client);
}

bool PromiseBook::left(uint32_t client, const Punctuality& punctuality) {
    for (Promise& promise : promises_) {
        if (std::erase(promise.clients, client) == 0) continue;
        promise.past.requests += punctuality.requests;
        promise.past.late += punctuality.late;
        settle(promise);
        return true;
    }
    return false;
}

bool PromiseBook::ended(pid_t pid) {
    Promise* promise = find(pid);
    if (promise == nullptr) return false;
    promise->ended = true;
    settle(*promise);
    return true;
}

// Counts a promise that is over. A program without a request was promised nothing that could be kept.
void PromiseBook::settle(Promise& promise) {
    if (!promise.ended || !promise.clients.empty() || promise.past.requests == 0) return;
    ++(promise.past.keeps() ? kept_ : broken_);
}

nlohmann::json PromiseBook::to_json() const {
    nlohmann::json list = nlohmann::json::array();
    for (const Promise& one : promises_)
        list.push_back({{"user", one.user},
                        {"pid", one.pid},
                        {"program", one.program},
                        {"target_us", one.target_us},
                        {"predicted_us", one.predicted_us},
                        {"requests", one.past.requests},
                        {"late", one.past.late},
                        {"came", one.came},
                        {"ended", one.ended}});
    return {{"kept", kept_}, {"broken", broken_}, {"promises", list}};
}

void PromiseBook::take_up(const nlohmann::json& kept) {
    if (!kept.is_object()) return;
    try {
        kept_ = kept.value("kept", uint64_t{0});
        broken_ = kept.value("broken", uint64_t{0});
        for (const nlohmann::json& one : kept.value("promises", nlohmann::json::array()))
            promises_.push_back({.user = one.value("user", uid_t{0}),
                                 .pid = one.value("pid", pid_t{0}),
                                 .program = one.value("program", ""),
                                 .target_us = one.value("target_us", int64_t{0}),
                                 .predicted_us = one.value("predicted_us", int64_t{0}),
                                 .hints = {},
                                 .past = {one.value("requests", uint64_t{0}), one.value("late", uint64_t{0})},
                                 .clients = {},
                                 .came = one.value("came", false),
                                 .ended = one.value("ended", false)});
    } catch (const nlohmann::json::exception&) {
        promises_.clear();  // of another version
    }
}

}  // namespace xsched::server
