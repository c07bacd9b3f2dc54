// A stream of our own for copies of memory between the device and the host, in the context that was entered last. One
// thread.
#pragma once

#include <utility>

#include "base/no_copies.h"
#include "platform/cuda/shim/memory_pieces.h"
#include "platform/stream/hal/driver_use.h"

namespace xsched::cuda {

class CopyStream : base::NoCopies {
public:
    ~CopyStream() { leave(); }
    // Makes the context current, and the stream there. Returns false if that fails.
    bool enter(CUcontext context) {
        if (stream_ != nullptr && context == context_) return true;
        leave();
        context_ = context;
        return inside_.enter(api_, context) && stream::stream_create(api_, &stream_) == stream::kSuccess;
    }
    void out(const PieceRange& range, size_t piece) {
        note(stream::driver<stream::kEntry_cuMemcpyDtoHAsync_v2>()(range.pieces[piece].host, range.address_of(piece),
                                                                   range.bytes_of(piece), stream_));
    }
    void in(const PieceRange& range, size_t piece) {
        note(stream::driver<stream::kEntry_cuMemcpyHtoDAsync_v2>()(range.address_of(piece), range.pieces[piece].host,
                                                                   range.bytes_of(piece), stream_));
    }
    // Waits for the copies since the last call. Returns whether all of them were made.
    bool finish() {
        note(stream::driver<stream::kEntry_cuStreamSynchronize>()(stream_));
        return std::exchange(good_, true);
    }

private:
    void note(CUresult code) { good_ = good_ && code == CUDA_SUCCESS; }
    void leave() {
        if (stream_ != nullptr) stream::stream_destroy(api_, std::exchange(stream_, nullptr));
        inside_.leave();
    }

    const stream::Api& api_ = *stream::hal_api();
    stream::InContext inside_;
    CUcontext context_ = nullptr;
    CUstream stream_ = nullptr;
    bool good_ = true;
};

}  // namespace xsched::cuda
