// A trace's part about queues: their bursts, the parts in which they ran or were held, for which program, and by which
// mechanism.
#include "base/states.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/trace/maker.h"
#include "cli/trace/names.h"

namespace xsched::cli {
namespace {

using Said = TraceMaker::Said;

constexpr uint64_t kTimeslice = UINT32_MAX;  // mask for the directive to an agent (ipc::Interrupt << 32 | us)

class QueuePart {
public:
    QueuePart(TraceMaker& maker, const Line& line) : maker_(maker), line_(line), track_(maker.queue_tracks.at(&line)) {}

    void add() {
        uint32_t burst = 0;
        uint64_t waits = 0;  // flow from its begin to its first stretch that runs
        for (const Stretch& stretch : line_.stretches) {
            if (stretch.burst != burst) {
                if (burst != 0) maker_.end(track_, stretch.from_ns);
                burst = stretch.burst;
                waits = burst != 0 ? begin_burst(stretch) : 0;
            }
            begin(stretch, waits);
            maker_.end(track_, stretch.to_ns);
        }
        if (burst != 0) maker_.end(track_, line_.to_ns());
        add_mechanism();
    }

private:
    uint64_t begin_burst(const Stretch& first) {
        const TracedBurst& burst = line_.bursts[first.burst - 1];
        Said said{{"priority", int64_t{line_.priority}}};
        if (line_.handle != 0) said.emplace_back("queue", base::hexadecimal(line_.handle));
        if (burst.begin_seen && burst.end_seen) {
            said.emplace_back("commands", static_cast<int64_t>(burst.ended_with - burst.began_with));
            said.emplace_back("command_us", base::milliseconds(burst.command_ns) * 1000);
        }
        console::TraceEvent& event = maker_.begin(track_, first.from_ns, "burst", std::move(said));
        if (first.phase != Phase::kHeld || !runs_later(first)) return 0;
        return event.flows.emplace_back(maker_.flow());
    }
    bool runs_later(const Stretch& first) const {
        for (const Stretch* at = &first; at <= &line_.stretches.back() && at->burst == first.burst; ++at)
            if (at->phase == Phase::kRunning) return true;
        return false;
    }
    void begin(const Stretch& stretch, uint64_t& waits) {
        switch (stretch.phase) {
            case Phase::kLeftAlone: maker_.begin(track_, stretch.from_ns, "alone, not followed"); return;
            case Phase::kIdle: maker_.begin(track_, stretch.from_ns, base::word_of(base::State::kIdle)); return;
            case Phase::kRunning: {
                console::TraceEvent& event = maker_.begin(track_, stretch.from_ns, base::word_of(base::State::kRuns));
                if (waits != 0) event.ended_flows.push_back(std::exchange(waits, 0));
                return;
            }
            case Phase::kHeld: begin_held(stretch); return;
        }
    }
    void begin_held(const Stretch& stretch) {
        const Traced& traced = maker_.traced;
        Said said = cause_of(stretch.cause);
        const uint64_t flow = say_who_holds(stretch);
        console::TraceEvent& event =
            maker_.begin(track_, stretch.from_ns, held_text(traced, stretch.cause), std::move(said));
        if (flow != 0) event.ended_flows.push_back(flow);
    }
    Said cause_of(const TracedCause& cause) const {
        const Traced& traced = maker_.traced;
        Said said;
        if (cause.by_client != 0) said.emplace_back("behind", program_name(traced, cause.by_client));
        if (const auto known = traced.programs.find(cause.by_client); known != traced.programs.end())
            said.emplace_back("behind_pid", int64_t{known->second.pid});
        if (std::string text = reason_sentence(traced, cause.reason); !text.empty()) said.emplace_back("reason", text);
        if (std::string word = mechanism_word(traced, line_.client, cause.mechanism); !word.empty()) {
            said.emplace_back("mechanism", word);
            said.emplace_back("mechanism_means", mechanism_says(traced, line_.client, cause.mechanism));
        }
        return said;
    }
    // Adds a mark to the track of the program that the queue is held for. Returns the flow; 0: that program is not in
    // the trace.
    uint64_t say_who_holds(const Stretch& stretch) {
        const Line* urgent = nullptr;
        if (stretch.cause.by_client == 0) return 0;
        for (const Line& other : maker_.lines) {
            if (other.client != stretch.cause.by_client || other.device != line_.device || &other == &line_) continue;
            const Stretch* at = stretch_at(other, stretch.from_ns);
            if (at != nullptr && (urgent == nullptr || other.priority > urgent->priority)) urgent = &other;
        }
        if (urgent == nullptr) return 0;
        console::TraceEvent& mark = maker_.event(TraceMaker::Kind::kInstant, maker_.queue_tracks.at(urgent),
                                                 stretch.from_ns, "holds " + line_name(maker_.traced, line_));
        return mark.flows.emplace_back(maker_.flow());
    }

    // Draws the mechanism that keeps the queue off: the gate as a mark, an agent's call from its order until it was
    // seen to be done.
    void add_mechanism() {
        if (line_.decisions.empty()) return;
        const uint64_t track =
            maker_.track(maker_.program_tracks.at(line_.client), queue_name(line_.slot) + " mechanism");
        uint64_t directed = 0;
        bool open = false;
        const auto close = [&](int64_t at_ns) {
            if (std::exchange(open, false)) maker_.end(track, at_ns);
        };
        for (const TracedChange& change : line_.decisions) {
            if (const char* mark = mark_of(change.kind))
                maker_.event(TraceMaker::Kind::kInstant, track, change.at_ns, mark,
                             change.kind == TracedKind::kSuspended ? cause_of(change.after.cause) : Said{});
            if (change.kind == TracedKind::kTakenOff || change.kind == TracedKind::kPutBack) close(change.at_ns);
            if (change.kind != TracedKind::kDirected) continue;
            const uint64_t before = std::exchange(directed, change.completed);
            if (const uint64_t us = directed & kTimeslice; us != (before & kTimeslice))
                maker_.event(TraceMaker::Kind::kInstant, track, change.at_ns,
                             us == 0 ? "timeslice as the driver has it" : "timeslice " + std::to_string(us) + " us");
            if (directed >> 32 == before >> 32) continue;
            close(change.at_ns);
            open = true;
            maker_.begin(track, change.at_ns, directed >> 32 != 0 ? "take off the device" : "put back on the device",
                         {{"mechanism", mechanism_word(maker_.traced, line_.client, change.after.cause.mechanism)}});
        }
        close(line_.to_ns());
    }
    const char* mark_of(TracedKind kind) const {
        const bool held = platform_of_client(maker_.traced, line_.client) == "opencl";
        switch (kind) {
            case TracedKind::kSuspended: return held ? "hold commands" : "close gate";
            case TracedKind::kResumed: return held ? "open holds" : "open gate";
            case TracedKind::kTakenOff: return "is off the device";
            case TracedKind::kPutBack: return "is on the device again";
            default: return nullptr;
        }
    }

    TraceMaker& maker_;
    const Line& line_;
    uint64_t track_;
};

}  // namespace

void add_queues(TraceMaker& maker) {
    for (const Line& line : maker.lines) {
        std::string name = queue_name(line.slot);
        if (line.device != 0) name += " on " + device_label(maker.traced, line.device);
        name += " (priority " + std::to_string(line.priority) + ")";
        maker.queue_tracks[&line] = maker.track(maker.program_tracks.at(line.client), name);
    }
    for (const Line& line : maker.lines) QueuePart(maker, line).add();
}

}  // namespace xsched::cli
