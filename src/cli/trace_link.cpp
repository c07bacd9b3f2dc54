#include "cli/trace_link.h"

#include <algorithm>

#include "base/clock.h"

namespace xsched::cli {
namespace {

constexpr uint32_t kHasWork = 1;  // dispatch/journal.h
constexpr uint32_t kIsSuspended = 2;
constexpr uint32_t kIsFollowed = 4;

// A state that was over before it was seen counts as one that was seen.
TracedKind kind_of(uint32_t kind) {
    constexpr uint32_t kWasReady = 12;
    constexpr uint32_t kWasIdle = 13;
    if (kind == kWasReady) return TracedKind::kReady;
    return kind == kWasIdle ? TracedKind::kIdle : static_cast<TracedKind>(kind);
}

TracedChange change_of(const Json& row) {
    const uint32_t state = row.at(9);
    TracedChange change{.at_ns = row.at(0), .client = row.at(2), .slot = row.at(3), .after = {}};
    change.kind = kind_of(row.at(1));
    change.after = {.has_work = (state & kHasWork) != 0,
                    .suspended = (state & kIsSuspended) != 0,
                    .followed = (state & kIsFollowed) != 0,
                    .cause = {.by_client = row.at(5), .reason = row.at(4), .mechanism = row.at(8)}};
    change.completed = row.at(6);
    change.command_ns = row.at(7);
    change.priority = row.at(10);
    return change;
}

}  // namespace

Json TraceLink::ask(const Json& more, bool names) {
    Json request{{"cmd", "record"}, {"all", true}, {"queues", names}};
    request.update(more);
    return link_.ask(request);
}

void TraceLink::begin_before(int64_t ns) {
    const Json answer = ask({{"last_ms", std::max<int64_t>(ns / base::kMillisecond, 1)}});
    const int64_t now_ns = answer.at("now_ns");
    traced_.begin_ns = now_ns - ns;
    traced_.complete = answer.at("complete");
    take(answer);
    const bool cut = !traced_.complete && !traced_.changes.empty();
    if (cut) traced_.begin_ns = std::clamp(traced_.changes.front().at_ns, traced_.begin_ns, now_ns);
    left_out_before_ = 0;  // whenever that was
    while (more_ && !full()) take(ask({{"from", next_}}, false));
    traced_.end_ns = now_ns;
    std::erase_if(traced_.changes, [now_ns](const TracedChange& change) { return change.at_ns > now_ns; });
}

void TraceLink::look(bool names) {
    do take(ask({{"from", next_}}, names));
    while (more_ && !full());
}

void TraceLink::take(const Json& answer) {
    const int64_t now_ns = answer.at("now_ns");
    if (traced_.begin_ns == 0) traced_.begin_ns = now_ns;
    traced_.end_ns = now_ns;
    next_ = answer.at("next");
    more_ = answer.at("more");
    traced_.lost += answer.at("lost").get<uint64_t>();
    const uint64_t left_out = answer.at("left_out");
    if (!left_out_before_) left_out_before_ = left_out;
    traced_.left_out = left_out - *left_out_before_;
    for (const Json& row : answer.at("entries")) traced_.changes.push_back(change_of(row));
    for (const Json& device : answer.at("devices")) traced_.devices.emplace(device.at(0), device.at(1));
    if (answer.contains("queues")) take_queues(answer.at("queues"));
    if (answer.contains("programs")) take_names(answer);
}

void TraceLink::take_queues(const Json& queues) {
    traced_.queues.clear();
    for (const Json& row : queues) {
        TracedQueue queue{.client = row.at("client"), .slot = row.at("slot"), .state = {}};
        queue.handle = row.at("handle");
        queue.device = row.at("device");
        queue.priority = row.at("priority");
        queue.state = {
            .has_work = row.at("ready"),
            .suspended = row.at("suspended"),
            .followed = row.at("followed"),
            .cause = {.by_client = row.at("by_client"), .reason = row.at("reason"), .mechanism = row.at("mechanism")}};
        traced_.queues[{queue.client, queue.slot}] = queue;
        traced_.devices[queue.device] =
            row.at("device_name").get<std::string>() + " (" + row.at("platform").get<std::string>() + ")";
    }
}

void TraceLink::take_names(const Json& answer) {
    for (const Json& row : answer.at("programs"))
        traced_.programs[row.at(0)] = {.pid = row.at(1), .name = row.at(2), .platform = row.at(3)};
    for (const Json& row : answer.at("reasons")) traced_.reasons[row.at(0)] = row.at(1);
    for (const auto& [platform, rows] : answer.at("mechanisms").items())
        for (const Json& row : rows) traced_.mechanisms[{platform, row.at(0)}] = {row.at(1), row.at(2)};
    for (const Json& row : answer.at("orders"))
        if (row.at(1) >= traced_.begin_ns)
            traced_.orders[row.at(0)] = {.at_ns = row.at(1), .uid = row.at(2), .text = row.at(3)};
}

}  // namespace xsched::cli
