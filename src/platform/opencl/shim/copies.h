// Reads, writes and copies of buffers in pieces (preempt level 1). While a more urgent program may come, a large copy
// goes to the driver as several commands, so the window and a suspension take effect in its middle. Contents, order,
// events and the return of the call are as natively. Copies for which something would differ go whole: queues that are
// out of order, events of queues that measure times, ranges that exceed their buffer, copies within one buffer or of
// rectangles. Without rivals such a call costs one more comparison. On the caller's thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/no_copies.h"
#include "base/options.h"
#include "platform/opencl/shim/launch.h"

namespace xsched::opencl {

// Returns the size below which copies are never split.
inline size_t least_split_bytes() {
    constexpr size_t kUsual = size_t{1024} * 1024;
    const int64_t wanted = base::options().copy_piece;
    if (wanted < 0) return SIZE_MAX;
    return wanted > 0 ? static_cast<size_t>(wanted) : kUsual;
}

// A range of a buffer.
struct Range {
    cl_mem buffer;
    size_t offset;
    size_t bytes;
};

// The pieces of one call: what each waits for, and which event belongs to which. (copies.cpp)
class Split : base::NoCopies {
public:
    // `events`: the wait list, and where the program wants the copy's event.
    Split(cl_command_queue queue, const EventArguments& events) : queue_(queue), events_(events) {}
    ~Split();
    // Begins to split the call. Returns false if it must go whole.
    bool begin(const Range& one, const Range& other);
    bool begin(const Range& range, const void* host) { return host != nullptr && begin(range, range); }
    // Gives all pieces to the driver, up to one that it refuses: piece(offset, bytes, event arguments).
    template <typename Piece>
    cl_int launch(size_t bytes, Piece piece) {
        cl_int code = CL_SUCCESS;
        for (size_t done = 0; code == CL_SUCCESS && done < bytes;) {
            const size_t size = next(bytes - done);
            const bool last = size == bytes - done;
            code = piece(done, size, arguments(last));
            launched(code, last);
            done += size;
        }
        return code;
    }
    // Ends the copy after its last piece, or after one that failed. Returns what the program's call returns.
    cl_int end(cl_int code, bool blocking);

private:
    bool keep_others_out() const;
    void let_others_in();
    // Returns the size of the next piece, given how many bytes are left.
    size_t next(size_t left) const;
    // Returns the event arguments of the next piece.
    EventArguments arguments(bool last);
    // Notes a piece that was given to the driver, or was refused.
    void launched(cl_int code, bool last);

    cl_command_queue const queue_;
    const EventArguments events_;
    XqQueue* xqueue_ = nullptr;
    size_t bytes_ = 0;
    bool begun_ = false;
    bool any_ = false;  // is with the driver
    cl_event before_ = nullptr;  // the last piece's, which the next one waits for
    cl_event made_ = nullptr;
};

template <typename Callee, int kBlockingAt = kNeverBlocks, typename Function = typename Callee::Type>
struct InPieces;

// The hook of clEnqueueReadBuffer and clEnqueueWriteBuffer, which copy between a buffer and the host. The constness of
// Pointer tells which of the two it is.
template <typename Callee, int kBlockingAt, typename Pointer>
struct InPieces<Callee, kBlockingAt,
                cl_int(CL_API_CALL*)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, Pointer*, cl_uint,
                                     const cl_event*, cl_event*)> {
    static constexpr auto kWhole = &Enqueue<Callee, kBlockingAt>::call;

    static cl_int CL_API_CALL call(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                                   Pointer* host, cl_uint count, const cl_event* list, cl_event* event) {
        if (bytes <= least_split_bytes()) [[likely]]
            return kWhole(queue, buffer, blocking, offset, bytes, host, count, list, event);
        Split pieces(queue, {count, list, event});
        if (!pieces.begin({buffer, offset, bytes}, host))
            return kWhole(queue, buffer, blocking, offset, bytes, host, count, list, event);
        const cl_int code = pieces.launch(bytes, [&](size_t done, size_t size, const EventArguments& it) {
            auto* at = reinterpret_cast<Byte*>(host) + done;
            return kWhole(queue, buffer, CL_FALSE, offset + done, size, at, it.count, it.wait_list, it.event);
        });
        return pieces.end(code, blocking != CL_FALSE);
    }

private:
    using Byte = std::conditional_t<std::is_const_v<Pointer>, const char, char>;
};

// A copy on the device.
template <typename Callee>
struct InPieces<Callee, kNeverBlocks,
                cl_int(CL_API_CALL*)(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event*,
                                     cl_event*)> {
    static constexpr auto kWhole = &Enqueue<Callee>::call;

    static cl_int CL_API_CALL call(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                                   size_t bytes, cl_uint count, const cl_event* list, cl_event* event) {
        if (bytes <= least_split_bytes()) [[likely]]
            return kWhole(queue, from, to, from_offset, to_offset, bytes, count, list, event);
        Split pieces(queue, {count, list, event});
        if (from == to || !pieces.begin({from, from_offset, bytes}, {to, to_offset, bytes}))
            return kWhole(queue, from, to, from_offset, to_offset, bytes, count, list, event);
        const cl_int code = pieces.launch(bytes, [&](size_t done, size_t size, const EventArguments& it) {
            return kWhole(queue, from, to, from_offset + done, to_offset + done, size, it.count, it.wait_list,
                          it.event);
        });
        return pieces.end(code, false);
    }
};

}  // namespace xsched::opencl
