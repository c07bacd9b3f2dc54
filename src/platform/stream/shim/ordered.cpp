#include "platform/stream/shim/ordered.h"

namespace xsched::stream {

ContextMarks::ContextMarks(Context context) {
    if (context == nullptr) context = current_context(*hal_api());
    for_each_entry([&](StreamEntry& entry) {
        if (count_ == kMost || entry.context.load(std::memory_order_relaxed) != context) return;
        marks_[count_] = mark_of(&entry);
        if (marks_[count_].entry != nullptr) ++count_;
    });
}

namespace {

XqQueue* xqueue_of(const StreamEntry* entry) {
    return entry != nullptr ? entry->xqueue.load(std::memory_order_acquire) : nullptr;
}

// Returns whether the stream and others of its context wait for each other. Streams created as non-blocking do not (in
// PyTorch all but the default one).
XSCHED_HOT bool is_legacy_beside_others(const StreamEntry& entry) {
    if (!several_queues() || entry.kind.load(std::memory_order_relaxed) != StreamKind::kLegacy) return false;
    const Context context = entry.context.load(std::memory_order_relaxed);
    bool others = false;
    for_each_entry([&](const StreamEntry& other) {
        others = others || (&other != &entry && other.context.load(std::memory_order_relaxed) == context &&
                            other.blocking.load(std::memory_order_relaxed));
    });
    return others;
}

// Returns whether a keep-alive may stand in the stream. In the legacy default stream it would block others, and calls
// of ours disturb captures.
XSCHED_HOT bool may_keep_alive(const StreamEntry& entry) { return !some_captured() && !is_legacy_beside_others(entry); }

bool keep_alive(StreamEntry* entry, XqAbout what) {
    XqQueue* const xqueue = xqueue_of(entry);
    return xqueue != nullptr && may_keep_alive(*entry) && xq_about_to(xqueue, what);
}

}  // namespace

bool wait_and_keep_alive(StreamEntry* entry) { return keep_alive(entry, kXqWait); }
void keep_alive_behind(StreamEntry* entry) { keep_alive(entry, kXqWaitForEvent); }

void end_keep_alive(StreamEntry* entry) {
    if (XqQueue* const xqueue = xqueue_of(entry)) xq_about_to(xqueue, kXqQuery);
}

bool only_keep_alive_pending(StreamEntry* entry) {
    XqQueue* const xqueue = xqueue_of(entry);
    if (xqueue == nullptr) return false;
    if (is_legacy_beside_others(*entry)) return false;  // it may be busy with what they make it wait for
    return xq_only_keep_alive_pending(xqueue);
}

// Returns the only stream with work. nullptr: several have work, so the one that finishes last is not known, or the
// answer is not needed. The driver is asked about the others, since the program's wait will not ask about them.
StreamEntry* ContextMarks::only_one_with_work() const {
    constexpr unsigned kFew = 4;
    if (count_ == 1) return marks_[0].entry;
    if (count_ == 0 || count_ > kFew || some_captured()) return nullptr;
    StreamEntry* busy = nullptr;
    for (unsigned i = 0; i < count_; ++i) {
        XqQueue* const xqueue = xqueue_of(marks_[i].entry);
        if (xqueue == nullptr || !xq_keeps_device(xqueue)) return nullptr;
        if (xq_all_complete(xqueue)) continue;
        if (busy != nullptr) return nullptr;
        busy = marks_[i].entry;
    }
    for (unsigned i = 0; i < count_ && busy != nullptr; ++i)
        if (marks_[i].entry != busy && !xq_is_idle(xqueue_of(marks_[i].entry))) return nullptr;
    return busy;
}

bool ContextMarks::wait_and_keep_alive() const {
    if (StreamEntry* const entry = only_one_with_work(); entry != nullptr && stream::wait_and_keep_alive(entry))
        return true;
    xq_about_to(nullptr, kXqWait);
    for (unsigned i = 0; i < count_; ++i) stream::end_keep_alive(marks_[i].entry);
    return false;
}

void ContextMarks::wait_begins() const {
    for (unsigned i = 0; i < count_; ++i)
        if (XqQueue* const xqueue = xqueue_of(marks_[i].entry)) xq_wait_begins(xqueue);
}

void ContextMarks::wait_ended() const {
    for (unsigned i = 0; i < count_; ++i)
        if (XqQueue* const xqueue = xqueue_of(marks_[i].entry)) xq_wait_ended(xqueue);
}

void ContextMarks::completed() const {
    for (unsigned i = 0; i < count_; ++i) completed_up_to(marks_[i]);
}

}  // namespace xsched::stream
