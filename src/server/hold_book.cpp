#include "server/hold_book.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/clock.h"
#include "dispatch/hold_tracker.h"
#include "dispatch/look_times.h"
#include "server/clients/seen_queue.h"

namespace xsched::server {
namespace {

constexpr int64_t kTickNs = 100 * base::kMillisecond;
constexpr int kQuietRounds = 5;
constexpr size_t kMostCauses = 16;  // most causes of one program in one tick; further ones are added to the last of
                                    // them

void add(HoldBook::Sum& all, const HoldBook::Sum& more) {
    all.cause = more.cause;
    all.holds += more.holds;
    all.ns += more.ns;
    all.longest_ns = std::max(all.longest_ns, more.longest_ns);
    all.end_ns = std::max(all.end_ns, more.end_ns);
}

int32_t priority_of(const Client& client) {
    int32_t most = PRIORITY_NO_EXECUTE;
    for (const SeenQueue& queue : queues_of(client))
        most = std::max(most, std::clamp(queue.slot.priority.load(), PRIORITY_NO_EXECUTE, PRIORITY_MAX));
    return std::min(most, client.ceiling().priority);
}

}  // namespace

void HoldBook::look(const Clients& clients, int64_t now_ns) {
    const uint64_t before = next_;
    std::set<uint32_t> taking_part;
    next_ = log_.read(next_, SIZE_MAX, lost_, [&](const dispatch::HoldPart& part) {
        take(part);
        taking_part.insert({part.client, part.cause.by_client});
    });
    for (const uint32_t client : taking_part) know(clients, client, now_ns);
    forget(clients, now_ns);
    quiet_ = next_ != before ? 0 : quiet_ + 1;
    due_ns_ = quiet_ < kQuietRounds ? now_ns + base::kSecond : 0;
}

// Returns whether the holds have one cause, and fell both before or both after the last change of policy.
bool HoldBook::is_same(const Sum& one, const Sum& other) const {
    const int64_t since_ns = log_.policy_since_ns();
    return one.cause.by_client == other.cause.by_client && one.cause.reason == other.cause.reason &&
           (one.end_ns <= since_ns) == (other.end_ns <= since_ns);
}

// Adds one part of a hold. Its time is divided among the ticks that it touches; the hold itself is counted in the tick
// in which it ended.
void HoldBook::take(const dispatch::HoldPart& part) {
    Victim& victim = victims_[part.client];
    const int64_t began_ns = part.end_ns - part.hold_ns;
    int64_t at_ns = std::max(part.end_ns - part.ns, victim.covered_ns);
    victim.covered_ns = std::max(victim.covered_ns, part.end_ns);
    const bool counts = part.last && began_ns >= victim.counted_ns;
    if (counts) victim.counted_ns = part.end_ns;
    Sum sum{.cause = part.cause,
            .holds = counts ? 1U : 0U,
            .ns = part.end_ns - at_ns,
            .longest_ns = part.hold_ns,
            .end_ns = part.end_ns};
    sum.ns = std::max<int64_t>(sum.ns, 0);
    add(all_[part.client], sum);
    sum.holds = 0;
    for (; at_ns / kTickNs < part.end_ns / kTickNs; at_ns += sum.ns) {
        sum.ns = kTickNs - at_ns % kTickNs;
        note(part.client, victim, at_ns / kTickNs, sum);
    }
    sum.ns = std::max<int64_t>(part.end_ns - at_ns, 0);
    sum.holds = counts ? 1 : 0;
    note(part.client, victim, part.end_ns / kTickNs, sum);
}

HoldBook::Sum HoldBook::all(uint32_t client) const {
    const auto found = all_.find(client);
    return found == all_.end() ? Sum{} : found->second;
}

void HoldBook::note(uint32_t client, Victim& victim, int64_t tick, const Sum& sum) {
    if (sum.cause.by_client != 0 && sum.cause.by_client != client) owe(client, tick, sum);
    size_t others = 0;
    for (auto at = victim.entries.rbegin(); at != victim.entries.rend() && at->tick >= tick; ++at) {
        if (at->tick > tick) continue;
        if (is_same(at->sum, sum) || ++others >= kMostCauses) return add(at->sum, sum);
    }
    victim.entries.push_back({tick, sum});
}

void HoldBook::owe(uint32_t client, int64_t tick, const Sum& sum) {
    std::deque<Debt>& debts = debts_[sum.cause.by_client];
    size_t looks = kMostCauses;
    for (auto at = debts.rbegin(); at != debts.rend() && at->tick >= tick && looks > 0; ++at, --looks)
        if (at->tick == tick && at->victim == client) return add(at->sum, sum);
    debts.push_back({tick, client, sum});
    if (debts.size() > kMostDebts) debts.pop_front();
}

void HoldBook::know(const Clients& clients, uint32_t client, int64_t now_ns) {
    const auto found = clients.find(client);
    if (found == clients.end()) return;
    const Client& here = *found->second;
    known_[client] = {.pid = here.pid(),
                      .uid = here.peer().uid,
                      .user = here.user().uid(),
                      .program = here.program(),
                      .priority = priority_of(here),
                      .seen_ns = now_ns};
}

void HoldBook::forget(const Clients& clients, int64_t now_ns) {
    std::erase_if(all_, [&](const auto& it) { return !clients.contains(it.first); });
    const int64_t oldest = (now_ns - kLongestNs) / kTickNs;
    for (auto& [client, victim] : victims_)
        while (!victim.entries.empty() && victim.entries.front().tick < oldest) victim.entries.pop_front();
    std::erase_if(victims_, [](const auto& it) { return it.second.entries.empty(); });
    for (auto& [client, debts] : debts_)
        while (!debts.empty() && debts.front().tick < oldest) debts.pop_front();
    std::erase_if(debts_, [](const auto& it) { return it.second.empty(); });
    std::erase_if(known_, [&](const auto& it) { return now_ns - it.second.seen_ns > kLongestNs + base::kSecond; });
}

std::vector<HoldBook::Sum> HoldBook::held(uint32_t client, int64_t ns, int64_t now_ns) const {
    std::vector<Sum> sums;
    const auto victim = victims_.find(client);
    if (victim == victims_.end()) return sums;
    const int64_t oldest = (now_ns - ns) / kTickNs;
    for (const Entry& entry : victim->second.entries) {
        if (entry.tick < oldest) continue;
        const auto known =
            std::find_if(sums.begin(), sums.end(), [&](const Sum& sum) { return is_same(sum, entry.sum); });
        known != sums.end() ? add(*known, entry.sum) : sums.push_back(entry.sum);
    }
    for (Sum& sum : sums) sum.earlier_policy = sum.end_ns <= log_.policy_since_ns();
    std::sort(sums.begin(), sums.end(), [](const Sum& one, const Sum& other) {
        return one.earlier_policy != other.earlier_policy ? other.earlier_policy : one.ns > other.ns;
    });
    return sums;
}

std::vector<HoldBook::Cost> HoldBook::caused(uint32_t client, int64_t ns, int64_t now_ns) const {
    std::vector<Cost> costs;
    const auto debts = debts_.find(client);
    if (debts == debts_.end()) return costs;
    // The parts are kept in the order of their reports. A part may be reported this many ticks late: at most by its
    // own length.
    constexpr int64_t kLateTicks = dispatch::kLookSeldomNs / kTickNs + 1;
    const int64_t oldest = (now_ns - ns) / kTickNs;
    std::unordered_map<uint32_t, Sum> sums;
    for (auto at = debts->second.rbegin(); at != debts->second.rend() && at->tick >= oldest - kLateTicks; ++at) {
        if (at->tick < oldest) continue;
        const auto [sum, first] = sums.try_emplace(at->victim, at->sum);
        const dispatch::HoldCause newest = sum->second.cause;
        if (!first) add(sum->second, at->sum);
        sum->second.cause = newest;
    }
    for (auto& [victim, sum] : sums) {
        sum.earlier_policy = sum.end_ns <= log_.policy_since_ns();
        if (sum.ns > 0) costs.push_back({victim, sum});
    }
    std::sort(costs.begin(), costs.end(), [](const Cost& one, const Cost& other) { return one.sum.ns > other.sum.ns; });
    return costs;
}

const HoldBook::Known* HoldBook::find(uint32_t client) const {
    const auto found = known_.find(client);
    return found == known_.end() ? nullptr : &found->second;
}

}  // namespace xsched::server
