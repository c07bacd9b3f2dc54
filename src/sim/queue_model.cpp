#include "sim/queue_model.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "ipc/slot_hints.h"
#include "xsched/types.h"

namespace xsched::sim {
namespace {

// Constants of the real queue's paths, with the same values as in queue/path/gate_spacing.h and
// queue/path/window.cpp.
constexpr uint32_t kGatedCap = 512;
constexpr int64_t kGateEveryNs = 150 * base::kMicrosecond;
constexpr int64_t kGateEveryPreemptedNs = 750 * base::kMicrosecond;
constexpr int64_t kReportEveryNs = base::kMillisecond;
constexpr uint32_t kMostApart = 64;
constexpr uint32_t kUnknownWindow = 4;
constexpr uint32_t kMostInWindow = 1024;

uint32_t one_of(int64_t wanted_ns, int64_t command_ns, uint32_t most) {
    if (command_ns <= 0) return std::min(most, 4U);
    return static_cast<uint32_t>(std::clamp<int64_t>(wanted_ns / command_ns, 1, most));
}

template <typename T>
void put(std::atomic<T>& field, T value) {
    field.store(value, std::memory_order_relaxed);
}

uint32_t microseconds(int64_t ns) { return static_cast<uint32_t>(ns / base::kMicrosecond); }

}  // namespace

void QueueModel::publish(ipc::Region& region, uint32_t index, const QueueSetup& setup, RingTold* server,
                         int64_t now_ns) {
    slot_ = &region.slots[index];
    header_ = &region.header;
    server_ = server;
    stream_.slot = slot_;
    silent_waits_ = setup.silent_waits;
    copies_percent_ = setup.copies;
    if (silent_waits_) put(slot_->unreported, uint64_t{1});
    put(slot_->platform, static_cast<uint32_t>(kPlatformCUDA));
    put(slot_->handle, setup.handle);
    put(slot_->device, setup.device);
    put(slot_->levels, (2U << setup.level) - 2);
    put(slot_->level, setup.level);
    // As in a process: without level 3 only a context that is shared with others has a timeslice that can be set.
    put(slot_->switch_us, setup.level >= kPreemptLevelInterrupt ? microseconds(costs_.switch_us) : 0U);
    put(slot_->off_us, microseconds(costs_.declared_off_us));
    put(slot_->most_off_us, microseconds(costs_.declared_most_off_us));
    put(slot_->effect_us, microseconds(costs_.declared_effect_us));
    put(slot_->interrupt_us, microseconds(costs_.declared_interrupt_us));
    ipc::store_hints(*slot_, setup.hints);
    put(slot_->idle_since_ns, now_ns);
    put(slot_->device_progress, 1U);
    put(slot_->gate, ipc::kGateOpen);
    put(slot_->state, static_cast<uint32_t>(ipc::SlotState::kUsed));
    put(region.header.slot_end, std::max(region.header.slot_end.load(std::memory_order_relaxed), index + 1));
    context_.streams.push_back(&stream_);
}

bool QueueModel::followed() const {
    return server_ != nullptr && (closed() || slot_->window_ns.load(std::memory_order_relaxed) > 0 ||
                                  header_->watching.load(std::memory_order_relaxed) != 0);
}

uint32_t QueueModel::most_in_flight(bool closed) const {
    const int64_t window_ns = slot_->window_ns.load(std::memory_order_relaxed);
    if (!closed && window_ns == 0) return UINT32_MAX;
    if (slot_->level.load(std::memory_order_relaxed) >= kPreemptLevelDeactivate) return kGatedCap;
    if (window_ns == 0) return XQUEUE_LAUNCH_THRESHOLD_DEFAULT;
    if (meter_.command_ns() == 0) return kUnknownWindow;
    return static_cast<uint32_t>(std::clamp<int64_t>(window_ns / meter_.command_ns(), 1, kMostInWindow));
}

int64_t QueueModel::gate_every_ns() const {
    const bool preempted = ipc::is_short_timeslice(slot_->device_timeslice_us.load(std::memory_order_relaxed));
    const int64_t wished_ns = slot_->gates_apart_us.load(std::memory_order_relaxed) * base::kMicrosecond;
    return std::max(preempted ? kGateEveryPreemptedNs : kGateEveryNs, wished_ns);
}

// Does the same as GatedPath::run_on_ns and HardwareStop.
void QueueModel::follow_stop(bool taken_off, int64_t now_ns) {
    const uint32_t gates = std::min<uint32_t>(slot_->level.load(std::memory_order_relaxed), kPreemptLevelDeactivate);
    const int64_t in_flight_ns = static_cast<int64_t>(submitted_ - completed_) * meter_.command_ns();
    const int64_t to_gate_ns = std::max(meter_.command_ns(), gate_every_ns()) / 2;
    meter_.follow({.level = taken_off     ? static_cast<uint32_t>(kPreemptLevelInterrupt)
                            : suspended() ? gates
                                          : 0,
                   .directed_ns = slot_->directed_ns.load(std::memory_order_relaxed),
                   .run_on_ns = gates >= kPreemptLevelDeactivate ? std::min(in_flight_ns, to_gate_ns) : in_flight_ns,
                   .switch_ns = costs_.switch_us,
                   .runs = observed_ && submitted_ != completed_},
                  now_ns);
}

bool QueueModel::gate_due(bool closed) {
    const bool deactivates = slot_->level.load(std::memory_order_relaxed) >= kPreemptLevelDeactivate;
    if (closed) {
        const int64_t since_ns = slot_->directed_ns.load(std::memory_order_relaxed);
        if (std::exchange(gated_ns_, since_ns) != since_ns) return true;
    }
    if (!deactivates || (!closed && slot_->window_ns.load(std::memory_order_relaxed) == 0)) return false;
    return since_gate_ + 1 >= one_of(gate_every_ns(), meter_.command_ns(), kMostApart);
}

QueueModel::Plan QueueModel::decide(bool retry, bool closed, int64_t now_ns) {
    Plan plan;
    const uint32_t most = most_in_flight(closed);
    const uint32_t stride = one_of(kReportEveryNs, meter_.command_ns(), std::clamp<uint32_t>(most / 4, 1, kMostApart));
    plan.report = submitted_ + 1 - asked_ >= stride;
    const bool all_asked = asked_ == submitted_;
    if (plan.report || retry || all_asked || submitted_ - completed_ >= most) absorb_progress(now_ns);
    plan.wait = submitted_ - completed_ >= most;
    if (!plan.wait) plan.gate = gate_due(closed);
    return plan;
}

int64_t QueueModel::launch(int64_t length_ns, bool retry, int64_t now_ns) {
    int64_t host_ns = costs_.launch_us;
    Command command{.left_ns = length_ns, .whole_ns = length_ns, .number = static_cast<uint32_t>(submitted_ + 1)};
    if (followed()) {
        const Plan plan = decide(retry, closed(), now_ns);
        if (plan.wait) {
            announce_waiting(now_ns);
            report_all(now_ns);
            return kWait;
        }
        host_ns += costs_.followed_us + (plan.gate ? costs_.gate_host_us : 0) + (plan.report ? costs_.gate_host_us : 0);
        command.left_ns += (plan.gate ? costs_.gate_device_us : 0) + (plan.report ? costs_.gate_device_us : 0);
        command.gate = plan.gate;
        command.report = plan.report;
        command.followed = true;
        since_gate_ = plan.gate ? 0 : since_gate_ + 1;
        if (plan.report) asked_ = submitted_ + 1;
        if (plan.report && silent_waits_) put(slot_->unreported, submitted_ + 2);
        const bool presumed_idle = slot_->presumed.load(std::memory_order_relaxed) == static_cast<uint32_t>(submitted_);
        const bool idle = (observed_ && submitted_ == completed_) || (silent_waits_ && presumed_idle);
        put(slot_->submitted, ++submitted_);
        if (std::exchange(waiting_, false)) put(slot_->waiting, 0U);
        if (idle || (!observed_ && (plan.report || plan.gate))) {
            meter_.flight_began(now_ns);
            ring_ready(submitted_ != completed_, now_ns);
        }
    } else {
        observed_ = false;
        if (submitted_ == completed_) meter_.flight_began(now_ns);
        put(slot_->submitted, ++submitted_);
    }
    put(slot_->launched, submitted_);
    if (copies_percent_ != 0) put(slot_->copies, submitted_ * copies_percent_ / 100);
    command.ready_ns = now_ns + host_ns + costs_.start_us;
    if (const int64_t behind_ns = std::exchange(held_behind_ns_, 0); behind_ns != 0 && now_ns < context_.held_until_ns)
        hold_through(command.ready_ns + behind_ns, now_ns);
    if (std::exchange(held_, false)) device_.end_hold(stream_, command.ready_ns, now_ns);
    stream_.commands.push(command);
    was_closed_ = was_closed_ || closed();
    device_.came(context_, now_ns);
    return host_ns;
}

// Reports work for a caller that waits, even if none of the queue's work is in flight.
void QueueModel::announce_waiting(int64_t now_ns) {
    if (std::exchange(waiting_, true)) return;
    put(slot_->waiting, 1U);
    if (submitted_ == completed_) put(slot_->ready_since_ns, now_ns);
    server_->ring(header_->client_id, now_ns);
}

void QueueModel::ring_ready(bool ready, int64_t now_ns) {
    put(ready ? slot_->ready_since_ns : slot_->idle_since_ns, now_ns);
    if (header_->watching.load(std::memory_order_relaxed) != 0) server_->ring(header_->client_id, now_ns);
}

void QueueModel::note_progress(uint64_t completed, int64_t now_ns) {
    if (completed > completed_) meter_.completed(static_cast<uint32_t>(completed - completed_), observed_, now_ns);
    completed_ = completed;
    observed_ = true;
    put(slot_->command_ns, meter_.command_ns());
    put(slot_->busy_ns, meter_.busy_ns());
    put(slot_->completed, completed);
}

void QueueModel::absorb_progress(int64_t now_ns) {
    const uint64_t done = ipc::completed_commands(*slot_);
    if (done > completed_) note_progress(done, now_ns);
}

void QueueModel::write_progress(uint64_t number) { put(slot_->progress, static_cast<uint32_t>(number)); }

// Asks the device to report when everything launched so far is complete: one report behind the last command.
void QueueModel::report_all(int64_t /*now_ns*/) {
    if (asked_ == submitted_) return;
    asked_ = submitted_;
    if (silent_waits_) put(slot_->unreported, submitted_ + 1);
    if (done_ == submitted_)
        write_progress(done_);
    else if (!stream_.commands.back().hold)
        stream_.commands.back().report = true;
}

void QueueModel::report_if_asked(int64_t now_ns) {
    const uint32_t ask = slot_->ask.load(std::memory_order_relaxed);
    if (std::exchange(ask_seen_, ask) != ask && !silent_waits_) report_all(now_ns);
}

void QueueModel::hold_if_asked(int64_t now_ns) {
    const uint32_t warm = slot_->warm.load(std::memory_order_relaxed);
    if (std::exchange(warm_seen_, warm) == warm || header_->keeps_alive.load(std::memory_order_relaxed) == 0) return;
    const int64_t hold_ns = slot_->warm_us.load(std::memory_order_relaxed) * base::kMicrosecond;
    const int64_t behind_ns = slot_->warm_behind_us.load(std::memory_order_relaxed) * base::kMicrosecond;
    const bool to_end = slot_->warm_to_end.load(std::memory_order_relaxed) != 0;
    if (to_end || (behind_ns != 0 && done_ == submitted_)) {
        held_behind_ns_ = to_end ? 0 : behind_ns;
        ends_with_wait_ = to_end;
        device_.hold(context_, now_ns + costs_.errand_us, now_ns + hold_ns, now_ns);
        return put(slot_->holds_until_ns, now_ns + hold_ns);
    }
    if (hold_ns == 0 || done_ != submitted_ || !stream_.commands.empty()) return;
    held_ = true;
    const int64_t ready_ns = now_ns + costs_.errand_us;
    stream_.commands.push({.left_ns = hold_ns, .ready_ns = ready_ns, .number = ++hold_number_, .hold = true});
    device_.look(now_ns);
}

void QueueModel::hold_through(int64_t until_ns, int64_t now_ns) {
    device_.hold(context_, context_.held_from_ns, until_ns, now_ns);
    put(slot_->holds_until_ns, until_ns);
}

void QueueModel::note_gate(int64_t now_ns) {
    const bool closed_now = closed();
    const bool opened = std::exchange(was_closed_, closed_now) && !closed_now;
    if (!opened || stream_.commands.empty() || !stream_.commands.front().gate) return;
    stream_.commands.front().ready_ns = std::max(stream_.commands.front().ready_ns, now_ns + costs_.gate_open_us);
}

void QueueModel::completed_on_device(const Command& command, int64_t now_ns) {
    ++done_;
    meter_.ran(command.whole_ns, command.followed);
    if (command.report) write_progress(done_);
    program_.completed(now_ns);
}

// Notes that a wait begins. If other programs may be on their way off the device for this process, it keeps the device
// through the pause that begins now.
void QueueModel::sync_begin(int64_t now_ns) {
    if (server_ == nullptr || header_->keeps_alive.load(std::memory_order_relaxed) == 0) return;
    header_->keep_alive_synchronizes.fetch_add(1, std::memory_order_relaxed);
    int64_t most_ns = header_->keep_alive_always_us.load(std::memory_order_relaxed) * base::kMicrosecond;
    if (now_ns < header_->keep_alive_until_ns.load(std::memory_order_relaxed))
        most_ns = std::max(most_ns, costs_.keep_alive_most_us);
    if (most_ns == 0 || context_.held(now_ns)) return;
    if (done_ == submitted_ || stream_.commands.back().hold) return;
    held_ = true;
    stream_.commands.push(
        {.left_ns = most_ns + costs_.keep_alive_us, .ready_ns = now_ns, .number = ++hold_number_, .hold = true});
}

void QueueModel::end_hold(int64_t now_ns) {
    if (std::exchange(ends_with_wait_, false) && now_ns < context_.held_until_ns) device_.hold(context_, 0, 0, now_ns);
}

void QueueModel::sync_end(uint64_t mark, int64_t now_ns) {
    if (server_ == nullptr || silent_waits_ || mark < completed_ || mark > submitted_) return;
    const bool was_ready = submitted_ != slot_->completed.load(std::memory_order_relaxed);
    note_progress(mark, now_ns);
    if (was_ready && submitted_ == completed_) ring_ready(false, now_ns);
}

}  // namespace xsched::sim
