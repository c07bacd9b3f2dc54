// One command of a stream, from its admission to the driver's call that launches it (launch.h). On the caller's thread;
// keeps errno.
#pragma once

#include "base/hot.h"
#include "base/no_copies.h"
#include "platform.h"
#include "platform/stream/shim/apart.h"
#include "platform/stream/shim/capture.h"
#include "platform/stream/shim/device_use.h"
#include "platform/stream/shim/events.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/sharing.h"
#include "platform/stream/shim/streams.h"

namespace xsched::stream {

enum class LaunchKind : uint8_t {
    kWork,
    kWide,  // work that uses other hardware queues beside the stream's own
    kMarker,  // not work but a place in it
    kWait,  // a marker that the stream's device does not end
};

// One command, from admission to its place in the driver. Keeps errno.
class Launch : base::NoCopies {
public:
    // `waits_for`: the event, if the command is a marker that waits for one.
    XSCHED_HOT Launch(Stream stream, bool per_thread, LaunchKind kind = LaunchKind::kWork, Event waits_for = nullptr) {
        const KeepErrno keep;
        if (!finds_queue(stream, per_thread)) return;
        if (waits_for != nullptr && ends_elsewhere(*entry_, waits_for)) kind = LaunchKind::kWait;
        admit(kind);
        if (is_outside(stream, per_thread)) [[unlikely]]
            return;
        call_begins();
    }
    // Launches a piece of a copy.
    Launch(Stream stream, bool per_thread, const XqPiece& piece) {
        const KeepErrno keep;
        if (!finds_queue(stream, per_thread)) return;
        xq_admit_piece(xqueue_, &ticket_, &piece);
        if (is_outside(stream, per_thread)) [[unlikely]]
            return;
        call_begins();
    }

    // Notes that the driver's call has returned.
    XSCHED_HOT void returned(Result code) {
        use_.leave();
        if (xqueue_ == nullptr) return;
        const KeepErrno keep;
        if (counted_) [[unlikely]]
            xq_driver_call(xqueue_, kXqCallReturned);
        xq_launched(xqueue_, &ticket_,
                    (code == kSuccess ? kXqSucceeded : kXqFailed) | (later_ ? kXqReportLater : kXqFailed));
        // A thread's default stream can be used by that thread alone, so no other thread can ask the device later how
        // far the command is. A report goes behind the command now instead.
        if (!later_ && !can_ask()) xq_report_marker(xqueue_, kXqNobodyCanAsk);
    }
    // Notes that the command copies this many bytes, if its call tells.
    void note_copy(uint64_t bytes) const {
        const KeepErrno keep;
        if (xqueue_ != nullptr) xq_note_copy(xqueue_, bytes);
    }
    // Lets the command's completion be reported with a later command, or when the scheduler asks.
    void report_later() { later_ = true; }
    // Makes sure that the command's completion is reported, since the program may wait for it.
    void report() const {
        if (xqueue_ != nullptr && ticket_.followed != 0)
            xq_report_marker(xqueue_, can_ask() ? kXqCanAsk : kXqNobodyCanAsk);
    }

    // Limits a keep-alive in the stream as if a launch followed, since the driver's call may wait for the stream.
    void follow_keep_alive() const {
        const KeepErrno keep;
        if (xqueue_ != nullptr) xq_about_to(xqueue_, kXqMayWait);
    }
    // Ends a keep-alive in the stream, since the driver's call will wait for the stream.
    void end_keep_alive() const {
        const KeepErrno keep;
        if (xqueue_ != nullptr) xq_about_to(xqueue_, kXqQuery);
    }

