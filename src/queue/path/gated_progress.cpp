// The part of GatedPath about progress: what the device reports, and the words in memory that it reports by.
#include <algorithm>

#include "base/clock.h"
#include "base/options.h"
#include "queue/path/gated_path.h"

namespace xsched::queue {
namespace {

constexpr int64_t kBindAgainNs = base::kSecond;  // pause before another try (judgement)
constexpr int64_t kWordsLentNs = 30 * base::kSecond;  // a destroyed stream keeps its words (safety)

}  // namespace

void GatedPath::begin() {
    bound_ = gates_ = observed_ = touched_ = short_ = false;
    bind_again_ns_ = 0;
    gated_until_ = 0;
    const XqGateOps* const gate = core_.setup.ops->gate;
    looks_ = gate != nullptr && gate->note_place != nullptr && gate->look != nullptr;
    stands_.forget();
    gate_behind_wait_ = false;
    spacing_.begin();
    splitter_ = nullptr;
    copies_.begin(base::options().copy_piece);
    reports_.begin();
    stuck_at_ = UINT64_MAX;
    waiting_ = inside_ = 0;
}

void GatedPath::after_fork() {
    splitter_ = nullptr;
    reports_.after_fork(core_.submitted);
    stands_.forget();
    waiting_ = inside_ = 0;
    words_lent_ = false;
}

// Leaves the words that the device writes when the slot moves. The agent's thread does so and never calls the driver,
// so only the progress that the words show now is taken over.
void GatedPath::leave_words() {
    absorb_words();
    core_.published.open_gate();
    forget_stands();
    bound_ = observed_ = false;
}

// Takes in that `completed` commands in all are complete: updates counts, lengths and copy rates. Lock held.
void GatedPath::note_progress(uint64_t completed, int64_t now_ns) {
    if (completed > core_.completed) leave_out_stands(completed, now_ns);
    if (!observed_ && completed > core_.completed) core_.meter.completed_unfollowed(now_ns);
    if (observed_ && completed > core_.completed) {
        const auto count = static_cast<uint32_t>(completed - core_.completed);
        const int64_t spent = core_.meter.completed(share_.of(count), now_ns);
        copies_.completed(core_.completed, completed, spent);
    }
    core_.completed = completed;
    observed_ = true;
    core_.published.completed(completed, core_.meter);
}

// Takes in the device's progress: from the word that it writes, or without gates from the backend's answer.
void GatedPath::absorb_progress() {
    ipc::QueueSlot& slot = core_.published.slot();
    uint32_t passed = slot.progress.load(std::memory_order_acquire);
    if (bound_ && !gates_ && core_.setup.ops->gate->read_progress(core_.setup.impl, &passed) == kXSchedSuccess)
        slot.progress.store(passed, std::memory_order_release);
    absorb_words();
}

// Takes in the number of completed commands that the slot shows.
void GatedPath::absorb_words() {
    const uint64_t done = ipc::completed_commands(core_.published.slot());
    if (done > core_.completed) note_progress(done, base::now_ns());
}

// Returns whether the backend has to be told where the queue's words are: it has not been told, or refused and may
// accept them now. Lock held.
bool GatedPath::must_bind() const { return !bound_ || (bind_again_ns_ != 0 && base::now_ns() >= bind_again_ns_); }

// Tells the backend where gate and progress are. No lock held.
void GatedPath::bind_words() {
    XqWords words{};
    {
        base::Lock lock(core_.mutex);
        ipc::QueueSlot& slot = core_.published.slot();
        slot.progress.store(static_cast<uint32_t>(core_.completed), std::memory_order_release);
        words.gate = reinterpret_cast<uint32_t*>(&slot.gate);
        words.progress = reinterpret_cast<uint32_t*>(&slot.progress);
        words.keep_alive = reinterpret_cast<uint32_t*>(&slot.keep_alive);
        touched_ = true;  // from here on: the backend may test what the stream can wait on
    }
    const XResult result = core_.setup.ops->gate->bind(core_.setup.impl, &words);
    const bool gates = result == kXSchedSuccess;
    base::Lock lock(core_.mutex);
    ipc::QueueSlot& slot = core_.published.slot();
    if (words.gate != reinterpret_cast<uint32_t*>(&slot.gate)) return;  // moved meanwhile: again
    bound_ = true;
    gates_ = gates;
    if (gates && core_.setup.ops->gate->cost != nullptr)
        spacing_.measured(core_.setup.ops->gate->cost(core_.setup.impl));
    bind_again_ns_ = result == kXSchedErrorNotAllowed ? base::now_ns() + kBindAgainNs : 0;
    observed_ = false;
    ++binding_;
    reports_.bound(core_.completed);
    slot.device_progress.store(1, std::memory_order_release);
    // some devices never have gates
    const bool lost = !gates && bind_again_ns_ == 0 && core_.setup.ops->gate->wait != nullptr;
    if (lost && core_.setup.level > kPreemptLevelBlock) core_.set_level(kPreemptLevelBlock);
    // Wakes the agent, which prepares the queue's keep-alive. It could not do so before the backend knew the words.
    ipc::Header& header = core_.published.header();
    if (core_.setup.ops->keep_alive != nullptr && header.keep_alive_wanted.load(std::memory_order_acquire) != 0)
        ipc::ring_directive(header);
}

void GatedPath::prepare_words() {
    {
        base::Lock lock(core_.mutex);
        if (!core_.in_use || core_.retired || bound_) return;
    }
    bind_words();
}

void GatedPath::lend_words(int64_t now_ns) {
    words_lent_ = has_gates();
    lent_ns_ = now_ns;
}

// Returns whether the slot's words may be used by another queue. A destroyed stream still does its work: it may wait at
// a gate, whose word must not be closed by another queue, and writes its last report. If there is no last report
// (refused, or lost with its context), the words are free after kWordsLentNs.
bool GatedPath::words_free() {
    if (!words_lent_) return true;
    const uint32_t passed = core_.published.slot().progress.load(std::memory_order_acquire);
    words_lent_ = passed != static_cast<uint32_t>(core_.submitted) && base::now_ns() - lent_ns_ < kWordsLentNs;
    return !words_lent_;
}

// Makes the device report the progress that was asked for. No lock held.
void GatedPath::write_progress() {
    const uint32_t generation = core_.generation;
    for (bool again = true; again;) {
        uint64_t value = 0;
        {
            base::Lock lock(core_.mutex);
            if (!core_.in_use || core_.retired || !bound_) return;
            if (!reports_.next(core_.submitted, &value)) return;
        }
        const XqDeviceOps& ops = *core_.setup.ops;
        const XResult result = ops.gate->write_progress(core_.setup.impl, static_cast<uint32_t>(value));
        base::Lock lock(core_.mutex);
        if (generation != core_.generation || !core_.in_use) return;
        again = reports_.wrote(result == kXSchedSuccess, core_.completed);
        if (gates_ && result == kXSchedSuccess) core_.published.unreported(value + 1);  // events tell by being asked
    }
}

// Lets the backend remember the position, in the vendor's queue, of everything launched so far, if the queue is
// followed. No lock held.
void GatedPath::note_place() {
    uint64_t value = 0;
    {
        base::Lock lock(core_.mutex);
        if (!core_.in_use || core_.retired || !followed()) return;
        value = reports_.enqueued(core_.submitted);
    }
    if (core_.setup.ops->gate->note_place(core_.setup.impl, static_cast<uint32_t>(value)) != kXSchedSuccess) return;
    base::Lock lock(core_.mutex);
    if (core_.in_use) core_.published.unreported(value + 1);
}

void GatedPath::look() {
    base::Lock lock(core_.mutex);
    if (!core_.in_use || core_.retired) return;
    // While the queue waits for its host or another device, progress is read here as well, so that the time of the
    // wait does not count as device time.
    if (bound_ && gates_ && stands_.any()) absorb_progress();
    if (!looks_) return;
    uint32_t complete = 0;
    uint32_t begun = 0;
    if (core_.setup.ops->gate->look(core_.setup.impl, &complete, &begun) != kXSchedSuccess) return;
    const uint64_t done = whole_count(complete);
    if (done > core_.completed && done <= core_.submitted) {
        const int64_t now = base::now_ns();
        note_progress(done, now);
        if (core_.submitted == core_.completed) return core_.published.ring_ready(false, now);
    }
    // If the last command has begun, its end is presumed after a while: the words in memory count commands that have
    // begun, so they never show that end.
    const bool last_runs = whole_count(begun) == core_.submitted && done < core_.submitted;
    if (last_runs && reports_.written() < core_.submitted) core_.published.unreported(core_.submitted);
}

// Completes a count modulo 2^32. Lock held.
uint64_t GatedPath::whole_count(uint32_t value) const {
    return core_.submitted - static_cast<uint32_t>(static_cast<uint32_t>(core_.submitted) - value);
}

void GatedPath::wait_begins() {
    base::Lock lock(core_.mutex);
    if (!core_.in_use) return;
    core_.published.inside(++inside_);
    if (core_.submitted == core_.completed || !core_.published.watched()) return;
    if (core_.published.presumed_idle(core_.submitted)) ipc::ring_doorbell(core_.published.header());
}

void GatedPath::wait_ended() {
    base::Lock lock(core_.mutex);
    if (core_.in_use && inside_ > 0) core_.published.inside(--inside_);
}

// Makes the device report everything submitted so far. Called by a thread that launches, or for a thread that waits.
void GatedPath::report_all() {
    for (;;) {
        {
            base::Lock lock(core_.mutex);
            if (!core_.in_use || core_.retired || (bound_ && reports_.written() == core_.submitted)) return;
            if (bound_) {
                reports_.ask(core_.submitted);
                break;
            }
        }
        bind_words();
    }
    write_progress();
}

void GatedPath::report_marker(XqAskLater later) {
    {
        base::Lock lock(core_.mutex);
        if (!core_.in_use || core_.retired || !bound_ || reports_.written() == core_.submitted) return;
        if (!core_.published.watched()) return;
        // A preemptible queue reports every few commands anyway, and no more urgent unit waits for this end. If a
        // thread of the program waits for the event, that thread reports the completion. So the marker needs no report
        // of its own.
        const bool makes_room =
            later == kXqCanAsk && deactivates() && core_.window.threshold() == 0 && core_.published.window_ns() > 0;
        if (makes_room &&
            core_.submitted - reports_.asked() < report_stride(gated_cap(), share_.mean(core_.meter.command_ns())))
            return;
        reports_.ask(core_.submitted);
    }
    write_progress();
}

uint64_t GatedPath::sync_begin() {
    base::Lock lock(core_.mutex);
    return reports_.enqueued(core_.submitted);
}

// Notes that every command up to `mark` is complete.
void GatedPath::sync_end(uint64_t mark) {
    base::Lock lock(core_.mutex);
    if (mark < core_.completed || mark > core_.submitted) return;
    const bool was_ready = core_.submitted != core_.published.slot().completed.load(std::memory_order_relaxed);
    if (mark == core_.completed && observed_ && !was_ready) return;  // nothing new
    const int64_t now = base::now_ns();
    note_progress(mark, now);
    if (was_ready && core_.submitted == core_.completed) core_.published.ring_ready(false, now);
}

}  // namespace xsched::queue
