// Chooses the sizes of a large copy's pieces: about 100 us each (800 for pageable memory), at the rate measured for
// earlier pieces of that kind. Pure; guarded by the queue's lock.
#pragma once

#include <cstdint>

#include "queue/abi/abi_types.h"
#include "queue/path/gate_spacing.h"

namespace xsched::queue {

class CopyRates {
public:
    // Returns the most pieces of one copy: half of what a gated queue may have in flight.
    static constexpr uint64_t most_pieces() { return gated_cap() / 2; }

    // Takes the setting XSCHED_COPY_PIECE: the size of each piece in bytes; kWhole: copies stay whole; otherwise the
    // size follows from measured rates. A platform's default is applied by its shim, which asks for no pieces or for
    // these.
    static constexpr int64_t kWhole = -1;
    void begin(int64_t piece_bytes);
    // Returns how much of a copy of `bytes` the next piece takes; 0: all that is left.
    uint64_t piece(XqCopyKind kind, uint64_t bytes) const;
    // Notes that command `number` is that piece.
    void launched(uint64_t number, const XqPiece& piece);
    // Notes that commands `from` + 1 to `to` have completed and took the device `ns`.
    void completed(uint64_t from, uint64_t to, int64_t ns);

private:
    // Pieces of one size in a row.
    struct Run {
        uint64_t first = 0;
        uint64_t count = 0;  // 0: none
        XqPiece each{};
    };
    static constexpr unsigned kRuns = 32;  // remembered

    int64_t wanted_ = 0;
    uint64_t bytes_[kXqCopyKinds] = {};  // of a piece
    uint64_t sample_bytes_[kXqCopyKinds] = {};  // bytes not yet in the rate
    int64_t sample_ns_[kXqCopyKinds] = {};  // in so long
    Run runs_[kRuns];
    unsigned last_ = 0;
};

}  // namespace xsched::queue
