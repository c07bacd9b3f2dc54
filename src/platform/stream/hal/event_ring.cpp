#include "platform/stream/hal/event_ring.h"

namespace xsched::stream {
namespace {

// An event of a ring that ended when the driver could not be called. The next ring that ends destroys it.
struct Orphan {
    Event event;
    Orphan* next;
};
constinit base::Mutex g_orphans_mutex;
constinit Orphan* g_orphans = nullptr;

void leave_orphan(Event event) {
    auto* orphan = new Orphan{event, nullptr};  // from the reserve if need be: an event without an entry would be lost
    base::Lock lock(g_orphans_mutex);
    orphan->next = g_orphans;
    g_orphans = orphan;
}

void destroy_orphans(const Api& api) {
    Orphan* all = nullptr;
    {
        base::Lock lock(g_orphans_mutex);
        all = g_orphans;
        g_orphans = nullptr;
    }
    while (all != nullptr) {
        Orphan* next = all->next;
        event_destroy(api, all->event);
        delete all;
        all = next;
    }
}

}  // namespace

Result EventRing::record(const Api& api, Stream stream, uint32_t value) {
    Event event = nullptr;
    uint32_t index = 0;
    {
        base::Lock lock(mutex_);
        Mark& mark = marks_[next_ % kEvents];
        if (mark.busy) return kNotReady;
        if (next_ - oldest_ == kEvents) ++oldest_;  // a younger mark will do
        mark.busy = true;
        event = mark.event;
        index = next_++;
    }
    Result code = kSuccess;
    if (event == nullptr) code = event_create(api, &event);
    if (code == kSuccess) code = event_record(api, event, stream);
    base::Lock lock(mutex_);
    Mark& mark = marks_[index % kEvents];
    mark.event = event;
    mark.value = value;
    mark.busy = false;
    return code;
}

uint32_t EventRing::passed(const Api& api, uint32_t before) {
    for (;;) {
        uint32_t index = 0;
        Event event = nullptr;
        {
            base::Lock lock(mutex_);
            index = oldest_;
            Mark& mark = marks_[index % kEvents];
            if (index == next_ || mark.busy || mark.event == nullptr) return any_reached_ ? reached_ : before;
            mark.busy = true;
            event = mark.event;
        }
        const Result code = event_query(api, event);
        base::Lock lock(mutex_);
        Mark& mark = marks_[index % kEvents];
        mark.busy = false;
        if (code != kSuccess) return any_reached_ ? reached_ : before;
        reached_ = mark.value;
        any_reached_ = true;
        oldest_ = index + 1;
    }
}

void EventRing::clear(const Api* api) {
    if (api != nullptr) destroy_orphans(*api);
    for (Mark& mark : marks_) {
        if (mark.event != nullptr && api != nullptr) event_destroy(*api, mark.event);
        if (mark.event != nullptr && api == nullptr) leave_orphan(mark.event);
        mark = Mark{};
    }
    oldest_ = next_ = reached_ = 0;
    any_reached_ = false;
}

}  // namespace xsched::stream
