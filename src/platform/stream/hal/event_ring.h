// Tells a stream's progress if the driver lacks stream value operations: events are recorded behind the work and
// queried. Only the last kEvents are kept, since a later event implies the earlier ones. Any thread; the mutex is not
// held during driver calls.
#pragma once

#include <cstdint>

#include "base/mutex.h"
#include "vendor.h"

namespace xsched::stream {

class EventRing {
public:
    // Records an event, so that `passed` returns at least `value` once all earlier launches on `stream` are done.
    // Returns the driver's code.
    Result record(const Api& api, Stream stream, uint32_t value);
    // Returns the last value that was reached. `before`: the result as long as none of ours was reached.
    uint32_t passed(const Api& api, uint32_t before);
    // Ends the ring; no thread uses it any more. `api` nullptr: the driver must not be called now, and the events are
    // destroyed with a later ring.
    void clear(const Api* api);

private:
    static constexpr uint32_t kEvents = 32;
    struct Mark {
        Event event = nullptr;
        uint32_t value = 0;
        bool busy = false;  // a thread is recording it, or asking about it
    };

    base::Mutex mutex_;
    Mark marks_[kEvents];
    uint32_t oldest_ = 0;  // index of the first mark not known to be reached, counting up
    uint32_t next_ = 0;  // where the next one goes
    uint32_t reached_ = 0;
    bool any_reached_ = false;
};

}  // namespace xsched::stream
