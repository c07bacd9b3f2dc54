// XQueue, the buffered path: commands that could not be launched at once on hardware without holds, and the worker
// that launches them in order. The worker is made with the first buffered command and sleeps otherwise.
#include "base/log.h"
#include "queue/token.h"
#include "queue/xqueue.h"

namespace xsched::queue {

void* worker_body(void* queue) {
    static_cast<XQueue*>(queue)->run_worker();
    return nullptr;
}

// Takes the command; its place was reserved by admit.
void XQueue::buffer(XqTicket& ticket, XqCommand* command) {
    static_cast<void>(ticket);
    command->next = nullptr;
    bool have_worker = false;
    {
        base::Lock lock(mutex_);
        (last_buffered_ != nullptr ? last_buffered_->next : first_buffered_) = command;
        last_buffered_ = command;
        have_worker = worker_running_ || start_worker();
        work_.fetch_add(1, std::memory_order_release);
    }
    if (have_worker) return base::futex_wake_all(work_);
    // No thread to be had: late is better than never. Runs here, once the queue may.
    bool done = false;
    while (!done) {
        wait_until([this] { return first_buffered_ == nullptr || worker_may_launch(); });
        run_worker();
        base::Lock lock(mutex_);
        done = first_buffered_ == nullptr;
    }
}

bool XQueue::start_worker() {
    worker_running_ = worker_.start("xsched-worker", worker_body, this);
    if (worker_running_) worker_.detach();
    else XLOG_WARN("no thread could be started for queue 0x%lx: its commands launch on their callers' threads",
                   static_cast<unsigned long>(handle()));
    return worker_running_;
}

// The window refills in bursts: from limit - batch or less up to limit. mutex_ held.
bool XQueue::worker_may_launch() {
    if (first_buffered_ == nullptr || (!open() && !retired_)) return bursting_ = false;
    const uint64_t in_flight = launched_ - completed_;
    const uint32_t most = limit();
    if (in_flight >= most) return bursting_ = false;
    if (in_flight == 0 || in_flight + window_.batch(most) <= most) bursting_ = true;
    return bursting_;
}

void XQueue::run_worker() {
    mutex_.lock();
    for (;;) {
        if (!worker_may_launch()) {
            if (!worker_running_) break;  // the borrowed thread of buffer()
            const uint32_t seen = work_.load(std::memory_order_acquire);
            const bool unreported = first_buffered_ != nullptr && tokens_out_ == 0;
            mutex_.unlock();
            if (unreported) track_tail();  // or no completion would wake this thread
            base::futex_wait(work_, seen);
            mutex_.lock();
            continue;
        }
        XqCommand* command = first_buffered_;
        first_buffered_ = command->next;
        if (first_buffered_ == nullptr) last_buffered_ = nullptr;
        command->index = launched_ + 1;
        note_launched(1);
        XqTicket ticket{};
        make_token(ticket);
        mutex_.unlock();
        const bool succeeded = launch_owned(command, ticket.token) == kXSchedSuccess;
        command->ops->destroy(command);
        mutex_.lock();
        --buffered_;  // only now may a caller's thread launch behind it
        if (ticket.token == 0) succeeded ? static_cast<void>(++untracked_returned_) : note_completed(1);
        if (buffered_ == 0) wake_waiters();
        if (retired_ && buffered_ == 0) {
            mutex_.unlock();
            finish_if_drained();
            mutex_.lock();
        }
    }
    mutex_.unlock();
}

}  // namespace xsched::queue
