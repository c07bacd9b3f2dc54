// Where a queue of a gated device stands. A command of it may wait for what the device does not end: a value that the
// host stores, a host function, an event of another device's stream. The device reports its progress directly before
// and directly behind such a wait. So the queue stands while the number before the wait is what has completed, and the
// slot tells that number (QueueSlot::stands_at). Nothing but the device's own reports tells when the wait is over.
//
// The report behind the wait may come with the next command of the queue (kXqReportLater). Until then the wait is
// `open`: nothing else may go into the stream before that report.
//
// Pure; guarded by the queue's lock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ipc/layout.h"

namespace xsched::queue {

class StandPlaces {
public:
    // Forgets all stands, when the queue moves or the device's reports cannot be trusted: then all its commands count
    // as work.
    void forget() { *this = StandPlaces{}; }

    bool any() const { return count_ != 0; }
    // Returns the value for QueueSlot::stands_at.
    uint32_t mark(int at) const { return at < count_ ? ipc::stand_mark(before_[at]) : 0; }
    // Forgets waits that are over. Returns whether the slot has room for another.
    bool has_room(uint64_t completed) {
        const auto over = [&](uint64_t before) { return before < completed; };
        count_ = static_cast<int>(std::remove_if(before_, before_ + count_, over) - before_);
        return count_ < ipc::kMostStands;
    }
    bool stands(uint64_t completed) const { return std::find(before_, before_ + count_, completed) != end(); }
    // Returns whether the queue got past one of its waits as its completed commands went from `from` to `to`.
    bool ended(uint64_t from, uint64_t to) const {
        return std::any_of(before_, end(), [&](uint64_t before) { return from <= before && before < to; });
    }

    // Notes that the next command is a wait behind `before` others, whose call is now under way.
    void begins(uint64_t before) {
        before_[count_++] = before;
        open_ = before + 1;
        returned_ = false;
    }
    // Notes that the call succeeded. Returns false if the wait was revoked meanwhile.
    bool call_returned(uint64_t wait) {
        if (open_ != wait) return false;
        return returned_ = true;
    }
    // Revokes the open wait: it is unknown whether the device meets it or another command first.
    bool revoke() {
        if (open_ == 0) return false;
        --count_;
        open_ = 0;
        return true;
    }
    // Returns the number of the wait whose report is missing; 0: none.
    uint64_t open() const { return open_; }
    bool is_on_its_way() const { return open_ != 0 && !returned_; }
    bool lacks_report() const { return open_ != 0 && returned_; }
    void reported() { open_ = 0; }

private:
    const uint64_t* end() const { return before_ + count_; }

    uint64_t before_[ipc::kMostStands] = {};  // number of commands before each wait; oldest first
    int count_ = 0;
    uint64_t open_ = 0;
    bool returned_ = false;
};

}  // namespace xsched::queue
