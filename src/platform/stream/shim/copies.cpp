#include "platform/stream/shim/copies.h"

#include <sched.h>

#include "base/clock.h"
#include "base/mutex.h"
#include "platform/stream/shim/capture.h"

namespace xsched::stream {
namespace {

using Place = Memory::Place;

constinit base::Mutex g_copies_mutex;  // while queues are being taken: all that a copy needs, or none
// How long calls of other threads are awaited. A call that waits in the driver takes longer: then the copy goes whole.
constexpr int64_t kPatienceNs = 500 * base::kMicrosecond;  // judgement

bool holds(const Memory& memory, uintptr_t address, uint64_t bytes) {
    if (memory.place == Place::kUnknown) return false;
    if (memory.place == Place::kPageable) return true;
    return address >= memory.begin && bytes <= memory.bytes && address - memory.begin <= memory.bytes - bytes;
}

// Looks up memory and remembers the last answer, since one call's copies are mostly within the same memory.
class Lookup {
public:
    // Returns the memory at an address; kUnknown: the driver does not know it as one range.
    Memory at(uintptr_t address, uint64_t bytes) {
        if (last_.place == Place::kPageable || !holds(last_, address, bytes)) last_ = memory_at(address);
        if (!holds(last_, address, bytes)) return {};
        // The driver knows no range for pageable memory, so the last byte of the copied range is checked, too.
        if (last_.place == Place::kPageable && memory_at(address + bytes - 1).place != Place::kPageable) return {};
        return last_;
    }

private:
    Memory last_;
};

// Returns the kind of a copy; kXqCopyKinds: it must not be split.
XqCopyKind kind_of_copy(const CopyShape& copy, Lookup& to_lookup, Lookup& from_lookup) {
    const uint64_t to_bytes = copy.extent(copy.to);
    const uint64_t from_bytes = copy.extent(copy.from);
    const uintptr_t to_begin = copy.to.address;
    const uintptr_t from_begin = copy.from.address;
    if (copy.width == 0 || (to_begin < from_begin + from_bytes && from_begin < to_begin + to_bytes))
        return kXqCopyKinds;
    const Memory to = to_lookup.at(to_begin, to_bytes);
    const Memory from = from_lookup.at(from_begin, from_bytes);
    if (to.place == Place::kUnknown || from.place == Place::kUnknown) return kXqCopyKinds;
    if (to.place == Place::kDevice && from.place == Place::kDevice)
        return to.device == from.device ? kXqWithinDevice : kXqBetweenDevices;
    if (to.place == Place::kDevice) return from.place == Place::kPinned ? kXqToDevice : kXqPageableToDevice;
    if (from.place == Place::kDevice) return to.place == Place::kPinned ? kXqToHost : kXqDeviceToPageable;
    return kXqCopyKinds;  // between two places of the host, which no copy engine need be in
}

// Notes a large copy. A copy within a device does not delay a more urgent program's copies.
void note_copy(const CopyShape& copy) {
    if (!hal_copies_matter()) return;
    Lookup to, from;
    if (kind_of_copy(copy, to, from) != kXqWithinDevice) hal_note_copies();
}

// Returns whether commands of both streams are ordered without an event.
bool ordered_together(const StreamEntry& one, const StreamEntry& other) {
    if (&one == &other) return true;
    if (one.context.load(std::memory_order_relaxed) != other.context.load(std::memory_order_relaxed)) return false;
    const auto legacy = [](const StreamEntry& it) {
        return it.kind.load(std::memory_order_relaxed) == StreamKind::kLegacy;
    };
    return (legacy(one) && other.blocking.load(std::memory_order_relaxed)) ||
           (legacy(other) && one.blocking.load(std::memory_order_relaxed));
}

}  // namespace

bool Split::begin(Stream stream, bool per_thread, const CopyShape& copy) {
    const auto itself = [](const void* data, size_t) { return *static_cast<const CopyShape*>(data); };
    return begin(stream, per_thread, 1, itself, &copy);
}

bool Split::begin(Stream stream, bool per_thread, size_t count, ShapeOf shape_of, const void* data) {
    const KeepErrno keep;
    note_copy(shape_of(data, 0));
    StreamEntry* entry = known_entry_of(stream, per_thread);
    xqueue_ = entry != nullptr ? entry->xqueue.load(std::memory_order_acquire) : nullptr;
    if (xqueue_ == nullptr || !xq_copies_in_pieces(xqueue_)) return false;
    if (asks_capturing(stream, per_thread) || !split_begins()) return false;
    begun_ = true;
    Lookup to, from;
    for (size_t i = 0; i < count; ++i) {
        const CopyShape copy = shape_of(data, i);
        const XqCopyKind kind = kind_of_copy(copy, to, from);
        if (kind == kXqCopyKinds) return false;
        if (i == 0) kind_ = kind;
        bytes_ += copy.bytes();
    }
    return bytes_ != 0 && next() != 0 && keep_others_out(*entry);
}

Split::~Split() {
    if (!begun_) return;
    const KeepErrno keep;
    let_others_in();
    split_over();
}

// Keeps other threads' launches out of the stream: natively, these run before or after the whole copy. Returns false if
// that does not succeed within kPatienceNs.
bool Split::keep_others_out(StreamEntry& entry) {
    const int64_t end = base::now_ns() + kPatienceNs;
    while (!try_keep_others_out(entry)) {
        if (base::now_ns() >= end) return false;
        sched_yield();
    }
    return true;
}

bool Split::try_keep_others_out(StreamEntry& entry) {
    base::Lock lock(g_copies_mutex);
    bool all = true;
    for_each_entry([&](const StreamEntry& other) {
        XqQueue* const queue = other.xqueue.load(std::memory_order_acquire);
        if (!all || queue == nullptr || !ordered_together(entry, other)) return;
        all = count_ < kMost && xq_split_begins(queue);
        if (all) held_[count_++] = queue;
    });
    if (!all) let_others_in();
    return all;
}

void Split::let_others_in() {
    while (count_ > 0) xq_split_over(held_[--count_]);
}

}  // namespace xsched::stream
