#include "cli/trace/answers.h"

#include <algorithm>
#include <stdexcept>

#include "cli/device_called.h"

namespace xsched::cli {
namespace {

constexpr uint32_t kHasWork = 1;  // dispatch/journal.h
constexpr uint32_t kIsSuspended = 2;
constexpr uint32_t kIsFollowed = 4;

// Reads a whole number. A number with a point is refused: the server sends none, and its integer part could be
// meaningless.
template <typename Number = int64_t>
Number whole(const TraceAnswers::Json& value) {
    if (!value.is_number_integer())
        throw std::runtime_error("the server's answer has " + value.dump() + " for a whole number");
    return value.get<Number>();
}

// Reads a time by the monotonic clock, counted from the machine's start.
int64_t time(const TraceAnswers::Json& value) {
    constexpr int64_t kMostNs = INT64_MAX / 4;
    const auto ns = whole(value);
    if (ns < 0 || ns > kMostNs) throw std::runtime_error("the server's answer has " + value.dump() + " for a time");
    return ns;
}

// Returns the kind of a change.
TracedKind kind_of(uint32_t kind) {
    const auto known = static_cast<TracedKind>(std::min<uint32_t>(kind, UINT8_MAX));
    if (known == TracedKind::kWasReady) return TracedKind::kReady;
    return known == TracedKind::kWasIdle ? TracedKind::kIdle : known;
}

}  // namespace

TracedChange change_of(const nlohmann::json& row) {
    const auto state = whole<uint32_t>(row.at(9));
    TracedChange change{.at_ns = time(row.at(0)),
                        .kind = kind_of(whole<uint32_t>(row.at(1))),
                        .client = whole<uint32_t>(row.at(2)),
                        .slot = whole<uint32_t>(row.at(3)),
                        .after = {}};
    change.after = {.has_work = (state & kHasWork) != 0,
                    .suspended = (state & kIsSuspended) != 0,
                    .followed = (state & kIsFollowed) != 0,
                    .cause = {.by_client = whole<uint32_t>(row.at(5)),
                              .reason = whole<uint32_t>(row.at(4)),
                              .mechanism = whole<uint32_t>(row.at(8))}};
    change.completed = whole<uint64_t>(row.at(6));
    change.command_ns = whole(row.at(7));
    change.priority = whole<int32_t>(row.at(10));
    return change;
}

void TraceAnswers::take_before(const Json& answer, int64_t ns) {
    const int64_t now_ns = time(answer.at("now_ns"));
    const int64_t server_began_ns = time(answer.at("server_began_ns"));
    traced_.server_was_younger = server_began_ns > now_ns - ns;
    traced_.begin_ns = std::clamp(server_began_ns, now_ns - ns, now_ns);
    traced_.complete = answer.at("complete");
    take(answer);
    const bool cut = !traced_.complete && !traced_.changes.empty();
    if (cut) traced_.begin_ns = std::clamp(traced_.changes.front().at_ns, traced_.begin_ns, now_ns);
    left_out_before_ = 0;  // whenever that was
}

void TraceAnswers::end_at(int64_t now_ns) {
    traced_.end_ns = now_ns;
    std::erase_if(traced_.changes, [now_ns](const TracedChange& change) { return change.at_ns > now_ns; });
}

void TraceAnswers::take(const Json& answer) {
    const int64_t now_ns = time(answer.at("now_ns"));
    if (traced_.begin_ns == 0) traced_.begin_ns = now_ns;
    if (now_ns < traced_.begin_ns) throw std::runtime_error("the server's answer is from before the trace began");
    traced_.end_ns = now_ns;
    next_ = whole<uint64_t>(answer.at("next"));
    more_ = answer.at("more");
    traced_.lost += whole<uint64_t>(answer.at("lost"));
    const auto left_out = whole<uint64_t>(answer.at("left_out"));
    if (!left_out_before_) left_out_before_ = left_out;
    traced_.left_out = left_out - *left_out_before_;
    for (const Json& row : answer.at("entries")) traced_.changes.push_back(change_of(row));
    for (const Json& device : answer.at("devices"))
        traced_.devices.emplace(whole<uint64_t>(device.at(0)), device.at(1));
    if (answer.contains("queues")) take_queues(answer.at("queues"));
    if (answer.contains("programs")) take_names(answer);
}

void TraceAnswers::take_queues(const Json& queues) {
    traced_.queues.clear();
    for (const Json& row : queues) {
        TracedQueue& queue = traced_.queues[{whole<uint32_t>(row.at("client")), whole<uint32_t>(row.at("slot"))}];
        queue.handle = whole<uint64_t>(row.at("handle"));
        queue.device = whole<uint64_t>(row.at("device"));
        queue.priority = whole<int32_t>(row.at("priority"));
        queue.state = {.has_work = row.at("ready"),
                       .suspended = row.at("suspended"),
                       .followed = row.at("followed"),
                       .cause = {.by_client = whole<uint32_t>(row.at("by_client")),
                                 .reason = whole<uint32_t>(row.at("reason")),
                                 .mechanism = whole<uint32_t>(row.at("mechanism"))}};
        traced_.devices[queue.device] = device_called(row);
    }
}

void TraceAnswers::take_names(const Json& answer) {
    for (const Json& row : answer.at("programs"))
        traced_.programs[whole<uint32_t>(row.at(0))] = {
            .pid = whole<int32_t>(row.at(1)), .name = row.at(2), .platform = row.at(3)};
    for (const Json& row : answer.at("reasons")) traced_.reasons[whole<uint32_t>(row.at(0))] = row.at(1);
    for (const auto& [platform, rows] : answer.at("mechanisms").items())
        for (const Json& row : rows)
            traced_.mechanisms[{platform, whole<uint32_t>(row.at(0))}] = {row.at(1), row.at(2)};
    for (const Json& row : answer.at("orders"))
        if (time(row.at(1)) >= traced_.begin_ns)
            traced_.orders[whole<uint64_t>(row.at(0))] = {
                .at_ns = time(row.at(1)), .uid = whole<uint32_t>(row.at(2)), .text = row.at(3)};
}

}  // namespace xsched::cli
