// Shared tools for making a trace: numbers for tracks and flows, and the order of events. Pure.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/trace/timeline.h"
#include "cli/trace/tracks.h"

namespace xsched::cli {

class TraceMaker {
public:
    using Kind = console::TraceEventKind;
    using Said = std::vector<std::pair<const char*, console::TraceEvent::Value>>;

    explicit TraceMaker(const Traced& from) : traced(from), lines(lines_of(from)) {}

    uint64_t track(uint64_t parent, const std::string& name, TraceTrack::Kind kind = TraceTrack::Kind::kPlain,
                   int32_t pid = 0) {
        const uint64_t id = events_.tracks.size() + 1;
        events_.tracks.push_back({.id = id, .parent = parent, .kind = kind, .pid = pid, .name = name});
        return id;
    }
    console::TraceEvent& event(Kind kind, uint64_t track, int64_t at_ns, const std::string& name = "", Said said = {}) {
        return events_.events.emplace_back(
            console::TraceEvent{.kind = kind, .track = track, .at_ns = at_ns, .name = name, .said = std::move(said)});
    }
    // Begins a slice. If another ends at the same time, add that end first.
    console::TraceEvent& begin(uint64_t track, int64_t at_ns, const std::string& name, Said said = {}) {
        return event(Kind::kBegin, track, at_ns, name, std::move(said));
    }
    void end(uint64_t track, int64_t at_ns) { event(Kind::kEnd, track, at_ns); }
    uint64_t flow() { return ++flows_; }

    // Returns the events in order. At one moment ends come before begins, and the begin of a flow before its end.
    TraceEvents finish() {
        const auto rank = [](const console::TraceEvent& event) {
            if (event.kind == Kind::kEnd) return 0;
            if (!event.ended_flows.empty()) return 3;
            return event.kind == Kind::kBegin ? 1 : 2;
        };
        std::stable_sort(events_.events.begin(), events_.events.end(), [&](const auto& one, const auto& other) {
            return std::pair(one.at_ns, rank(one)) < std::pair(other.at_ns, rank(other));
        });
        return std::move(events_);
    }

    const Traced& traced;
    std::vector<Line> lines;
    std::map<const Line*, uint64_t> queue_tracks;
    std::map<uint32_t, uint64_t> program_tracks;  // by client

private:
    TraceEvents events_;
    uint64_t flows_ = 0;
};

void add_programs(TraceMaker& maker);   // trace/programs.cpp
void add_queues(TraceMaker& maker);     // trace/queues.cpp, after them
void add_devices(TraceMaker& maker);    // trace/devices.cpp
void add_orders(TraceMaker& maker);     // trace/orders.cpp

}  // namespace xsched::cli
