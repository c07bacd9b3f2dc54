#include "queue/path/progress_reports.h"

namespace xsched::queue {

bool ProgressReports::next(uint64_t submitted, uint64_t* value) {
    if (enqueued(submitted) < asked_) owed_.store(true, std::memory_order_seq_cst);
    *value = enqueued(submitted);  // read again, because the last call may have returned before it could see owed_
    if (*value >= asked_) owed_.store(false, std::memory_order_relaxed);
    if (*value <= written_) return false;
    written_ = *value;
    overlapped_ = overlapped_ || writes_out_ > 0;
    ++writes_out_;
    return true;
}

bool ProgressReports::wrote(bool succeeded, uint64_t completed) {
    --writes_out_;
    if (!succeeded) asked_ = std::min(asked_, completed);
    // If two writes of progress overlapped, the smaller number may have come last. So the number is written once
    // more.
    const bool again = succeeded && overlapped_ && writes_out_ == 0;
    if (writes_out_ == 0) overlapped_ = false;
    if (!succeeded || again) written_ = std::min(written_, completed);
    return again;
}

}  // namespace xsched::queue
