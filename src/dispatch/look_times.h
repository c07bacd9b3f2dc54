// When clients must be read again although they do not ring (tell the dispatcher of a change). A heap, so that a pass
// looks at the due ones alone. Each client is in it at most once. Not thread-safe. Only make_room allocates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/nowhere.h"
#include "sched/facts/times.h"

namespace xsched::dispatch {

// How often to look while a program waits for work whose end only the device reports.
inline constexpr int64_t kLookEveryNs = sched::kLookNs;  // decision 009
// How often to look at work that has not moved for this long: it is unlikely to end soon.
inline constexpr int64_t kLookSeldomNs = sched::kMostGuessNs;  // decision 017
// How often to look at something that changes without a doorbell's ring, while other programs may wait for it. A
// decision takes 27 us (docs/measured.md), so such looks take at most 3 % of a processor.
inline constexpr int64_t kLookSometimesNs = base::kMillisecond;  // measured

// Returns the time of a look after `pause_ns`, up to a quarter later, so that looks at many clients coincide.
inline int64_t look_time(int64_t from_ns, int64_t pause_ns) {
    const int64_t pause = std::clamp(pause_ns, kLookEveryNs, kLookSeldomNs);
    if (pause == kLookEveryNs) return from_ns + pause;
    int64_t step = kLookEveryNs / 4;
    while (step < pause / 8) step *= 2;
    return (from_ns + pause + step - 1) / step * step;
}

// `place`: returns where an element keeps its position in the heap.
template <typename Element, uint32_t& (*place)(Element&)>
class LookTimes {
public:
    void make_room(size_t elements) {
        if (heap_.capacity() < elements) heap_.reserve(2 * elements);
    }
    size_t size() const { return heap_.size(); }
    // Returns the earliest time of a look; 0 if there is none.
    int64_t earliest_ns() const { return heap_.empty() ? 0 : heap_[0].at_ns; }
    // Sets when to look at the element; 0: not at all.
    void set(Element& element, int64_t at_ns) {
        if (at_ns == 0) return remove(element);
        uint32_t& at = place(element);
        if (at == base::kNowhere) {
            at = static_cast<uint32_t>(heap_.size());
            heap_.push_back({at_ns, &element});
        }
        heap_[at].at_ns = at_ns;
        settle(at);
    }
    void remove(Element& element) {
        const uint32_t at = place(element);
        if (at == base::kNowhere) return;
        place(element) = base::kNowhere;
        const Entry last = heap_.back();
        heap_.pop_back();
        if (last.element == &element) return;
        put(at, last);
        settle(at);
    }
    // Returns the first element that is due; null if none is. The caller sets its next time.
    Element* take(int64_t now_ns) {
        if (heap_.empty() || heap_[0].at_ns > now_ns) return nullptr;
        Element* first = heap_[0].element;
        remove(*first);
        return first;
    }

private:
    struct Entry {
        int64_t at_ns;
        Element* element;
    };
    void put(uint32_t at, const Entry& entry) {
        heap_[at] = entry;
        place(*entry.element) = at;
    }
    void exchange(uint32_t one, uint32_t other) {
        const Entry moved = heap_[one];
        put(one, heap_[other]);
        put(other, moved);
    }
    void settle(uint32_t at) {
        for (; at > 0 && heap_[at].at_ns < heap_[(at - 1) / 2].at_ns; at = (at - 1) / 2) exchange(at, (at - 1) / 2);
        for (;;) {
            uint32_t least = at;
            for (const uint32_t child : {2 * at + 1, 2 * at + 2})
                if (child < heap_.size() && heap_[child].at_ns < heap_[least].at_ns) least = child;
            if (least == at) return;
            exchange(at, least);
            at = least;
        }
    }

    std::vector<Entry> heap_;
};

}  // namespace xsched::dispatch
