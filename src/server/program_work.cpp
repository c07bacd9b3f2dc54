#include "server/program_work.h"

#include <algorithm>

#include "base/clock.h"
#include "base/histogram.h"

namespace xsched::server {
namespace {

ProgramWork::Quantiles quantiles_of(const base::Histogram& lengths) {
    const base::HistogramCounts counts = lengths.read();
    ProgramWork::Quantiles quantiles{};
    constexpr int64_t kHalf = base::kMicrosecond / 2;
    for (size_t i = 0; i < quantiles.size(); ++i)
        quantiles[i] = static_cast<uint32_t>(
            std::min<int64_t>((counts.quantile(base::kWorkParts[i]) + kHalf) / base::kMicrosecond, UINT32_MAX));
    return quantiles;
}

// Returns the record of the queue that has worked longest; null: none has.
const dispatch::QueueRecord* busiest(const dispatch::ClientRecord& client) {
    const dispatch::QueueRecord* best = nullptr;
    int64_t most_ns = 0;
    for (uint32_t at = 0; at < ipc::kMostQueues; ++at) {
        const dispatch::QueueRecord* record = client.find(at);
        if (record == nullptr || record->lengths() == nullptr) continue;
        const int64_t ns = record->running_ns.load(std::memory_order_relaxed);
        if (ns <= most_ns) continue;
        best = record;
        most_ns = ns;
    }
    return best;
}

bool read_quantiles(const nlohmann::json& kept, ProgramWork::Quantiles& quantiles) {
    const auto is_number = [](const nlohmann::json& one) { return one.is_number_unsigned(); };
    if (!kept.is_array() || kept.size() != quantiles.size() || !std::all_of(kept.begin(), kept.end(), is_number))
        return false;
    std::transform(kept.begin(), kept.end(), quantiles.begin(), [](const nlohmann::json& one) {
        return static_cast<uint32_t>(std::min<uint64_t>(one.get<uint64_t>(), UINT32_MAX));
    });
    return std::is_sorted(quantiles.begin(), quantiles.end());
}

}  // namespace

ProgramWork shown_work(const dispatch::ClientRecord& client) {
    const dispatch::QueueRecord* record = busiest(client);
    if (record == nullptr) return {};
    const dispatch::QueueLengths& lengths = *record->lengths();
    const uint64_t requests = lengths.requests.read().count();
    const uint64_t commands = lengths.commands.read().count();
    ProgramWork work;
    if (requests >= base::kEnoughRequests) {
        work.requests = requests;
    } else {
        work.endless = base::is_endless(requests, record->running_ns.load(std::memory_order_relaxed));
        work.assumed = work.endless && !base::is_endless(requests, record->followed_ns.load(std::memory_order_relaxed));
    }
    if (commands == 0 && work.endless) return {};
    if (work.requests != 0) {
        work.request_us = quantiles_of(lengths.requests);
        work.rest_us = quantiles_of(lengths.rests);
        work.burst_count = quantiles_of(lengths.burst_counts);
        work.pauses_us = quantiles_of(lengths.pauses);
    }
    // Where no lengths of commands were measured, a request counts as one command.
    work.command_us = commands != 0 ? quantiles_of(lengths.commands) : work.request_us;
    return work;
}

Punctuality punctuality_of(const dispatch::ClientRecord& client) {
    Punctuality all;
    for (uint32_t at = 0; at < ipc::kMostQueues; ++at) {
        const dispatch::QueueRecord* record = client.find(at);
        if (record == nullptr) continue;
        all.requests += record->targeted.load(std::memory_order_relaxed);
        all.late += record->late.load(std::memory_order_relaxed);
    }
    return all;
}

nlohmann::json work_json(const ProgramWork& work) {
    if (!work.known() && !work.assumed) return nullptr;
    return {{"requests", work.requests},     {"endless", work.endless},      {"assumed", work.assumed},
            {"request_us", work.request_us}, {"rest_us", work.rest_us},      {"burst_count", work.burst_count},
            {"pauses_us", work.pauses_us},   {"command_us", work.command_us}};
}

ProgramWork read_work(const nlohmann::json& kept) {
    ProgramWork work;
    if (!kept.is_object()) return {};
    const auto quantiles = [&kept](const char* name, ProgramWork::Quantiles& into) {
        return kept.contains(name) && read_quantiles(kept.at(name), into);
    };
    const bool sound = quantiles("request_us", work.request_us) && quantiles("rest_us", work.rest_us) &&
                       quantiles("command_us", work.command_us) && kept.contains("requests") &&
                       kept.at("requests").is_number_unsigned() && kept.contains("endless") &&
                       kept.at("endless").is_boolean();
    if (!sound) return {};
    if (!quantiles("burst_count", work.burst_count) || !quantiles("pauses_us", work.pauses_us))
        work.burst_count = work.pauses_us = {};
    work.requests = kept.at("requests");
    work.endless = kept.at("endless");
    return work;
}

}  // namespace xsched::server
