// Completes user events, in no particular order: from a thread of its own that never waits for anything, or from the
// completion callback of another command.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "order/random.h"
#include "order/tracker.h"

namespace order {

class Signaller {
public:
    explicit Signaller(uint64_t seed);
    ~Signaller();  // after all events given to it are set
    Signaller(const Signaller&) = delete;
    Signaller& operator=(const Signaller&) = delete;

    // Sets `event` after a short random time. Takes a reference of its own.
    void set_soon(cl_event event);
    // Sets `event` when `after` is complete. Takes a reference of its own.
    static void set_after(const TrackerPtr& after, cl_event event);

private:
    void loop();
    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<cl_event> events_;  // under mutex_
    bool stop_ = false;             // under mutex_
    Random random_;
    std::thread thread_;
};

// User events handed over and not yet set.
int64_t user_events_owed();

}  // namespace order
