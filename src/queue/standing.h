// Which of a queue's commands stand: what they wait for is not the device's to end. The host, another program or
// another device ends it: a user event that is not set, an event of another device's queue. A stand is one such wait
// with the commands that it keeps: the one that waits, and those that order keeps behind that one. A queue that has
// nothing but standing commands has no work for its device (QueueCore::idle).
//
// Pure; guarded by the queue's lock. Memory is taken before the lock.
#pragma once

#include <cstdint>
#include <utility>

#include "queue/ticket.h"

namespace xsched::queue {

struct Stand {
    Stand* next = nullptr;
    XqStand id = 0;
    XqStand behind = 0;  // the stand that this one is behind; 0: none
    uint64_t commands = 0;
    bool keeps_order = false;  // commands submitted later are behind it,
    bool given = false;        // from when the driver has it: until then they may still come before it
    bool over = false;         // its own wait is
};

class Standing {
public:
    // Enough for any program seen. Beyond, commands count as work for the device.
    static constexpr uint32_t kMost = 1024;

    Standing() = default;
    Standing(const Standing&) = delete;
    Standing& operator=(const Standing&) = delete;
    ~Standing() { forget(); }

    bool any() const { return first_ != nullptr; }
    // Commands that stand.
    uint64_t commands() const { return commands_; }

    // Takes `stand` over. 0: there are too many, and the caller keeps it.
    XqStand begin(Stand* stand, bool keeps_order) {
        if (many_ == kMost) return 0;
        ++many_;
        *stand = {.id = ++last_id_, .behind = latest(), .keeps_order = keeps_order};
        (last_ != nullptr ? last_->next : first_) = stand;
        last_ = stand;
        return stand->id;
    }
    // A command is submitted: of the stand `own`, or of none (0). Returns the stand that keeps it; 0: it may run.
    XqStand submitted(XqStand own) {
        Stand* stand = find(own);
        if (stand == nullptr) stand = find(latest());
        if (stand == nullptr) return 0;
        ++stand->commands;
        ++commands_;
        return stand->id;
    }
    // The driver refused a command of that stand.
    void take_back(XqStand id) {
        Stand* const stand = find(id);
        if (stand == nullptr || stand->commands == 0) return;
        --stand->commands;
        --commands_;
    }
    // The driver has the wait: whatever is submitted from now on comes behind it.
    void given(XqStand id) {
        if (Stand* const stand = find(id)) stand->given = true;
    }
    // The wait is over. Commands that are behind another stand go on standing with that.
    void over(XqStand id) {
        Stand* const stand = find(id);
        if (stand == nullptr) return;
        stand->over = true;
        // A stand is behind an earlier one: one walk finds all that end.
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
    // The last one that later commands come behind.
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
    XqStand last_id_ = 0;  // goes on when the queue is another's: an old number finds nothing
};

}  // namespace xsched::queue
