// Decides which commands report their completion by a token of their own (a number that the driver's callback returns),
// and which later command's token counts for the others. Pure; guarded by the queue's lock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "queue/device.h"
#include "queue/token.h"

namespace xsched::queue {

class Tokens {
public:
    // Returns how many commands the next command's token stands for; 0: it gets none. One of `stride` commands gets
    // one, and stands for those before it if order tells about them.
    uint32_t next(uint32_t stride, XqOrder order) {
        if (++since_tracked_ < stride) return 0;
        since_tracked_ = 0;
        const uint64_t behind = order == kXqInOrder ? unreported() : 0;
        return hand_out(static_cast<uint32_t>(std::min<uint64_t>(behind, kMostCovered - 1)) + 1, 1);
    }
    // Hands out a token behind all that was launched. Returns how many commands it stands for; 0: all report
    // themselves, so there is no token.
    uint32_t next_behind_all() {
        const auto behind = static_cast<uint32_t>(std::min<uint64_t>(unreported(), kMostCovered));
        return behind != 0 ? hand_out(behind, 0) : 0;
    }
    // Notes that the driver's call of a command without a token returned.
    void returned_without() { ++returned_; }
    // Takes back the completion token of a command whose driver's call failed: no callback will return it. `covers`:
    // how many commands it stands for.
    void take_back(uint32_t covers) {
        covered_ -= covers - 1;
        --out_;
    }
    // Returns false if none is out.
    bool come_back() {
        if (out_ == 0) return false;
        --out_;
        return true;
    }

    // mark() is called before a synchronize; synchronized(), called after it, returns how many commands without a token
    // the synchronize has completed.
    uint64_t mark() const { return returned_; }
    uint32_t synchronized(uint64_t mark) {
        if (mark <= covered_ || mark > returned_) return 0;
        const auto completed = static_cast<uint32_t>(mark - covered_);
        covered_ = mark;
        return completed;
    }

    // Returns the number of commands for which no token stands.
    uint64_t unreported() const { return returned_ - covered_; }
    uint32_t out() const { return out_; }

private:
    // Hands out a token that stands for `covers` commands. `own`: 1 if the token's own command is among these, since
    // that one is not in the count of commands without a token; otherwise 0.
    uint32_t hand_out(uint32_t covers, uint32_t own) {
        covered_ += covers - own;
        ++out_;
        return covers;
    }

    uint64_t returned_ = 0;  // launched without a token, driver call returned
    uint64_t covered_ = 0;  // of those, stood for by a later token or a synchronize
    uint32_t since_tracked_ = 0;
    uint32_t out_ = 0;
};

}  // namespace xsched::queue
