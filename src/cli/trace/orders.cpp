// A trace's part about requests made meanwhile: policies, hints and settings that people gave, and all changes of
// priorities.
#include "cli/trace/maker.h"
#include "cli/trace/names.h"

namespace xsched::cli {
namespace {

// The track for the trace as a whole, created with its first event.
class OrderTrack {
public:
    explicit OrderTrack(TraceMaker& maker) : maker_(maker) {}
    void mark(int64_t at_ns, const std::string& name, TraceMaker::Said said) {
        if (track_ == 0) track_ = maker_.track(0, "orders");
        maker_.event(TraceMaker::Kind::kInstant, track_, at_ns, name, std::move(said));
    }

private:
    TraceMaker& maker_;
    uint64_t track_ = 0;
};

}  // namespace

void add_orders(TraceMaker& maker) {
    const Traced& traced = maker.traced;
    OrderTrack track(maker);
    for (const auto& [number, order] : traced.orders)
        if (order.at_ns >= traced.begin_ns && order.at_ns <= traced.end_ns)
            track.mark(order.at_ns, order.text, {{"uid", int64_t{order.uid}}});
    std::map<std::pair<uint32_t, uint32_t>, int32_t> priorities;
    for (const TracedChange& change : traced.changes) {
        const auto [known, first] = priorities.try_emplace({change.client, change.slot}, change.priority);
        const int32_t before = std::exchange(known->second, change.priority);
        if (first || before == change.priority || change.kind == TracedKind::kCame) continue;
        track.mark(change.at_ns,
                   program_name(traced, change.client) + " " + queue_name(change.slot) + ": priority " +
                       std::to_string(before) + " becomes " + std::to_string(change.priority),
                   {});
    }
}

}  // namespace xsched::cli
