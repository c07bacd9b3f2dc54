// In which pieces a queue's large copies go to the device: about 100 us each (800 of pageable memory), at the rate at
// which its earlier pieces of that kind were copied. Pure; guarded by the queue's lock.
#pragma once

#include <cstdint>

#include "queue/abi/abi_types.h"

namespace xsched::queue {

class CopyRates {
public:
    static constexpr uint64_t kMostPieces = 256;  // of one copy: half of what a gated queue may have in flight

    // As XSCHED_COPY_PIECE says: bytes of each piece; kWhole: copies stay whole; else as measured. Where the platform
    // is to decide, its shim has: it asks for no pieces, or for these.
    static constexpr int64_t kWhole = -1;
    void begin(int64_t piece_bytes);
    // How much of a copy of `bytes` in all makes the next piece; 0: all that is left.
    uint64_t piece(XqCopyKind kind, uint64_t bytes) const;
    // Command `number` is that piece.
    void launched(uint64_t number, const XqPiece& piece);
    // Commands `from` + 1 to `to` have completed and took the device `ns`.
    void completed(uint64_t from, uint64_t to, int64_t ns);

private:
    // Pieces of one size, one behind the other.
    struct Run {
        uint64_t first = 0;
        uint64_t count = 0;  // 0: none
        XqPiece each{};
    };
    static constexpr unsigned kRuns = 32;  // remembered

    int64_t wanted_ = 0;
    uint64_t bytes_[kXqCopyKinds] = {};  // of a piece
    uint64_t sample_bytes_[kXqCopyKinds] = {};  // this many are not in it yet
    int64_t sample_ns_[kXqCopyKinds] = {};  // in so long
    Run runs_[kRuns];
    unsigned last_ = 0;
};

}  // namespace xsched::queue
