// The dispatcher's knowledge of one slot of a client: values that it saw there and values that it wrote. Plain data.
#pragma once

#include <cstdint>

#include "base/side_by_side.h"
#include "dispatch/delay_account.h"
#include "dispatch/hold_tracker.h"
#include "dispatch/joined_bursts.h"
#include "dispatch/silence.h"
#include "dispatch/slot_reader.h"
#include "sched/facts/costs.h"
#include "sched/facts/unit.h"

namespace xsched::dispatch {

// The facts besides the verdict that decide a queue's directives.
struct DirectedFor {
    uint32_t own = 0;
    int32_t priority = 0;
    int64_t ready_since_ns = 0;
    bool ready = false;
    bool stands = false;
    bool lent = false;
    bool unheard = false;
    bool device_progress = false;
    bool pending = false;  // it will be presumed idle after a while
    bool settles = false;
    bool operator==(const DirectedFor&) const = default;
};

struct QueueHistory {
    // Returns whether the queue must report what it does. A lent priority ends with a command that may be unreported.
    bool is_followed(const sched::Verdict& by) const { return by.watched || lent || unheard; }
    bool is_followed() const { return is_followed(verdict); }  // as last written
    // Returns whether the queue has been followed ever since this time: what began then was seen from its begin.
    bool followed_at(int64_t ns) const { return followed_since_ns != 0 && ns >= followed_since_ns; }

    bool used = false;
    bool scheduled = false;  // counted within its user's limit
    uint64_t handle = 0;
    uint64_t device = 0;
    sched::Costs costs;
    uint32_t own = 0;  // index of its unit among the client's own
    bool suspended_by_person = false;  // by handle
    bool ready = false;
    bool stands = false;
    bool lent = false;  // a more urgent queue lends it its priority
    bool suspended = false;  // as last written
    bool device_progress = false;
    bool unheard = false;  // followed for the sake of tools: left alone it would report nothing, or it has a target
    JoinedBursts joined;
    int64_t held_ns = 0;  // for how long it was held in the present burst
    uint64_t heard_submitted = 0;  // commands it had been given when it last reported
    // For queues whose device itself writes their progress: when the queue was last seen to become idle, or to have
    // work again after it stood at a wait.
    int64_t idle_seen_ns = 0;
    int64_t ready_seen_ns = 0;
    Silence silence;
    uint64_t completed = 0;  // count at the last change or question
    int64_t asked_ns = 0;  // then
    int64_t progress_ns = 0;  // when that last changed, or the queue became ready
    sched::Verdict verdict{};
    policy::NoteCode warned{};  // the policy's note that is in the log already
    uint32_t by_client = 0;  // of the verdict
    int32_t by_pid = 0;
    uint32_t told_client = 0;  // client whose log says that the queue is suspended for it; 0: none
    uint64_t told_unit = 0;
    QueueDelay delay;
    uint64_t preemptions = 0;
    int64_t ready_since_ns = 0;
    int64_t suspended_since_ns = 0;
    int64_t looked_ns = 0;  // until when its times are counted
    // A stop or resumption under way: since when, and the queue's counts at its begin.
    int64_t stopping_since_ns = 0;
    int64_t resuming_since_ns = 0;
    uint64_t mark_launched = 0;
    uint64_t mark_completed = 0;
    uint64_t last_completed = 0;  // as read last
    uint64_t last_copies = 0;
    uint64_t last_copied_bytes = 0;
    sched::Mechanism stopped_by{};
    HoldTracker hold;
    int64_t unit_busy_ns = 0;  // its device time already counted in a unit
    base::SideBySide::Part in_unit;  // of that unit
    int64_t changed_ns = 0;  // when it was last suspended or resumed
    int64_t metered_busy_ns = 0;  // its device time and commands already in the histogram
    uint64_t metered = 0;
    bool has_priority = false;  // its priority is counted with its user's
    int32_t wanted_priority = 0;  // wanted priority, capped by the user's limit
    int32_t priority = 0;  // that it got
    bool warmed = false;  // it was warmed for the burst that is about to begin
    bool on_its_way = false;  // as directed last
    // The queue's state as last written to the journal.
    bool in_journal = false;
    int64_t followed_since_ns = 0;  // 0: it is not followed
    bool taken_off = false;
    HoldCause told;
    uint64_t directed = 0;
    DirectedFor directed_for;  // as last written

    // Returns whether the slot still has this queue: a queue keeps its handle and device for life.
    bool is(const QueueNumbers& numbers) const { return handle == numbers.handle && device == numbers.device; }
    DirectedFor basis() const {
        return {.own = own,
                .priority = priority,
                .ready_since_ns = ready_since_ns,
                .ready = ready,
                .stands = stands,
                .lent = lent,
                .unheard = unheard,
                .device_progress = device_progress,
                .pending = silence.pending(),
                .settles = stopping_since_ns != 0 || resuming_since_ns != 0};
    }
};

}  // namespace xsched::dispatch
