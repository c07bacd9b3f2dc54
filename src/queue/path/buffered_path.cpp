// BufferedPath, commands that the caller's own thread launches, and their tokens.
#include "queue/path/buffered_path.h"

#include <algorithm>

#include "base/clock.h"
#include "base/options.h"
#include "queue/path/copy_rates.h"

namespace xsched::queue {
namespace {

// Short commands are tracked a few at a time, about one in this much device time.
constexpr int64_t kTrackEveryNs = 50 * base::kMicrosecond;  // judgement

// The queue whose buffered command this thread is launching: commands that it enqueues there pass at once.
[[gnu::tls_model("initial-exec")]] thread_local const QueueCore* t_launching = nullptr;

}  // namespace

// Resets the path for a new queue. Every command reports its own completion if a later completion does not prove the
// earlier ones, or if a hold may stand between two commands; otherwise marks among them report.
void BufferedPath::begin() {
    const XqDeviceOps& ops = *core_.setup.ops;
    tokens_ = Tokens{};
    calls_ = 0;
    bursting_ = false;
    each_reports_ = ops.hold != nullptr || ops.order != kXqInOrder || ops.mark == nullptr;
}

void BufferedPath::after_fork() {
    worker_running_ = false;
    calls_ = 0;
}

bool BufferedPath::passes() const { return t_launching == &core_; }

// Returns a token if the command must report itself. While the queue is followed every command does; otherwise enough
// to keep the window and the meter informed.
XqToken BufferedPath::make_token(XqTicket& ticket) {
    uint32_t stride = 1;
    const int64_t length = core_.meter.command_ns();
    if (!each_reports_ && length > 0 && !core_.published.watched())
        stride = static_cast<uint32_t>(std::clamp<int64_t>(kTrackEveryNs / length, 1, std::max(core_.limit() / 4, 1u)));
    const uint32_t covers = tokens_.next(stride, core_.setup.ops->order);
    if (covers == 0) return ticket.token = 0;
    ticket.covers = covers;
    return ticket.token = pack_token(core_.index, core_.generation, covers);
}

void BufferedPath::launch_here(XqTicket& ticket, XqStand own) {
    ticket.stand = core_.note_submitted(own);
    launch_submitted(ticket);
}

void BufferedPath::launch_submitted(XqTicket& ticket) {
    core_.note_launched(1);
    make_token(ticket);
    ++calls_;
    ticket.verdict = kXqLaunch;
}

void BufferedPath::admit(XqTicket& ticket, CommandKind) {
    ticket = XqTicket{};
    base::Lock lock(core_.mutex);
    if (core_.retired || passes() || (count_ == 0 && core_.open() && core_.in_flight() < core_.limit()))
        return launch_here(ticket);
    reserve(ticket);
}

void BufferedPath::reserve(XqTicket& ticket) {
    ticket.stand = core_.note_submitted();
    ++count_;
    ticket.verdict = kXqBuffer;
}

bool BufferedPath::call_returned(const XqTicket& ticket, bool succeeded) {
    --calls_;
    if (!succeeded) {
        if (ticket.token != 0) tokens_.take_back(ticket.covers);
        core_.note_refused(ticket.stand);
        return false;
    }
    if (ticket.stand != 0) [[unlikely]]
        core_.standing.given(ticket.stand);
    if (ticket.token != 0) return false;
    tokens_.returned_without();
    if (first_ == nullptr) return false;
    work_.fetch_add(1, std::memory_order_release);
    return true;
}

void BufferedPath::launched(XqTicket& ticket, uint32_t outcome) {
    const bool succeeded = (outcome & kXqSucceeded) != 0;
    core_.mutex.lock();
    const bool wake = call_returned(ticket, succeeded);
    if (!succeeded) ticket.token = 0;
    core_.waiters.wake();  // a thread that waits for it may have to ask, or to flush
    const bool retired = core_.retired;
    core_.mutex.unlock();
    if (wake) wake_worker();
    if (!succeeded) core_.owner.pump();
    if (retired) core_.owner.finish_if_drained();
}

void BufferedPath::complete(uint32_t generation, uint32_t covers) {
    core_.mutex.lock();
    if (generation != core_.generation || !core_.in_use || !tokens_.come_back()) return core_.mutex.unlock();
    core_.note_completed(covers);
    const bool retired = core_.retired;
    core_.mutex.unlock();
    core_.owner.pump();
    if (retired) core_.owner.finish_if_drained();
}

uint64_t BufferedPath::sync_begin() {
    base::Lock lock(core_.mutex);
    return tokens_.mark();
}

void BufferedPath::sync_end(uint64_t mark) {
    {
        base::Lock lock(core_.mutex);
        const uint32_t completed = tokens_.synchronized(mark);
        if (completed == 0) return;
        core_.note_completed(completed);
    }
    core_.owner.pump();
}

bool BufferedPath::copies_in_pieces() {
    base::Lock lock(core_.mutex);
    return core_.in_use && !core_.retired &&
           (core_.suspension.managed || core_.published.window_ns() > 0 || core_.published.suspended());
}

uint64_t BufferedPath::copy_piece(XqCopyKind kind, uint64_t bytes) {
    CopyRates usual;
    usual.begin(base::options().copy_piece);
    return usual.piece(kind, bytes);
}

void BufferedPath::report_all() {
    uint32_t generation = 0;
    uint32_t covers = 0;
    {
        base::Lock lock(core_.mutex);
        if (!core_.in_use || core_.retired) return;
        generation = core_.generation;
        covers = tokens_.next_behind_all();
    }
    if (covers == 0) return;
    const XqToken token = pack_token(core_.index, generation, covers);
    if (core_.setup.ops->mark(core_.setup.impl, token) != kXSchedSuccess) complete(generation, covers);
}

XResult BufferedPath::launch(XqCommand* command, XqToken token) {
    const QueueCore* const before = t_launching;
    t_launching = &core_;
    const XResult result = command->ops->launch(command, core_.setup.impl, token);
    t_launching = before;
    return result;
}

void BufferedPath::drain() {
    core_.wait_until([this] { return count_ == 0; });
}

}  // namespace xsched::queue
