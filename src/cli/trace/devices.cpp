// A trace's part about devices: which programs run on each, how many run and are held, and what was decided.
#include <set>

#include "cli/trace/maker.h"
#include "cli/trace/names.h"

namespace xsched::cli {
namespace {

// A change on one device at a time: something begins or ends.
struct Step {
    int64_t at_ns = 0;
    uint32_t client = 0;
    Phase phase{};
    int by = 0;  // 1: begins, -1: ends
};

class DevicePart {
public:
    DevicePart(TraceMaker& maker, uint64_t device) : maker_(maker) {
        const uint64_t top = maker.track(0, "device " + device_label(maker.traced, device));
        runs_ = maker.track(top, "who runs");
        running_ = maker.track(top, "programs running", TraceTrack::Kind::kCounter);
        held_ = maker.track(top, "programs held", TraceTrack::Kind::kCounter);
        decisions_ = maker.track(top, "decisions");
    }
    void see(const Line& line) {
        for (const Stretch& stretch : line.stretches) {
            if (stretch.phase != Phase::kRunning && stretch.phase != Phase::kHeld) continue;
            steps_.push_back({stretch.from_ns, line.client, stretch.phase, 1});
            steps_.push_back({stretch.to_ns, line.client, stretch.phase, -1});
        }
        for (const TracedChange& change : line.decisions) add_decision(line, change);
    }
    void finish() {
        std::stable_sort(steps_.begin(), steps_.end(),
                         [](const Step& one, const Step& other) { return one.at_ns < other.at_ns; });
        for (size_t i = 0; i < steps_.size(); ++i) {
            const Step& step = steps_[i];
            std::map<uint32_t, int>& queues = step.phase == Phase::kRunning ? run_ : wait_;
            int& count = queues[step.client];
            count += step.by;
            if (count == 0) queues.erase(step.client);
            if (i + 1 == steps_.size() || steps_[i + 1].at_ns != step.at_ns) tell(step.at_ns);
        }
    }

private:
    void add_decision(const Line& line, const TracedChange& change) {
        const bool resumed = change.kind == TracedKind::kResumed;
        if (!resumed && change.kind != TracedKind::kSuspended && change.kind != TracedKind::kCause) return;
        const Traced& traced = maker_.traced;
        const TracedCause& cause = change.after.cause;
        const char* what = resumed ? "resume " : change.kind == TracedKind::kCause ? "go on holding " : "suspend ";
        TraceMaker::Said said{{"priority", int64_t{change.priority}}};
        if (std::string text = reason_sentence(traced, cause.reason); !text.empty()) said.emplace_back("reason", text);
        if (cause.by_client != 0)
            said.emplace_back(resumed ? "was_behind" : "behind", program_name(traced, cause.by_client));
        if (std::string word = mechanism_word(traced, line.client, cause.mechanism); !resumed && !word.empty())
            said.emplace_back("mechanism", word);
        maker_.event(TraceMaker::Kind::kInstant, decisions_, change.at_ns, what + line_name(traced, line),
                     std::move(said));
    }
    void tell(int64_t at_ns) {
        std::string who;
        for (const auto& [client, queues] : run_)
            who += (who.empty() ? "" : " + ") + program_name(maker_.traced, client);
        if (who != who_) {
            if (!who_.empty()) maker_.end(runs_, at_ns);
            if (!who.empty()) maker_.begin(runs_, at_ns, who);
            who_ = who;
        }
        count(running_, at_ns, run_.size(), told_running_);
        count(held_, at_ns, wait_.size(), told_held_);
    }
    void count(uint64_t track, int64_t at_ns, size_t now, int64_t& told) {
        const auto value = static_cast<int64_t>(now);
        if (std::exchange(told, value) != value) maker_.event(TraceMaker::Kind::kCounter, track, at_ns).value = value;
    }

    TraceMaker& maker_;
    uint64_t runs_, running_, held_, decisions_;
    std::vector<Step> steps_;
    std::map<uint32_t, int> run_, wait_;  // queues, by client
    std::string who_;
    int64_t told_running_ = -1;
    int64_t told_held_ = -1;
};

}  // namespace

void add_devices(TraceMaker& maker) {
    std::map<uint64_t, DevicePart> parts;
    for (const Line& line : maker.lines)
        if (line.device != 0) parts.try_emplace(line.device, maker, line.device).first->second.see(line);
    for (auto& [device, part] : parts) part.finish();
}

}  // namespace xsched::cli
