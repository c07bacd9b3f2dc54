// One caller's wait for room in a gated queue, and how long it lasts. Pure; guarded by the queue's lock.
#pragma once

#include <cstdint>

namespace xsched::queue {

class RoomWait {
public:
    // kInCopy: another thread is launching a copy in pieces, which nothing may come into the middle of.
    enum class Queue { kOpen, kInCopy, kSuspended, kSuspendedByProgram };
    enum class Patience {
        kLeft,
        kDeviceStuck,    // the queue is open, and nothing completes: the device may need what this thread does next
        kOwnSuspension,  // the program suspended the queue, and may wait for this very thread
    };

    bool began() const { return began_; }
    void begin(int64_t now_ns, uint64_t completed);
    // Takes in what has happened since the last look.
    Patience look(int64_t now_ns, uint64_t completed, Queue queue, int64_t command_ns);
    // Something completed just before the last look: more may follow at once.
    bool completes_now() const;

private:
    bool began_ = false;
    int64_t seen_ns_ = 0;
    uint64_t completed_ = 0;    // when last looked at
    int64_t progress_ns_ = 0;   // when that last changed
    int64_t stuck_ns_ = 0;      // the queue was open, and nothing completed
    int64_t suspended_ns_ = 0;  // by the program
};

}  // namespace xsched::queue
