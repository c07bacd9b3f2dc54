#include "sim/recorded_work.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/clock.h"
#include "dispatch/joined_bursts.h"
#include "sim/replay.h"
#include "sim/workload.h"

namespace xsched::sim {
namespace {

using ipc::RecordedKind;

// The work of one queue, as its changes tell it. Times begin at a second, since JoinedBursts takes 0 for never.
class QueueWork {
public:
    void take(const ipc::RecordedChange& change, int64_t lasts_ns) {
        if (change.command_ns > 0) commands_ns.push_back(change.command_ns);
        const int64_t now_ns = base::kSecond + std::max<int64_t>(change.at_ns, 0);
        switch (change.kind) {
            case RecordedKind::kReady: return begin(now_ns, change, change.at_ns >= lasts_ns);
            case RecordedKind::kSuspended: suspended_since_ns_ = now_ns; return;
            case RecordedKind::kResumed: return resume(now_ns);
            default:
                if (ready_since_ns_ && switched_) leave_out_switch(now_ns, change);
                return rest(now_ns);
        }
    }
    // Another program is suspended for this one: within a burst, the device then has to switch.
    void got_the_device() { switched_ = ready_since_ns_.has_value(); }
    void rest(int64_t now_ns) {
        seen_ = true;
        if (!ready_since_ns_) return;
        const int64_t began_ns = *ready_since_ns_;
        if (suspended_since_ns_) {
            resume(now_ns);
            suspended_since_ns_ = now_ns;
        }
        const int64_t held_ns = std::min(held_ns_, now_ns - began_ns);
        ready_since_ns_.reset();
        work_ns += now_ns - began_ns - held_ns;
        const auto request = joined_.add(began_ns, now_ns, held_ns);
        if (!request) return;
        requests_ns.push_back(request->length_ns - request->held_ns);
        took_ns.push_back(request->length_ns);
        burst_counts.push_back(request->bursts);
        pauses_ns.push_back(request->pauses_ns);
        if (request->rest_ns > 0) rests_ns.push_back(request->rest_ns);
    }

    int64_t work_ns = 0;
    std::vector<int64_t> requests_ns;
    std::vector<int64_t> took_ns;
    std::vector<int64_t> burst_counts;  // of each request
    std::vector<int64_t> pauses_ns;
    std::vector<int64_t> rests_ns;
    std::vector<int64_t> commands_ns;  // the mean length at each change

private:
    // A queue that has work at the end, and was never seen to become ready or idle, had work all the time.
    void begin(int64_t now_ns, const ipc::RecordedChange& change, bool at_end) {
        if (ready_since_ns_ || (at_end && seen_)) return;
        switched_ = false;
        completed_ = change.completed;
        ready_since_ns_ = at_end ? base::kSecond : now_ns;
        if (!at_end) held_ns_ = 0;
        seen_ = true;
    }
    // Counts a burst's wait for a switch as time in which it was held. If the time in which none of its commands ran is
    // nearer to a switch than to nothing, the burst has waited for one.
    void leave_out_switch(int64_t now_ns, const ipc::RecordedChange& change) {
        const int64_t switch_ns = DeviceCosts{}.switch_us;
        const auto commands = static_cast<int64_t>(change.completed - completed_);
        const int64_t other_ns = now_ns - *ready_since_ns_ - held_ns_ - commands * change.command_ns;
        if (other_ns > switch_ns / 2) held_ns_ += std::min(other_ns, switch_ns);
    }
    void resume(int64_t now_ns) {
        if (!suspended_since_ns_) return;
        const int64_t since_ns = std::max(*suspended_since_ns_, ready_since_ns_.value_or(0));
        suspended_since_ns_.reset();
        held_ns_ += std::max<int64_t>(now_ns - since_ns, 0);
    }

    dispatch::JoinedBursts joined_;
    std::optional<int64_t> ready_since_ns_;
    std::optional<int64_t> suspended_since_ns_;
    int64_t held_ns_ = 0;  // since the burst began
    uint64_t completed_ = 0;  // commands when the burst began
    bool switched_ = false;  // in this burst
    bool seen_ = false;
};

RecordedWork::Quantiles quantiles_of(std::vector<int64_t> values, int64_t unit = base::kMicrosecond) {
    RecordedWork::Quantiles quantiles{};
    if (values.empty()) return quantiles;
    std::sort(values.begin(), values.end());
    const auto count = static_cast<double>(values.size());
    for (size_t i = 0; i < quantiles.size(); ++i) {
        const double rank = std::max(std::ceil(base::kWorkParts[i] * count), 1.0);
        quantiles[i] = values[static_cast<size_t>(rank) - 1] / unit;
    }
    return quantiles;
}

// Returns the work as a server tells it (server/program_work.cpp); none if there was too little.
std::optional<RecordedWork> told(const std::string& program, QueueWork queue) {
    RecordedWork work{.program = program};
    if (queue.requests_ns.size() >= base::kEnoughRequests)
        work.requests = queue.requests_ns.size();
    else
        work.endless = base::is_endless(queue.requests_ns.size(), queue.work_ns) && !queue.commands_ns.empty();
    if (work.requests == 0 && !work.endless) return std::nullopt;
    if (!work.endless) {
        work.request_us = quantiles_of(std::move(queue.requests_ns));
        work.took_us = quantiles_of(std::move(queue.took_ns));
        work.rest_us = quantiles_of(std::move(queue.rests_ns));
        work.burst_count = quantiles_of(std::move(queue.burst_counts), 1);
        work.pauses_us = quantiles_of(std::move(queue.pauses_ns));
    }
    work.command_us = queue.commands_ns.empty() ? work.request_us : quantiles_of(std::move(queue.commands_ns));
    return work;
}

}  // namespace

std::vector<RecordedWork> recorded_work(ipc::Recording recording) {
    std::stable_sort(recording.changes.begin(), recording.changes.end(),
                     [](const auto& one, const auto& other) { return one.at_ns < other.at_ns; });
    std::map<std::pair<uint32_t, uint32_t>, QueueWork> queues;
    for (const ipc::RecordedChange& change : recording.changes) {
        queues[{change.client, change.slot}].take(change, recording.lasts_ns);
        if (change.kind != RecordedKind::kSuspended || change.by_client == change.client) continue;
        for (auto urgent = queues.lower_bound({change.by_client, 0});
             urgent != queues.end() && urgent->first.first == change.by_client; ++urgent)
            urgent->second.got_the_device();
    }
    std::map<std::string, QueueWork> busiest;
    for (const ipc::RecordedQueue& queue : recording.queues) {
        const auto found = queues.find({queue.client, queue.slot});
        if (found == queues.end()) continue;
        found->second.rest(base::kSecond + recording.lasts_ns);
        QueueWork& best = busiest[queue.program];
        if (found->second.work_ns > best.work_ns) best = std::move(found->second);
    }
    if (busiest.empty()) throw std::runtime_error(kNoBurst);
    std::vector<RecordedWork> all;
    for (auto& [program, queue] : busiest)
        if (const auto work = told(program, std::move(queue))) all.push_back(*work);
    return all;
}

}  // namespace xsched::sim
