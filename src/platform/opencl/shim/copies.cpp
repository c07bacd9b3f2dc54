#include "platform/opencl/shim/copies.h"

#include <sched.h>

#include <cerrno>
#include <utility>

#include "base/clock.h"

namespace xsched::opencl {
namespace {

// How long to wait for other threads to leave their calls before a copy is split.
constexpr int64_t kPatienceNs = 500 * base::kMicrosecond;

template <typename T>
bool ask_buffer(cl_mem buffer, cl_mem_info what, T* answer) {
    return below<kEntry_clGetMemObjectInfo>()(buffer, what, sizeof *answer, answer, nullptr) == CL_SUCCESS;
}

// Returns whether the whole range lies within its buffer, and the buffer is no part of another one.
bool lies_within(const Range& range) {
    size_t bytes = 0;
    cl_mem_object_type type = 0;
    return range.buffer != nullptr && ask_buffer(range.buffer, CL_MEM_TYPE, &type) && type == CL_MEM_OBJECT_BUFFER &&
           ask_buffer(range.buffer, CL_MEM_SIZE, &bytes) && range.offset <= bytes &&
           range.bytes <= bytes - range.offset;
}

bool is_part(cl_mem buffer) {
    cl_mem whole = nullptr;
    return !ask_buffer(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, &whole) || whole != nullptr;
}

bool goes_in_order(cl_command_queue queue, bool event_wanted) {
    cl_command_queue_properties flags = 0;
    if (below<kEntry_clGetCommandQueueInfo>()(queue, CL_QUEUE_PROPERTIES, sizeof flags, &flags, nullptr) != CL_SUCCESS)
        return false;
    if ((flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) return false;
    return !event_wanted || (flags & CL_QUEUE_PROFILING_ENABLE) == 0;
}

}  // namespace

bool Split::begin(const Range& one, const Range& other) {
    const int saved = errno;
    xqueue_ = xqueue_of(queue_);
    bytes_ = xqueue_ != nullptr && xq_copies_in_pieces(xqueue_) ? xq_copy_piece(xqueue_, kXqOfBuffers, one.bytes) : 0;
    begun_ = bytes_ != 0 && (events_.count == 0) == (events_.wait_list == nullptr) &&
             goes_in_order(queue_, events_.event != nullptr) && lies_within(one) &&
             (one.buffer == other.buffer || (lies_within(other) && !is_part(one.buffer) && !is_part(other.buffer))) &&
             keep_others_out();
    errno = saved;
    return begun_;
}

// Keeps other threads from launching into the queue until the copy is complete: natively their work runs before all of
// the copy or behind it. Returns false if calls under way did not return in time.
bool Split::keep_others_out() const {
    const int64_t end_ns = base::now_ns() + kPatienceNs;
    while (!xq_split_begins(xqueue_)) {
        if (base::now_ns() >= end_ns) return false;
        sched_yield();
    }
    return true;
}

void Split::let_others_in() {
    if (std::exchange(begun_, false)) xq_split_over(xqueue_);
}

Split::~Split() {
    let_others_in();
    if (before_ != nullptr) below<kEntry_clReleaseEvent>()(before_);
}

size_t Split::next(size_t left) const { return left <= bytes_ + bytes_ / 2 ? left : bytes_; }

// Returns the event arguments of the next piece. The first piece waits for the events that the program listed, each
// later one for the piece before. So an event that fails ends all pieces, as it ends the whole copy natively.
EventArguments Split::arguments(bool last) {
    made_ = nullptr;
    const bool first = !any_;
    const bool chained = events_.count != 0;
    EventArguments it{first ? events_.count : 0, first ? events_.wait_list : nullptr, nullptr};
    if (!first && chained) it = {1, &before_, nullptr};
    it.event = last && events_.event != nullptr ? events_.event : chained || last ? &made_ : nullptr;
    return it;
}

void Split::launched(cl_int code, bool last) {
    if (code != CL_SUCCESS) return;
    any_ = true;
    cl_event event = made_;
    if (last && events_.event != nullptr) {
        event = *events_.event;
        below<kEntry_clRetainEvent>()(event);
    }
    if (event == nullptr) return;
    if (before_ != nullptr) below<kEntry_clReleaseEvent>()(before_);
    before_ = event;
}

cl_int Split::end(cl_int code, bool blocking) {
    let_others_in();
    if (!blocking) return code;
    // A blocking call returns only when no piece uses the program's memory any more: it waits for the last piece, or
    // after an error for the whole queue.
    if (code == CL_SUCCESS) return below<kEntry_clWaitForEvents>()(1, &before_);
    if (any_) below<kEntry_clFinish>()(queue_);
    return code;
}

}  // namespace xsched::opencl
