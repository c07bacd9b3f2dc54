#include "server/tools/program_lengths.h"

#include <string>

#include "base/histogram.h"
#include "base/time.h"
#include "server/tools/describing.h"

namespace xsched::server {
namespace {

using base::milliseconds;

struct Lengths {
    base::HistogramCounts bursts;
    base::HistogramCounts requests;
    base::HistogramCounts commands;
    base::HistogramCounts holds;
    base::HistogramCounts stops;
    base::HistogramCounts resumes;
};

// Adds up the lengths of queues that the client has and had. Slots that were never used have no record.
Lengths lengths_of(const Client& client) {
    Lengths all;
    for (uint32_t at = 0; at < ipc::kMostQueues; ++at) {
        const dispatch::QueueRecord* record = client.record()->find(at);
        const dispatch::QueueLengths* lengths = record != nullptr ? record->lengths() : nullptr;
        if (lengths == nullptr) continue;
        all.bursts.add(lengths->bursts.read());
        all.requests.add(lengths->requests.read());
        all.commands.add(lengths->commands.read());
        all.holds.add(lengths->holds.read());
        all.stops.add(lengths->stops.read());
        all.resumes.add(lengths->resumes.read());
    }
    return all;
}

Json describe(const base::HistogramCounts& counts, bool whole) {
    Json entry{{"count", counts.count()},
               {"sum_ms", milliseconds(static_cast<int64_t>(counts.sum_ns))},
               {"p50_ms", milliseconds(counts.quantile(0.5))},
               {"p99_ms", milliseconds(counts.quantile(0.99))}};
    if (!whole) return entry;
    Json& buckets = entry["buckets"] = Json::array();  // number of the bucket (base/histogram.h), count
    for (uint32_t i = 0; i < counts.counts.size(); ++i)
        if (counts.counts[i] != 0) buckets.push_back({i, counts.counts[i]});
    return entry;
}

}  // namespace

void add_lengths(Json& entry, const Client& client, bool whole) {
    const Lengths lengths = lengths_of(client);
    entry["bursts"] = describe(lengths.bursts, whole);
    entry["request_lengths"] = describe(lengths.requests, whole);
    entry["commands"] = describe(lengths.commands, whole);
    entry["hold_lengths"] = describe(lengths.holds, whole);
    entry["stop_lengths"] = describe(lengths.stops, whole);
    entry["resume_lengths"] = describe(lengths.resumes, whole);
}

Json describe_preemptions(const Client& client, uint32_t platform) {
    struct Row {
        uint64_t holds, stops, resumes;
        int64_t stop_ns, resume_ns;
    };
    Row rows[sched::kMechanisms] = {};
    for (uint32_t at = 0; at < ipc::kMostQueues; ++at) {
        const dispatch::QueueRecord* record = client.record()->find(at);
        if (record == nullptr) continue;
        for (unsigned i = 0; i < sched::kMechanisms; ++i) {
            rows[i].holds += record->preempted_by[i].load();
            rows[i].stops += record->stops_by[i].count.load();
            rows[i].stop_ns += record->stops_by[i].ns.load();
            rows[i].resumes += record->resumes_by[i].count.load();
            rows[i].resume_ns += record->resumes_by[i].ns.load();
        }
    }
    const auto mean = [](int64_t ns, uint64_t count) {
        return count > 0 ? Json(milliseconds(ns) / static_cast<double>(count)) : Json();
    };
    Json holds = Json::object();
    Json stops = Json::object();
    Json resumes = Json::object();
    for (unsigned i = 1; i < sched::kMechanisms; ++i) {
        const std::string word = mechanism_word(static_cast<sched::Mechanism>(i), platform);
        holds[word] = rows[i].holds;
        stops[word] = mean(rows[i].stop_ns, rows[i].stops);
        resumes[word] = mean(rows[i].resume_ns, rows[i].resumes);
    }
    return {{"preempted_by", holds}, {"stop_ms_by", stops}, {"resume_ms_by", resumes}};
}

}  // namespace xsched::server
