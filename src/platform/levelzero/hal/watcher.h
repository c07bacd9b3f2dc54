// One thread of ours that finds out when commands are complete: Level Zero calls nothing back, and a wait in the driver
// would spin on a processor. It asks the events of queues that have commands in flight: often while another program may
// compete, otherwise now and then. While nothing is in flight it sleeps. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace xsched::levelzero {

// A queue as the thread sees it.
struct Watched {
    // Reports what is complete. Returns at once if another thread is at it.
    void (*look)(Watched* queue) = nullptr;
    // Returns when to look again; 0: nothing is in flight. `seldom_ns`: no program waits for what is found.
    int64_t (*next_look_ns)(Watched* queue, int64_t seldom_ns) = nullptr;
    bool (*any_in_flight)(Watched* queue) = nullptr;
    // Called when the process ends, before the driver gives up its memory. Calls nothing of the driver.
    void (*process_ends)(Watched* queue) = nullptr;

    // Private to the watcher.
    Watched* next = nullptr;
    std::atomic<uint32_t> visitors{0};
    uint32_t watched_in = 0;  // the fork generation
};

// Adds a queue, and starts the thread if this process has none. Returns false if the system refuses.
bool watch(Watched* queue);
// Returns when all threads have left the queue for good.
void end_watch(Watched* queue);
// Wakes the watching thread, because a command of a watched queue is in flight.
void wake_watcher();
// Looks at all queues. Returns how long to wait for the next look; 0: nothing is in flight.
int64_t look_at_all();

}  // namespace xsched::levelzero
