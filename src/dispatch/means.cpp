#include "dispatch/means.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace xsched::dispatch {

namespace {

// The scheduler's own two passes: what comes on top of a switch where the urgent unit lingers.
constexpr int64_t kReactionNs = 50'000;
// Up to here a gate alone may do, at which the device goes on for half of what lies between two gates.
constexpr int64_t kBriefNs = 150'000;
constexpr int64_t still(int64_t worth_ns) { return worth_ns * 7 / 10; }  // each change of mind costs the victim a call
// To be off in time for a burst that is announced: what the scheduler's own waking and writing takes, a margin for the
// call, what lies between two gates, and what is in flight where there is no gate.
constexpr int64_t kWakeNs = 100'000;
constexpr int64_t kCallMarginNs = 100'000;
constexpr int64_t kBetweenGatesNs = 150'000;
constexpr int64_t kInFlightNs = 1'000'000;
constexpr int64_t kUnknownNs = 1'000'000;  // a command whose length is not known
constexpr unsigned kTimesliceBits = 11;  // 2 ms, about the driver's own

bool is_long(const Victim& victim) {
    // Behind an urgent unit that lingers the victim is off within the switch: only the victim pays for the calls.
    const int64_t worth_ns = victim.rival_lingers ? victim.costs.switch_ns() + kReactionNs : victim.costs.interrupt_ns();
    return victim.command_ns > (victim.was_long ? still(worth_ns) : worth_ns);
}

}  // namespace

bool gate_may_do(const Victim& victim) {
    const bool is_brief = victim.command_ns < (victim.was_brief ? kBriefNs : still(kBriefNs));
    return victim.rival_streams && !victim.has_peer && !victim.announced && victim.command_ns != 0 && is_brief;
}

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

// A pause is seen when it is over.
void Pauses::observe(const sched::UnitState& unit) {
    const int64_t ready_ns = unit.unit.ready_since_ns;
    const int64_t idle_ns = unit.idle_since_ns;
    if (!unit.ready || ready_ns == seen_ready_ns_) return;
    const bool known = idle_ns > seen_ready_ns_ && idle_ns <= ready_ns && seen_ready_ns_ != 0;
    seen_ready_ns_ = ready_ns;
    const bool waited = std::exchange(waits_, unit.waits) != unit.waits;
    if (!known) return;
    const bool is_short = ready_ns - idle_ns < kShortNs;
    short_ones_ = short_ones_ << 1 | (is_short ? 1U : 0U);
    waited_ = waited_ << 1 | (is_short && waited ? 1U : 0U);
    count_ = std::min(count_ + 1, kRemembered);
    // Most of them do; and no longer when it is less than a quarter.
    const int short_ones = std::popcount(short_ones_);
    const int waited_ones = std::popcount(waited_);
    wait_ = waited_ones != 0 && (wait_ ? 4 * waited_ones >= short_ones : 2 * waited_ones > short_ones);
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
    if (victim.rival_streams && !victim.has_peer)
        return victim.gate_tried_better && gate_may_do(victim) ? Means::kGate : Means::kTimeslice;
    if (victim.command_ns == 0) return Means::kInterruptUnknown;
    return is_long(victim) ? Means::kInterrupt : Means::kGate;
}

ipc::Interrupt choose_interrupt(const Victim& victim, Means means, bool short_timeslice) {
    if (means < Means::kInterrupt) return ipc::Interrupt::kNone;
    // Somebody else's work must be there to take the device, and keep it.
    const bool presses = means == Means::kInterrupt || means == Means::kInterruptUnknown;
    return presses && short_timeslice && victim.rival_lingers ? ipc::Interrupt::kKeptOff : ipc::Interrupt::kTakenOff;
}

bool shortens_timeslice(const Victim& victim, Means usual) {
    return !victim.has_peer && usual >= Means::kTimeslice;
}

int64_t off_ns(uint32_t level, int64_t command_ns, const sched::Costs& costs) {
    if (level >= kPreemptLevelInterrupt) return kWakeNs + costs.off_ns() + kCallMarginNs;  // also a short one, where it is announced
    const int64_t running_ns = command_ns != 0 ? command_ns : kUnknownNs;
    return kWakeNs + running_ns + (level >= kPreemptLevelDeactivate ? kBetweenGatesNs : kInFlightNs);
}

uint32_t timeslice_us_of(unsigned rank, unsigned ranks) {
    if (rank == 0 || ranks < 2) return 0;
    rank = std::min(rank, ranks - 1);
    return 1U << (kTimesliceBits * (ranks - 1 - rank) / (ranks - 1));
}

}  // namespace xsched::dispatch
