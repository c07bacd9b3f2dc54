// Progress where the driver lacks stream value operations: events recorded behind the work, asked one by one. The last
// kEvents of them count; older ones are implied by younger. Any thread; the mutex is not held during driver calls.
#pragma once

#include <cstdint>

#include "base/mutex.h"
#include "vendor.h"

namespace xsched::stream {

class EventRing {
public:
    // Once all launched before on `stream` is done, `passed` returns at least `value`. The driver's code.
    Result record(const Api& api, Stream stream, uint32_t value);
    // The last value that has been reached. `before`: what it is as long as none of ours has been.
    uint32_t passed(const Api& api, uint32_t before);
    // No thread uses it any more. nullptr: nor may the driver be called now; the events go with a later ring.
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
    uint32_t next_ = 0;    // where the next one goes
    uint32_t reached_ = 0;
    bool any_reached_ = false;
};

}  // namespace xsched::stream
