#include "sim/program.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ipc/slot_hints.h"
#include "sim/server.h"

namespace xsched::sim {
namespace {

// How soon a caller without room tries again: soon while commands may complete, seldom while the gate is closed.
constexpr int64_t kLookNs = 20'000;
constexpr int64_t kLookClosedNs = 1'000'000;

}  // namespace

Program::Program(Agenda& agenda, Process& process, const Workload& workload, const ProgramSpec& spec,
                 Observer* observer, Random random)
    : agenda_(agenda),
      process_(process),
      spec_(spec),
      costs_(workload.costs),
      observer_(observer),
      random_(random),
      arrivals_(spec.arrival, random.branch(1)),
      warm_up_(workload.warm_up),
      part_(random.branch(2).unit()) {
    agenda.add(*this);
}

void Program::begin(Server* server, int64_t now_ns) {
    server_ = server;
    process_.open(*this, server, now_ns);
    if (server != nullptr) server->admit(process_, now_ns);
    marks_.assign(process_.queues().size(), 0);
    start(now_ns);
}

// Begins to use the device once its memory is there.
void Program::start(int64_t now_ns) {
    step_ = Step::kStart;
    if (!has_allocated(spec_.memory, now_ns)) return;
    if (streams()) {
        step_ = Step::kLaunch;
        return launch(now_ns);
    }
    if (!spec_.cold || replays()) return rest(now_ns);
    burst_began_ns_ = now_ns;
    begin_burst(now_ns);
}

void Program::wake(int64_t now_ns) {
    ++events_;
    switch (step_) {
        case Step::kStart: return over(now_ns) ? end(now_ns) : start(now_ns);
        case Step::kAllocate: return allocate_for_burst(now_ns);
        case Step::kRest: return over(now_ns) ? rest(now_ns) : begin_burst(now_ns);
        case Step::kLaunch: return launch(now_ns);
        case Step::kReturn: return returned(now_ns);
        default: return;
    }
}

// Returns whether the memory is there. Otherwise the program waits for it, or has ended without.
bool Program::has_allocated(uint64_t bytes, int64_t now_ns) {
    if (bytes == 0) return true;
    switch (process_.memory().allocate(bytes, now_ns)) {
        case ProcessMemory::Got::kAll: return true;
        case ProcessMemory::Got::kWaits: waits_for_memory_ = true; return false;
        default: end(now_ns); return false;
    }
}

void Program::end(int64_t now_ns) {
    step_ = Step::kEnded;
    process_.memory().release_all(now_ns);
    if (server_ != nullptr) server_->expel(process_.id(), now_ns);
}

int64_t Program::next_burst_ns(int64_t now_ns) {
    if (!replays()) return arrivals_.next_ns(now_ns);
    return replayed_ < spec_.replay.size() ? now_ns + spec_.replay[replayed_].gap_ns : INT64_MAX;
}

void Program::rest(int64_t now_ns) {
    const int64_t at_ns = next_burst_ns(now_ns);
    if (at_ns >= spec_.end_ns || over(now_ns)) return end(now_ns);
    step_ = Step::kRest;
    burst_began_ns_ = at_ns;
    if (spec_.arrival.announce_ns > 0) announce(at_ns, now_ns);
    agenda_.set(*this, std::max(at_ns, now_ns));
}

// Announces the burst, unless its time is past. The scheduler keeps announcements until they come true.
void Program::announce(int64_t at_ns, int64_t now_ns) {
    if (server_ == nullptr || at_ns <= now_ns) return;
    for (const auto& queue : process_.queues()) ipc::store_hint(queue->slot(), base::HintId::expect_ns, at_ns);
    server_->ring(process_.id(), now_ns);
}

void Program::begin_burst(int64_t now_ns) {
    burst_waits_ = 1;
    burst_kernel_ns_ = pause_ns_ = 0;
    if (!replays() && burst().length_ns.most > 0)
        divide_burst();
    else
        burst_kernels_ = replays() ? spec_.replay[replayed_++].kernels : random_.in(burst().kernels);
    burst_launched_ = 0;
    if (spec_.arrival.kind == ArrivalKind::kClosed) burst_began_ns_ = now_ns;
    allocate_for_burst(now_ns);
}

// Chooses the burst's length, and divides it. Multiples of the golden ratio spread evenly, so that already few bursts
// have the p99 that is asked for.
void Program::divide_burst() {
    part_ = std::fmod(part_ + std::numbers::phi, 1.0);
    burst_kernels_ = std::max<int64_t>(burst().kernels.at(part_), 1);
    burst_waits_ = std::clamp<int64_t>(burst().waits.at(part_), 1, burst_kernels_);
    const int64_t pauses_ns = burst_waits_ > 1 ? burst().pauses_ns.at(part_) : 0;
    const int64_t calls_ns = burst_waits_ * (costs_.launch_us + costs_.start_us + costs_.sync_us);
    pause_ns_ = burst_waits_ > 1 ? pauses_ns / (burst_waits_ - 1) : 0;
    const int64_t work_ns = burst().length_ns.at(part_) - pauses_ns - calls_ns;
    burst_kernel_ns_ = std::max<int64_t>(work_ns / burst_kernels_, 1);
}

void Program::allocate_for_burst(int64_t now_ns) {
    step_ = Step::kAllocate;
    if (!has_allocated(spec_.burst_memory, now_ns)) return;
    step_ = Step::kLaunch;
    launch(now_ns);
}

void Program::launch(int64_t now_ns) {
    if (process_.memory().keeps_off()) {
        waits_for_memory_ = true;
        blocked_ = false;  // it waits for its memory, and launches when that is back
        return;
    }
    if (!blocked_) kernel_ns_ = next_kernel_ns();
    QueueModel& queue = *process_.queues()[next_queue_];
    if (results_.launched == results_.kernels && !blocked_) progress_ns_ = works_since_ns_ = now_ns;
    const int64_t host_ns = queue.launch(kernel_ns_, blocked_, now_ns);
    if (host_ns == QueueModel::kWait) {
        blocked_ = true;
        return agenda_.set(*this, now_ns + (queue.closed() ? kLookClosedNs : kLookNs));
    }
    blocked_ = false;
    launched(host_ns, now_ns);
}

int64_t Program::next_kernel_ns() {
    if (burst_kernel_ns_ != 0) return burst_kernel_ns_;
    return replays() ? spec_.replay[replayed_ - 1].kernel_ns : random_.in(burst().kernel_ns);
}

// Returns whether the program waits after the launch that it has just made.
bool Program::waits_now() const {
    if (burst_launched_ == burst_kernels_) return true;
    if (burst().sync_every > 0) return burst_launched_ % burst().sync_every == 0;
    return burst_launched_ * burst_waits_ / burst_kernels_ > (burst_launched_ - 1) * burst_waits_ / burst_kernels_;
}

void Program::launched(int64_t host_ns, int64_t now_ns) {
    QueueModel& queue = *process_.queues()[next_queue_];
    ++results_.launched;
    ++burst_launched_;
    const int64_t next_ns = now_ns + host_ns + random_.in(burst().gap_ns);
    if (streams()) {
        ahead_.push_back({next_queue_, queue.submitted()});
    } else {
        marks_[next_queue_] = queue.submitted();
    }
    next_queue_ = next_queue_ + 1 < process_.queues().size() ? next_queue_ + 1 : 0;
    const bool full = streams() && ahead_.size() >= spec_.depth;
    const bool syncs = !streams() && waits_now();
    step_ = full || syncs ? Step::kSync : Step::kLaunch;
    if (full) marks_[ahead_.front().queue] = ahead_.front().mark;
    if (step_ == Step::kSync && next_ns == now_ns) return begin_sync(now_ns);
    if (step_ == Step::kSync) step_ = Step::kReturn;  // after the host's part of the work
    agenda_.set(*this, next_ns);
}

void Program::begin_sync(int64_t now_ns) {
    step_ = Step::kSync;
    if (sync_done()) {
        step_ = Step::kReturn;
        return returned(now_ns);
    }
    for (size_t at = 0; at < marks_.size(); ++at)
        if (marks_[at] != 0) process_.queues()[at]->sync_begin(now_ns);
}

bool Program::sync_done() const {
    for (size_t at = 0; at < marks_.size(); ++at)
        if (marks_[at] != 0 && !process_.queues()[at]->is_complete(marks_[at])) return false;
    return true;
}

void Program::completed(int64_t now_ns) {
    ++results_.kernels;
    results_.longest_wait_ns = std::max(results_.longest_wait_ns, now_ns - progress_ns_);
    progress_ns_ = now_ns;
    if (step_ != Step::kSync || !sync_done()) return;
    step_ = Step::kReturn;
    agenda_.set(*this, now_ns + costs_.sync_us);
}

// Continues the program at the point at which the host checks whether its commands are complete.
void Program::returned(int64_t now_ns) {
    for (const auto& queue : process_.queues()) queue->end_hold(now_ns);
    if (!sync_done()) return begin_sync(now_ns);
    for (size_t at = 0; at < marks_.size(); ++at) {
        if (marks_[at] != 0) process_.queues()[at]->sync_end(marks_[at], now_ns);
        marks_[at] = 0;
    }
    if (streams()) {
        ahead_.pop_front();
        step_ = Step::kLaunch;
        if (!over(now_ns)) return launch(now_ns);
        if (ahead_.empty()) return end(now_ns);
        step_ = Step::kSync;
        marks_[ahead_.front().queue] = ahead_.front().mark;
        return begin_sync(now_ns);
    }
    if (burst_launched_ < burst_kernels_) {
        step_ = Step::kLaunch;
        return pause_ns_ > 0 ? agenda_.set(*this, now_ns + pause_ns_) : launch(now_ns);
    }
    end_burst(now_ns);
}

void Program::end_burst(int64_t now_ns) {
    if (++results_.bursts > warm_up_) results_.latency_ns.push_back(now_ns - burst_began_ns_);
    if (observer_ != nullptr) observer_->on_burst(process_.number(), burst_began_ns_, now_ns);
    process_.memory().release(spec_.burst_memory, now_ns);
    rest(now_ns);
}

void Program::memory_changed(int64_t now_ns) {
    if (waits_for_memory_) agenda_.set(*this, now_ns);
    waits_for_memory_ = false;
}

void Program::directed(int64_t now_ns) {
    if (blocked_ && !waits_for_memory_) agenda_.set_earlier(*this, now_ns + costs_.agent_us);
}

}  // namespace xsched::sim
