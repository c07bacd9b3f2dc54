// Which progress a gated queue asks its device to report. A number is written only once every command up to it is in
// the driver's queue. Pure; guarded by the queue's lock, but for what says otherwise.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/hot.h"

namespace xsched::queue {

class ProgressReports {
public:
    // Begins a new queue without commands.
    void begin() {
        returned_.store(0, std::memory_order_relaxed);
        owed_.store(false, std::memory_order_relaxed);
        enqueued_ = asked_ = written_ = 0;
        writes_out_ = 0;
        overlapped_ = false;
    }
    // Notes that the device's word now says `completed`.
    void bound(uint64_t completed) { asked_ = written_ = completed; }
    // Starts again in a forked child, where no other thread is inside the driver.
    void after_fork(uint64_t submitted) {
        returned_.store(submitted, std::memory_order_relaxed);
        writes_out_ = 0;
    }

    // --- without the lock
    XSCHED_HOT void call_returned() { returned_.fetch_add(1, std::memory_order_seq_cst); }
    bool owed() const { return owed_.load(std::memory_order_seq_cst); }
    void owe() { owed_.store(true, std::memory_order_seq_cst); }

    // Returns up to which command all are certainly in the driver's queue: the count when last no driver call was under
    // way. A later command may still be missing there, whatever its number.
    XSCHED_HOT uint64_t enqueued(uint64_t submitted) {
        if (returned_.load(std::memory_order_seq_cst) == submitted) enqueued_ = submitted;
        return enqueued_;
    }

    void ask(uint64_t submitted) { asked_ = submitted; }
    uint64_t asked() const { return asked_; }
    uint64_t written() const { return written_; }
    // Returns whether no report is on its way to the driver.
    bool settled() const { return writes_out_ == 0; }

    // Stores in `value` the number to report behind all that is surely enqueued. Returns false if that says nothing
    // new; otherwise `wrote` follows. While other threads' calls are on their way, the number may be less than was
    // asked for: the last of these calls to return does the rest (owed).
    bool next(uint64_t submitted, uint64_t* value);
    // Notes whether the backend accepted the write of a progress number. After a refusal the next command tries
    // again. Returns whether to write once more.
    bool wrote(bool succeeded, uint64_t completed);

private:
    std::atomic<uint64_t> returned_{0};  // driver calls that have returned; the rest of submitted is on its way
    std::atomic<bool> owed_{false};  // a report asked for could not be written yet
    uint64_t enqueued_ = 0;
    uint64_t asked_ = 0;  // highest progress asked for
    uint64_t written_ = 0;  // highest progress written behind the commands
    uint32_t writes_out_ = 0;
    bool overlapped_ = false;  // two writes overlapped
};

}  // namespace xsched::queue
