// A stream of our own for copies of memory between the device and the host, in the context that was entered last. One
// thread.
#pragma once

#include <utility>

#include "base/no_copies.h"
#include "platform/stream/hal/driver_use.h"
#include "platform/stream/shim/memory/memory_pieces.h"

namespace xsched::stream::memory {

class CopyStream : base::NoCopies {
public:
    ~CopyStream() { leave(); }
    // Makes the context current, and the stream there. Returns false if that fails.
    bool enter(Context context) {
        if (stream_ != nullptr && context == context_) return true;
        leave();
        context_ = context;
        return inside_.enter(api_, context) && stream_create(api_, &stream_) == kSuccess;
    }
    void out(const PieceRange& range, size_t piece) {
        note(vendor_call<kCopyToHost>(range.pieces[piece].host, range.address_of(piece), range.bytes_of(piece),
                                      stream_));
    }
    void in(const PieceRange& range, size_t piece) {
        note(vendor_call<kCopyToDevice>(range.address_of(piece), range.pieces[piece].host, range.bytes_of(piece),
                                        stream_));
    }
    // Waits for the copies since the last call. Returns whether all of them were made.
    bool finish() {
        note(vendor_call<kStreamSynchronize>(stream_));
        return std::exchange(good_, true);
    }

private:
    void note(Result code) { good_ = good_ && code == kSuccess; }
    void leave() {
        if (stream_ != nullptr) stream_destroy(api_, std::exchange(stream_, nullptr));
        inside_.leave();
    }

    const Api& api_ = *hal_api();
    InContext inside_;
    Context context_ = nullptr;
    Stream stream_ = nullptr;
    bool good_ = true;
};

}  // namespace xsched::stream::memory
