// Which of a queue's commands stand: what they wait for is not the device's to end. The host, another program or
// another device ends it: a user event that is not set, an event of another device's queue. A stand is one such wait
// with the commands that it keeps: the one that waits, and those that order keeps behind that one. A queue that has
// nothing but standing commands has no work for its device (QueueCore::idle).
//
// Pure; guarded by the queue's lock. Memory is taken before the lock.
#pragma once

#include <cstdint>
#include <utility>

#include "base/no_copies.h"
#include "queue/ticket.h"

namespace xsched::queue {

struct Stand {
    Stand* next = nullptr;
    XqStand id = 0;
    XqStand behind = 0;  // the stand behind which this one is; 0: none
    uint64_t commands = 0;
    bool keeps_order = false;  // commands submitted later are behind it,
    bool given = false;        // the driver has the wait: before that, later commands may still come before it
    bool over = false;         // its own wait is over
};

class Standing : base::NoCopies {
public:
    // Most stands of a queue: enough for any program seen. Further waits count as work for the device.
    static constexpr uint32_t kMost = 1024;

    Standing() = default;
    ~Standing() { forget(); }

    bool any() const { return first_ != nullptr; }
    // Commands that stand.
    uint64_t commands() const { return commands_; }

    // Takes `stand` over and returns its id. Returns 0 if there are too many; the caller then keeps it.
    XqStand begin(Stand* stand, bool keeps_order) {
        if (many_ == kMost) return 0;
        ++many_;
        *stand = {.id = ++last_id_, .behind = latest(), .keeps_order = keeps_order};
        (last_ != nullptr ? last_->next : first_) = stand;
        last_ = stand;
        return stand->id;
    }
    // Counts a submitted command. `own`: the stand that it belongs to; 0: none. Returns the stand that keeps it; 0: it
    // may run.
    XqStand submitted(XqStand own) {
        Stand* stand = find(own);
        if (stand == nullptr) stand = find(latest());
        if (stand == nullptr) return 0;
        ++stand->commands;
        ++commands_;
        return stand->id;
    }
    // Takes a command that the driver refused out of the stand's count.
    void take_back(XqStand id) {
        Stand* const stand = find(id);
        if (stand == nullptr || stand->commands == 0) return;
        --stand->commands;
        --commands_;
    }
    // Notes that the driver has the wait: commands submitted from now on come behind it.
    void given(XqStand id) {
        if (Stand* const stand = find(id)) stand->given = true;
    }
    // Notes that the wait of a stand is over. Its commands may run, except those that are also behind another stand,
    // which keeps them.
    void over(XqStand id) {
        Stand* const stand = find(id);
        if (stand == nullptr) return;
        stand->over = true;
        // Stands that are over end here, unless they are behind another one. Each stand is later in the list than the
        // one that it is behind, so one walk finds all that end.
        Stand* before = nullptr;
        for (Stand* it = first_; it != nullptr;) {
            Stand* const next = it->next;
            if (it->over && find(it->behind) == nullptr)
                remove(before, it);
            else
                before = it;
            it = next;
        }
    }
    void forget() {
        while (first_ != nullptr) delete std::exchange(first_, first_->next);
        last_ = nullptr;
        commands_ = many_ = 0;
    }

private:
    Stand* find(XqStand id) const {
        Stand* it = id != 0 ? first_ : nullptr;
        while (it != nullptr && it->id != id) it = it->next;
        return it;
    }
    // Returns the newest stand that keeps all commands submitted from now on, because they are behind its wait in the
    // driver; 0: none.
    XqStand latest() const {
        XqStand id = 0;
        for (const Stand* it = first_; it != nullptr; it = it->next)
            if (it->keeps_order && it->given) id = it->id;
        return id;
    }
    void remove(Stand* before, Stand* stand) {
        (before != nullptr ? before->next : first_) = stand->next;
        if (last_ == stand) last_ = before;
        commands_ -= stand->commands;
        --many_;
        delete stand;
    }

    Stand* first_ = nullptr;  // oldest first
    Stand* last_ = nullptr;
    uint64_t commands_ = 0;
    uint32_t many_ = 0;
    XqStand last_id_ = 0;  // continues when the queue object is reused, so that old numbers find nothing
};

}  // namespace xsched::queue
