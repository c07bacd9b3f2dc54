#include "server/tools/facts.h"

#include "base/capped.h"
#include "base/clock.h"
#include "dispatch/record.h"
#include "policy/policy.h"

namespace xsched::server {

namespace {

sched::Candidates candidates_of(const dispatch::KeptOff& kept_off) {
    sched::Candidates candidates;
    for (size_t at = 0; at < candidates.size(); ++at) {
        const auto& known = kept_off.candidates[at];
        candidates[at] = {static_cast<sched::Mechanism>(known.mechanism.load(std::memory_order_relaxed)),
                          known.urgent_us.load(std::memory_order_relaxed),
                          known.victim_us.load(std::memory_order_relaxed)};
    }
    return candidates;
}

}  // namespace

Facts::Facts() : now_ns_(base::now_ns()) {}

Facts::Facts(const Request& request, uint32_t first, size_t most) : Facts() {
    const auto pid = request.pid();
    const auto& clients = request.host.clients;
    std::vector<uint32_t> ids;
    for (auto at = clients.lower_bound(first); at != clients.end() && ids.size() < most; ++at)
        if (request.may_see(*at->second) && (!pid || at->second->pid() == *pid)) ids.push_back(at->first);
    request.host.stopped.look(clients, ids);
    policy_ = request.host.scheduler.policy_name();
}

sched::Reason reason_told(const std::string& policy, sched::Reason reason) {
    const policy::PolicyInfo* info = policy::find_policy(policy.c_str());
    const bool is_urgency = reason == sched::Reason::kLessUrgent || reason == sched::Reason::kAnticipation;
    return is_urgency && info != nullptr && info->hints == policy::kAnyHint ? sched::Reason::kNotItsTurn : reason;
}

QueueFacts Facts::of(const SeenQueue& queue) const {
    const dispatch::QueueRecord* known = queue.client.record()->find(queue.at);
    if (known == nullptr || known->used.load(std::memory_order_acquire) == 0) return {.stopped = stopped(queue.client)};
    const dispatch::QueueRecord& record = *known;
    const int64_t waits_since_ns = record.waits_since_ns.load(std::memory_order_relaxed);
    const int64_t waits_ns = waits_since_ns != 0 && now_ns_ > waits_since_ns ? now_ns_ - waits_since_ns : 0;
    return {.scheduled = true,
            .stopped = stopped(queue.client),
            .suspended = record.suspended.load(std::memory_order_relaxed) != 0,
            .watched = record.watched.load(std::memory_order_relaxed) != 0,
            .reason = reason_told(policy_, static_cast<sched::Reason>(record.reason.load(std::memory_order_relaxed))),
            .mechanism = static_cast<sched::Mechanism>(record.mechanism.load(std::memory_order_relaxed)),
            .kept_off_by = static_cast<sched::Mechanism>(record.kept_off.mechanism.load(std::memory_order_relaxed)),
            .candidates = candidates_of(record.kept_off),
            .by_pid = record.by_pid.load(std::memory_order_relaxed),
            .by_client = record.by_client.load(std::memory_order_relaxed),
            .since_ns = record.since_ns.load(std::memory_order_relaxed),
            .delayed_ns = record.delayed_ns.load(std::memory_order_relaxed) + waits_ns,
            .running_ns = record.running_ns.load(std::memory_order_relaxed),
            .idle_ns = record.idle_ns.load(std::memory_order_relaxed),
            .preemptions = record.preemptions.load(std::memory_order_relaxed),
            .note = {.code = static_cast<policy::NoteCode>(record.note_code.load(std::memory_order_relaxed)),
                     .first = record.note_first.load(std::memory_order_relaxed),
                     .second = record.note_second.load(std::memory_order_relaxed)}};
}

bool Facts::stopped(const Client& client) const { return client.record()->stopped.load() != 0 || client.seen_stopped; }

Gone gone_of(const Client& client) {
    Gone gone;
    for (uint32_t at = 0; at < ipc::kMostQueues; ++at) {
        const dispatch::QueueRecord* record = client.record()->find(at);
        if (record == nullptr) continue;
        gone.completed += record->gone_completed.load(std::memory_order_relaxed);
        gone.copies = base::capped_sum(gone.copies, record->gone_copies.load(std::memory_order_relaxed));
        gone.copied_bytes =
            base::capped_sum(gone.copied_bytes, record->gone_copied_bytes.load(std::memory_order_relaxed));
        gone.busy_ns = base::capped_sum(gone.busy_ns, record->gone_busy_ns.load(std::memory_order_relaxed));
    }
    return gone;
}

int64_t Facts::caused_ns(const Client& client) const {
    return client.record()->delay_caused_ns.load(std::memory_order_relaxed);
}

}  // namespace xsched::server
