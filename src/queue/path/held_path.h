// Commands that go to the driver at once, with a hold that keeps them from starting where they may not run yet
// (XqHoldOps: OpenCL's user events). A few commands share one hold, a group; groups open in order as the window (most
// commands in flight) and the scheduler allow. Tokens, and callback commands, are the buffered path's.
//
// Guarded by the queue's lock, which is held where a comment says so. Any thread.
#pragma once

#include "queue/path/buffered_path.h"

namespace xsched::queue {

// Commands that share one hold: released together. Owned by the queue until popped, then by its last user.
struct HoldGroup {
    HoldGroup* next = nullptr;
    void* hold = nullptr;
    uint32_t count = 0;  // commands waiting for it
    uint32_t users = 0;  // driver calls that may still use the hold
    bool released = false;  // opened or dropped
    // Number of driver calls that were under way when the group was made. Their commands count as in flight, or will
    // before the group's hold opens, but may arrive in the driver behind that hold and wait for it.
    uint32_t overtaken = 0;
};

enum class Release { kOpen, kDrop };

class HeldPath final : public LaunchPath {
public:
    HeldPath(QueueCore& core, BufferedPath& buffered) : core_(core), buffered_(buffered) {}

    XSCHED_HOT void admit(XqTicket& ticket, CommandKind kind) override;
    void admit_standing(XqTicket& ticket, XqStand own) override;
    void admit_unheld(XqTicket& ticket) override;
    void admit_callback(XqTicket& ticket) override;
    XSCHED_HOT void launched(XqTicket& ticket, uint32_t outcome) override;
    uint64_t sync_begin() override { return buffered_.sync_begin(); }
    void sync_end(uint64_t mark) override { buffered_.sync_end(mark); }
    void report_all() override { buffered_.report_all(); }

    // The functions for a copy in pieces (queue_abi.h). Natively the copy is one command, so no other thread's command
    // may come between two pieces.
    bool copies_in_pieces() override { return buffered_.copies_in_pieces(); }
    bool split_begins() override;
    void split_over() override;
    uint64_t copy_piece(XqCopyKind kind, uint64_t bytes) override { return buffered_.copy_piece(kind, bytes); }

    // --- lock held
    void forget_split() { splitter_ = nullptr; }
    bool empty() const { return first_ == nullptr; }
    // Returns whether every command that counts as in flight has already reached the driver. Commands held from now on
    // then come later in the driver's queue than all of those.
    bool quiet() const;
    // Returns the driver calls under way whose commands count as in flight.
    uint32_t arriving() const;
    // Returns how many commands in flight may wait in the driver behind the first hold.
    uint32_t overtaken() const { return first_ != nullptr ? first_->overtaken : 0; }
    // Remove and return the groups that may be released now (pop_releasable), or all groups (pop_all). The caller
    // passes the result to `release` after it has given up the lock.
    HoldGroup* pop_releasable();
    HoldGroup* pop_all();

    // --- no lock held
    void release(HoldGroup* groups, Release how);

private:
    bool room() const;
    void wait_for_split();
    HoldGroup* joinable();
    HoldGroup* make_group();
    void destroy_group(HoldGroup* group);
    void append(HoldGroup* group);
    void join(HoldGroup* group, XqTicket& ticket, XqStand own);
    void note_released(HoldGroup* group);

    QueueCore& core_;
    BufferedPath& buffered_;
    HoldGroup* first_ = nullptr;  // oldest first
    HoldGroup* last_ = nullptr;
    const void* splitter_ = nullptr;  // the thread whose copy is being launched in pieces
};

}  // namespace xsched::queue