    StreamEntry* entry() const { return entry_; }
    // Returns the last place that is surely in the queue: this command's, if no other command is on its way.
    QueueMark mark() const {
        if (xqueue_ == nullptr) return {};
        return {entry_, entry_->serial.load(std::memory_order_acquire), ticket_.mark};
    }
    XqQueue* xqueue() const { return xqueue_; }

private:
    XSCHED_HOT void admit(LaunchKind kind) {
        if (kind == LaunchKind::kMarker) return xq_admit_marker(xqueue_, &ticket_);
        if (kind != LaunchKind::kWait) [[likely]]
            return xq_admit(xqueue_, &ticket_);
        note_wait();
        xq_admit_wait(xqueue_, &ticket_);
    }
    XSCHED_HOT bool finds_queue(Stream stream, bool per_thread) {
        entry_ = capturing(stream, per_thread) ? nullptr : entry_of(stream, per_thread);
        xqueue_ = entry_ != nullptr ? entry_->xqueue.load(std::memory_order_acquire) : nullptr;
        if (xqueue_ == nullptr) return false;
        if (several_queues()) [[unlikely]]
            depend_implicitly(*entry_);
        return true;
    }
    // Returns whether the command goes into a capture that began without the shim. Then it is none of the queue's, and
    // the stream counts as captured.
    bool is_outside(Stream stream, bool per_thread) {
        if (ticket_.verdict != kXqOutside) return false;
        note_captured(stream, per_thread);
        entry_ = nullptr;
        xqueue_ = nullptr;
        return true;
    }
    XSCHED_HOT void call_begins() {
        counted_ = several_priorities();
        if (counted_) [[unlikely]]
            xq_driver_call(xqueue_, kXqCallBegins);
    }
    bool can_ask() const { return entry_->kind.load(std::memory_order_relaxed) != StreamKind::kPerThread; }

    DeviceUse use_;  // first: the thread waits before it is admitted
    StreamEntry* entry_;
    XqQueue* xqueue_;
    XqTicket ticket_{};
    bool counted_ = false;
    bool later_ = false;
};

// A launch during which the shim watches to which hardware queue it goes, if the platform can see that. Used while that
// is not known, and if streams of several priorities may block each other.
class WatchedLaunch : public Launch {
public:
    XSCHED_HOT WatchedLaunch(Stream stream, bool per_thread, LaunchKind kind = LaunchKind::kWork,
                             Event waits_for = nullptr)
        : Launch(stream, per_thread, kind, waits_for), wide_(kind == LaunchKind::kWide) {
        watch();
    }
    WatchedLaunch(Stream stream, bool per_thread, const XqPiece& piece)
        : Launch(stream, per_thread, piece), wide_(false) {
        watch();
    }
    XSCHED_HOT void returned(Result code) {
        if constexpr (kSharesHardware) {
            const KeepErrno keep;
            if (watching_ && call_returned(entry()->hardware, wide_, state_)) {
                depend_implicitly(*entry());
                tell_who_is_apart();
            }
        }
        Launch::returned(code);
        if constexpr (kSharesHardware)
            if (watching_) call_settled(entry()->hardware);
    }

private:
    XSCHED_HOT void watch() {
        if constexpr (kSharesHardware) {
            if (xqueue() == nullptr || (entry()->hardware.known() && !several_priorities())) return;
            watching_ = queues_observed();
            if (watching_) stream::call_begins(entry()->hardware, wide_, &state_);
        }
    }

    const bool wide_;
    bool watching_ = false;
    union {
        CallWatchState state_;  // nothing of it is written before it is needed
    };
};

// Surrounds a driver's call that returns when work of the queue is complete.
class Waits : base::NoCopies {
public:
    explicit Waits(XqQueue* xqueue) : xqueue_(xqueue) {
        const KeepErrno keep;
        if (xqueue_ != nullptr) xq_wait_begins(xqueue_);
    }
    explicit Waits(const StreamEntry* entry)
        : Waits(entry != nullptr ? entry->xqueue.load(std::memory_order_acquire) : nullptr) {}
    ~Waits() {
        const KeepErrno keep;
        if (xqueue_ != nullptr) xq_wait_ended(xqueue_);
    }

private:
    XqQueue* xqueue_;
};

}  // namespace xsched::stream
