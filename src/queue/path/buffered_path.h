// Commands whose completion is reported by tokens (numbers that the driver's callbacks return), and copies of commands
// that could not be launched at once: a worker launches them in order, on a thread that is made with the first of them
// and sleeps otherwise. In production only OpenCL's callback commands are buffered (HwCommandCreateCallback); the held
// path (held_path.h) uses the rest.
//
// Guarded by the queue's lock, which is held where a comment says so. Any thread.
#pragma once

#include "base/futex.h"
#include "base/hot.h"
#include "base/thread.h"
#include "queue/path/launch_path.h"
#include "queue/queue_core.h"
#include "queue/tokens.h"

namespace xsched::queue {

class BufferedPath final : public LaunchPath {
public:
    explicit BufferedPath(QueueCore& core) : core_(core) {}

    XSCHED_HOT void admit(XqTicket& ticket, CommandKind kind) override;
    void admit_callback(XqTicket& ticket) override { admit(ticket, CommandKind::kWork); }
    XSCHED_HOT void launched(XqTicket& ticket, uint32_t outcome) override;
    XSCHED_HOT uint64_t sync_begin() override;
    XSCHED_HOT void sync_end(uint64_t mark) override;
    void report_all() override;
    bool copies_in_pieces() override;
    // Returns the size of a piece. No rate is known here, so it is a size that every device copies in some hundred
    // microseconds.
    uint64_t copy_piece(XqCopyKind kind, uint64_t bytes) override;

    // --- lock held: life
    void begin();
    bool drained() const { return count_ == 0 && tokens_.out() == 0 && calls_ == 0; }
    void after_fork();

    // --- lock held: parts of an enqueue, for the held path too
    XSCHED_HOT void launch_here(XqTicket& ticket, XqStand own = 0);
    // Counts a command that was submitted already as launched on this thread, and fills in its ticket.
    void launch_submitted(XqTicket& ticket);
    // Reserves a place in the buffer.
    void reserve(XqTicket& ticket);
    // Returns whether the command passes at once: a command that this thread is launching has enqueued it.
    XSCHED_HOT bool passes() const;
    XSCHED_HOT XqToken make_token(XqTicket& ticket);
    void call_begins() { ++calls_; }
    // Notes that the driver's call returned. Returns whether the worker must be woken, because no report tells it of
    // this command's end.
    XSCHED_HOT bool call_returned(const XqTicket& ticket, bool succeeded);
    uint32_t calls() const { return calls_; }
    uint32_t count() const { return count_; }
    const Tokens& tokens() const { return tokens_; }

    // --- no lock held
    XSCHED_HOT void complete(uint32_t generation, uint32_t covers);
    // Buffers a command for which admit said kXqBuffer.
    void buffer(XqCommand* command);
    // Runs `command` on this thread in the worker's place: commands that it enqueues on this queue pass at once.
    XResult launch(XqCommand* command, XqToken token);
    void wake_worker();
    // Waits until nothing is buffered.
    void drain();

    // Removes all commands that the worker has not launched; they count as complete. Lock held.
    XqCommand* drop();
    // Returns whether the worker has something to do, and raises its word then; wake_worker follows without the lock.
    // Lock held.
    bool worker_is_wanted();

private:
    static void* worker_body(void* path);
    bool may_launch();
    void run_worker();
    bool start_worker();
    XqCommand* pop();

    QueueCore& core_;
    Tokens tokens_;
    uint32_t calls_ = 0;  // admitted commands whose driver call has not returned
    bool each_reports_ = true;
    XqCommand* first_ = nullptr;
    XqCommand* last_ = nullptr;
    uint32_t count_ = 0;  // commands admitted for the buffer and not launched yet
    bool bursting_ = false;  // the worker refills the window up to its limit
    bool worker_running_ = false;
    base::Thread worker_;
    base::FutexWord work_{0};
};

}  // namespace xsched::queue
