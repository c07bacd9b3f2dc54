// The dispatcher's knowledge of one slot of a client: the values that were seen in it and that were written to it.
// Plain data.
#pragma once

#include <cstdint>

#include "base/side_by_side.h"
#include "dispatch/delay_account.h"
#include "dispatch/hold_tracker.h"
#include "dispatch/silence.h"
#include "dispatch/slot_reader.h"
#include "sched/facts/costs.h"
#include "sched/facts/unit.h"

namespace xsched::dispatch {

// The facts, besides the verdict, on which the directives of a queue rest.
struct DirectedFor {
    uint32_t own = 0;
    int32_t priority = 0;
    int64_t ready_since_ns = 0;
    bool ready = false;
    bool stands = false;
    bool lent = false;
    bool unheard = false;
    bool device_progress = false;
    bool pending = false;  // it will be presumed idle some time
    bool settles = false;
    bool operator==(const DirectedFor&) const = default;
};

struct QueueHistory {
    // Whether it is to report what it does. A priority that is lent ends with a command that nobody reports.
    bool is_followed(const sched::Verdict& by) const { return by.watched || lent || unheard; }
    bool is_followed() const { return is_followed(verdict); }  // as last written

    bool used = false;
    bool scheduled = false;  // within its user's limit
    uint64_t handle = 0;
    uint64_t device = 0;
    sched::Costs costs;
    uint32_t own = 0;   // its unit among the client's own
    bool suspended_by_person = false;  // by handle
    bool ready = false;
    bool stands = false;
    bool lent = false;  // a more urgent queue's priority is lent to it
    bool suspended = false;  // as last written
    bool device_progress = false;
    bool unheard = false;  // left alone it would report nothing: it is followed, so that people see what it has
    uint64_t heard_submitted = 0;  // what it had been given when something of it was heard last
    // With device_progress: when the queue was last seen to become idle, or to have work that stood before.
    int64_t idle_seen_ns = 0;
    int64_t ready_seen_ns = 0;
    Silence silence;
    uint64_t completed = 0;    // as last seen to change, or asked about,
    int64_t asked_ns = 0;      // then
    int64_t progress_ns = 0;   // when it last changed, or the queue became ready
    sched::Verdict verdict{};
    policy::NoteCode warned{};  // what the policy says of it that is in the log
    uint32_t by_client = 0;    // of the verdict
    int32_t by_pid = 0;
    uint32_t told_client = 0;  // whose log says that it is suspended for it; 0: nobody's
    uint64_t told_unit = 0;
    QueueDelay delay;
    uint64_t preemptions = 0;
    int64_t ready_since_ns = 0;
    int64_t suspended_since_ns = 0;
    int64_t looked_ns = 0;  // its times are counted until then
    // A stop or a resumption that is under way, and how far the queue was when it began.
    int64_t stopping_since_ns = 0;
    int64_t resuming_since_ns = 0;
    uint64_t mark_launched = 0;
    uint64_t mark_completed = 0;
    uint64_t last_completed = 0;  // as read last
    uint64_t last_copies = 0;
    uint64_t last_copied_bytes = 0;
    sched::Mechanism stopped_by{};
    HoldTracker hold;
    int64_t unit_busy_ns = 0;  // device time that counts in a unit
    base::SideBySide::Part in_unit;  // of that unit
    int64_t changed_ns = 0;  // when it was suspended or let go last
    int64_t metered_busy_ns = 0;  // device time and commands of it that are in the histogram
    uint64_t metered = 0;
    bool has_priority = false;    // it counts among its user's
    int32_t wanted_priority = 0;  // within the user's highest
    int32_t priority = 0;         // that it got
    bool warmed = false;          // for the burst that is about to begin
    bool on_its_way = false;  // as directed last
    // As the journal says it.
    bool in_journal = false;
    bool followed = false;
    bool taken_off = false;
    HoldCause told;
    uint64_t directed = 0;
    DirectedFor directed_for;  // as last written

    // A queue keeps both for as long as it lives.
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
