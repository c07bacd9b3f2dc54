#include "dispatch/means.h"

#include <algorithm>
#include <bit>

namespace xsched::dispatch {

namespace {

// A command that is running when its gate closes takes half its length more on average; disabling channels and enabling
// them again costs somewhat more than half a millisecond in all.
constexpr int64_t kWorthNs = 500'000;
constexpr int64_t kStillWorthNs = 350'000;  // each change of mind costs the victim a call
// To be off in time for a burst that is announced: what the scheduler's own waking and writing takes, a disabling of
// channels (about 0.7 ms, and the queue's agent wakes first), what lies between two gates, and what is in flight where
// there is no gate.
constexpr int64_t kWakeNs = 100'000;
constexpr int64_t kInterruptNs = 800'000;
constexpr int64_t kBetweenGatesNs = 150'000;
constexpr int64_t kInFlightNs = 1'000'000;
constexpr int64_t kUnknownNs = 1'000'000;  // a command whose length is not known
constexpr unsigned kTimesliceBits = 11;  // 2 ms, about the driver's own

bool is_long(int64_t command_ns, bool was_long = false) {
    return command_ns == 0 || command_ns > (was_long ? kStillWorthNs : kWorthNs);
}

}  // namespace

const char* means_sentence(Means means) {
    switch (means) {
#define XSCHED_MEANS(name, number, sentence) \
    case Means::name:                        \
        return sentence;
#include "dispatch/means.def"
#undef XSCHED_MEANS
    }
    return "?";
}

void Pauses::observe(bool ready, int64_t ready_since_ns, int64_t idle_since_ns) {
    if (!ready || ready_since_ns == seen_ready_ns_) return;
    const bool known = idle_since_ns > seen_ready_ns_ && idle_since_ns <= ready_since_ns && seen_ready_ns_ != 0;
    seen_ready_ns_ = ready_since_ns;
    if (!known) return;
    short_ones_ = short_ones_ << 1 | (ready_since_ns - idle_since_ns < kShortNs ? 1U : 0U);
    count_ = std::min(count_ + 1, kRemembered);
}

bool Pauses::streams() const {
    if (count_ < kEnough) return false;
    return static_cast<unsigned>(std::popcount(short_ones_)) * 8 < count_;
}

Means choose_means(const Victim& victim) {
    if (!victim.has_rival) return Means::kNone;
    // Announced early enough, the call costs the urgent one nothing. Behind its gate alone the victim would get the device
    // back for as long as nothing else wants it, and the burst begin with a switch.
    if (victim.announced) return Means::kInterruptAnnounced;
    if (victim.rival_streams && !victim.has_peer) return Means::kTimeslice;
    if (victim.command_ns == 0) return Means::kInterruptUnknown;
    return is_long(victim.command_ns, victim.was_long) ? Means::kInterrupt : Means::kGate;
}

bool shortens_timeslice(const Victim& victim, Means usual) {
    return !victim.has_peer && usual >= Means::kTimeslice;
}

int64_t off_ns(uint32_t level, int64_t command_ns) {
    if (level >= kPreemptLevelInterrupt) return kWakeNs + kInterruptNs;  // also a short one, where it is announced
    const int64_t running_ns = command_ns != 0 ? command_ns : kUnknownNs;
    return kWakeNs + running_ns + (level >= kPreemptLevelDeactivate ? kBetweenGatesNs : kInFlightNs);
}

uint32_t timeslice_us_of(unsigned rank, unsigned ranks) {
    if (rank == 0 || ranks < 2) return 0;
    rank = std::min(rank, ranks - 1);
    return 1U << (kTimesliceBits * (ranks - 1 - rank) / (ranks - 1));
}

void Rivals::observe(std::span<const sched::UnitState> units) {
    for (size_t i = 0; i < units.size(); ++i) {
        const uint64_t id = units[i].unit.id;
        if (i >= memories_.size() || memories_[i].id != id) {
            const auto known =
                std::find_if(memories_.begin(), memories_.end(), [id](const Memory& it) { return it.id == id; });
            const Memory memory = known != memories_.end() ? *known : Memory{.id = id, .pauses = {}};
            memories_.insert(memories_.begin() + static_cast<std::ptrdiff_t>(i), memory);
        }
        memories_[i].pauses.observe(units[i].ready, units[i].unit.ready_since_ns, units[i].idle_since_ns);
    }
    memories_.resize(units.size());
}

void Rivals::look(const policy::Unit& victim, std::span<const sched::UnitState> units, Victim& result) const {
    for (size_t i = 0; i < units.size(); ++i) {
        const policy::Unit& other = units[i].unit;
        if (other.device != victim.device || other.pid == victim.pid) continue;
        result.has_peer = result.has_peer || other.priority == victim.priority;
        if (other.priority <= victim.priority) continue;
        // One that pauses often is enough: the hardware would switch in each of its pauses.
        result.rival_streams = (result.rival_streams || !result.has_rival) && memories_[i].pauses.streams();
        result.has_rival = true;
    }
}

uint32_t Rivals::timeslice_us(const policy::Unit& victim, std::span<const sched::UnitState> units) {
    unsigned above = 0;
    unsigned below = 0;
    for (size_t i = 0; i < units.size(); ++i) {
        if (units[i].unit.device != victim.device) continue;
        const int32_t priority = units[i].unit.priority;
        bool counted = priority == victim.priority;
        for (size_t k = 0; k < i && !counted; ++k)
            counted = units[k].unit.device == victim.device && units[k].unit.priority == priority;
        if (!counted) ++(priority > victim.priority ? above : below);
    }
    return timeslice_us_of(above, above + below + 1);
}

}  // namespace xsched::dispatch
