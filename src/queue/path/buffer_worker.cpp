// BufferedPath, its buffer and the worker.
#include <utility>

#include "base/log.h"
#include "queue/path/buffered_path.h"

namespace xsched::queue {

void* BufferedPath::worker_body(void* path) {
    static_cast<BufferedPath*>(path)->run_worker();
    return nullptr;
}

// Buffers a command whose place admit has reserved.
void BufferedPath::buffer(XqCommand* command) {
    command->next = nullptr;
    bool have_worker = false;
    {
        base::Lock lock(core_.mutex);
        (last_ != nullptr ? last_->next : first_) = command;
        last_ = command;
        have_worker = worker_running_ || start_worker();
        work_.fetch_add(1, std::memory_order_release);
    }
    if (have_worker) return wake_worker();
    // No worker thread could be started, so the command is launched here, once the queue may run: late, but not lost.
    bool done = false;
    while (!done) {
        core_.wait_until([this] { return first_ == nullptr || may_launch(); });
        run_worker();
        base::Lock lock(core_.mutex);
        done = first_ == nullptr;
    }
}

void BufferedPath::wake_worker() { base::futex_wake_all(work_); }

bool BufferedPath::start_worker() {
    worker_running_ = worker_.start("xsched-worker", worker_body, this);
    if (worker_running_)
        worker_.detach();
    else
        XLOG_WARN("no thread could be started for queue 0x%lx: its commands launch on their callers' threads",
                  static_cast<unsigned long>(core_.handle));
    return worker_running_;
}

// Returns whether the worker has work; also when no report will come, because the worker then asks for one.
bool BufferedPath::worker_is_wanted() {
    if (first_ == nullptr || (!may_launch() && tokens_.out() != 0)) return false;
    work_.fetch_add(1, std::memory_order_release);
    if (!worker_running_) core_.waiters.wake();
    return true;
}

XqCommand* BufferedPath::drop() {
    XqCommand* const dropped = std::exchange(first_, nullptr);
    last_ = nullptr;
    uint32_t commands = 0;
    for (const XqCommand* command = dropped; command != nullptr; command = command->next) ++commands;
    count_ -= commands;
    core_.note_launched(commands);
    if (commands > 0) core_.note_completed(commands);
    return dropped;
}

// Returns whether to launch now. The window refills in bursts: from limit - batch or less up to limit. Lock held.
bool BufferedPath::may_launch() {
    if (first_ == nullptr || (!core_.open() && !core_.retired)) return bursting_ = false;
    const uint64_t in_flight = core_.in_flight();
    const uint32_t most = core_.limit();
    if (in_flight >= most) return bursting_ = false;
    if (in_flight == 0 || in_flight + core_.window.batch(most) <= most) bursting_ = true;
    return bursting_;
}

// Takes out the first command, which counts as launched from now on, and returns it. There must be one. Lock held.
XqCommand* BufferedPath::pop() {
    XqCommand* const command = first_;
    first_ = command->next;
    if (first_ == nullptr) last_ = nullptr;
    command->index = core_.launched + 1;
    core_.note_launched(1);
    return command;
}

void BufferedPath::run_worker() {
    core_.mutex.lock();
    for (;;) {
        if (!may_launch()) {
            if (!worker_running_) break;  // the caller of buffer() acts as the worker
            const uint32_t seen = work_.load(std::memory_order_acquire);
            const bool unreported = first_ != nullptr && tokens_.out() == 0;
            core_.mutex.unlock();
            if (unreported) report_all();  // otherwise no completion would wake this thread
            base::futex_wait(work_, seen);
            core_.mutex.lock();
            continue;
        }
        XqCommand* const command = pop();
        XqTicket ticket{};
        make_token(ticket);
        core_.mutex.unlock();
        const bool succeeded = launch(command, ticket.token) == kXSchedSuccess;
        command->ops->destroy(command);
        core_.mutex.lock();
        --count_;  // only from now on may a caller's thread launch behind it
        if (ticket.token == 0) succeeded ? tokens_.returned_without() : core_.note_completed(1);
        if (!succeeded && core_.standing.any()) core_.forget_stands();
        if (count_ == 0) core_.waiters.wake();
        if (core_.retired && count_ == 0) {
            core_.mutex.unlock();
            core_.owner.finish_if_drained();
            core_.mutex.lock();
        }
    }
    core_.mutex.unlock();
}

}  // namespace xsched::queue
