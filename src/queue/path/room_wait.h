// One caller's wait for room in a gated queue, and how long it lasts. Pure; guarded by the queue's lock.
#pragma once

#include <cstdint>

namespace xsched::queue {

class RoomWait {
public:
    // kInCopy: another thread is launching a copy in pieces, and no other command may come between them.
    enum class Queue { kOpen, kInCopy, kSuspended, kSuspendedByProgram };
    enum class Patience {
        kLeft,
        kDeviceStuck,    // the queue is open but nothing completes: the device may need this thread's next call
        kOwnSuspension,  // the program suspended the queue, and may wait for this very thread
    };

    bool began() const { return began_; }
    void begin(int64_t now_ns, uint64_t completed);
    // Takes the present state. Returns whether to go on waiting, or why not.
    Patience look(int64_t now_ns, uint64_t completed, Queue queue, int64_t command_ns);
    // Returns whether a command completed just before the last look, so that more may follow at once.
    bool completes_now() const;

private:
    bool began_ = false;
    int64_t seen_ns_ = 0;
    uint64_t completed_ = 0;    // time of the last look
    int64_t progress_ns_ = 0;   // when `completed_` last changed
    int64_t stuck_ns_ = 0;      // how long the queue was open while nothing completed
    int64_t suspended_ns_ = 0;  // by the program
};

}  // namespace xsched::queue
