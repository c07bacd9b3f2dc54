// The memory that one process and its scheduler share: one Header and kMostQueues slots.
//
// With a global scheduler it is a memfd that xserver made, sealed (region.h) and passed over the socket. With a local
// scheduler, or none, it is ordinary memory of the process. Both sides read and write it without locks; every field
// is an atomic with one writer (named in its comment), except hints, where the last writer wins. The server trusts
// nothing it reads: a value out of range is clamped. All times are by the server's clock (client_clock.h).
//
// Sleepers and their words: the server sleeps on `doorbell` of every client, the client's agent thread on `directive`.
// A side rings by adding one to the word, and makes the wake system call only if the other side says it is asleep
// (store asleep; look again; sleep - add; look at asleep; wake: sequentially consistent on both sides).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/futex.h"
#include "ipc/decisions.h"
#include "ipc/device_name.h"
#include "ipc/shared_events.h"

namespace xsched::ipc {

inline constexpr uint32_t kMagic = 0x44435358;  // "XSCD"
inline constexpr uint32_t kVersion = 25;        // raised with any change of this file or protocol.h
inline constexpr uint32_t kMostQueues = 1024;

enum class SlotState : uint32_t { kFree = 0, kUsed = 1 };

// Why a queue is suspended, or was resumed. Sentences: sched/facts/reason.def.
using ReasonCode = uint32_t;

inline constexpr uint32_t kGateClosed = 0;
inline constexpr uint32_t kGateOpen = 1;

// How a suspended queue's running work is treated.
enum class Interrupt : uint32_t {
    kNone = 0,      // it ends
    kTakenOff = 1,  // the queue's running work is taken off the device
    kKeptOff = 2,   // the same, but a short timeslice already took it off: only its return is prevented
    kTogether = 3,  // xserver takes it off, in one call with others: the client's agent does nothing
};

// The client's answer to the directive.
enum class Taken : uint32_t {
    kNothing = 0,
    kOff = 1,     // the work that ran is off the device
    kSlowed = 2,  // the work continues on a few of the device's compute units; its gate stays open while it makes room
                  // for others
    kTaking = 3,  // the call that takes it off is under way or has just ended: the client may be frozen inside
};

// Drivers register whole pages, so no slot straddles two.
inline constexpr uint32_t kSlotsPageBytes = 4096;

// Most waits, one behind the other, at which an in-order queue can be said to stand.
inline constexpr int kMostStands = 5;

// Most priorities that a queue can inherit: as many as a stream can have above the least one (CUDA has 6).
inline constexpr int kMostInherited = 6;

struct alignas(512) QueueSlot {
    // --- who it is; written by the client while the slot is free, before state becomes kUsed
    alignas(64) std::atomic<uint32_t> state;  // SlotState
    std::atomic<uint32_t> platform;  // XPlatform
    std::atomic<uint64_t> handle;  // XQueueHandle
    std::atomic<uint64_t> hwq;  // the vendor's handle, shown to people
    std::atomic<uint64_t> device;  // XDevice; equal in every process for one device
    std::atomic<uint32_t> levels;  // bit n: preempt level n is supported
    std::atomic<uint32_t> level;  // the level in use (client)
    std::atomic<uint32_t> threshold;  // in-flight limit set explicitly, 0: automatic (client)
    std::atomic<uint32_t> batch_size;  // (client)
    std::atomic<uint32_t> taken;  // Taken (client)
    std::atomic<uint32_t> suspended_for_nobody;  // 1: suspended, but not for another process (server)
    std::atomic<uint32_t> waiting;  // threads that wait in XSched before they may hand over their next command (client)
    std::atomic<uint32_t> inside;  // threads inside the driver that wait for its work to end (client)

    // --- More urgent queues of the same process wait for this one: it counts as at least as urgent as
    // inherited_priority[i] until `completed` reaches inherited_until[i]. (client)
    alignas(64) std::atomic<uint64_t> inherited_until[kMostInherited];
    std::atomic<int32_t> inherited_priority[kMostInherited];
    // --- hints; client and server write, last one wins
#define XSCHED_HINT(field, type, ...) std::atomic<type> field;
#include "base/hints.def"
#undef XSCHED_HINT

    // --- what it does; written by the client. Ready: submitted != completed and it does not stand (stands_at), or a
    // caller is waiting.
    alignas(64) std::atomic<uint64_t> submitted;  // commands accepted from the program
    std::atomic<uint64_t> launched;  // of those, given to the driver to run
    std::atomic<uint64_t> completed;
    std::atomic<int64_t> ready_since_ns;  // time of the last idle -> ready change
    std::atomic<int64_t> idle_since_ns;  // time of the last ready -> idle change
    std::atomic<int64_t> command_ns;  // mean length of a command, moving average; 0: not known yet
    std::atomic<int64_t> busy_ns;  // device time used so far, as far as known
    std::atomic<uint32_t> device_progress;  // 1: `progress` below says what has completed, `completed` may lag
    std::atomic<uint32_t> api_suspended;  // 1: the program itself suspended it (XQueueSuspend)

    // --- the scheduler's directive; written by the server (or the local scheduler)
    alignas(64) std::atomic<uint32_t> suspended;  // 1: must not run
    std::atomic<ReasonCode> reason;
    std::atomic<int32_t> by_pid;  // process for whose work it makes room; 0: none
    // The queue counts as idle once this many commands are submitted, modulo 2^32: the end of the last of them will not
    // be reported.
    std::atomic<uint32_t> presumed;
    std::atomic<int64_t> directed_ns;  // when `suspended` last changed
    std::atomic<int64_t> window_ns;  // the most device time in flight, in case a more urgent program comes; 0: none can
                                     // come, and the limit is a count
    std::atomic<uint32_t> want_level;  // level set by xcli config; 0: leave it
    std::atomic<uint32_t> want_threshold;
    std::atomic<uint32_t> want_batch_size;
    std::atomic<uint32_t> want_serial;  // raised after the three above change
    std::atomic<uint32_t> ask;  // raised when the device should report its progress
    std::atomic<uint32_t> warm;  // raised when the device should be given something to do, so that it has switched to
                                 // this context by then
    std::atomic<uint32_t> interrupt;  // Interrupt: how the work that runs is treated while suspended (level 3)

    // --- the gate: a word that the device itself may wait on (>= kGateOpen); written by settle_gate alone
    alignas(64) base::FutexWord gate;
    // --- read by the device as well: keep-alive kernels of lower numbers end; the kernel of this number ends soon
    // (client)
    std::atomic<uint32_t> keep_alive;
    // --- also a directive; stored here because its own cache line is full
    std::atomic<uint32_t> device_timeslice_us;  // timeslice of the process's contexts in the hardware; 0: the driver's
                                                // own
    std::atomic<uint32_t> gates_apart_us;  // least device time between two gates; 0: as usual
    // Cost of taking its process off the device, in microseconds (XqCosts in queue/device.h). Constant, written with
    // the identity above; that cache line is full. (client)
    std::atomic<uint32_t> switch_us;
    std::atomic<uint32_t> off_us;
    std::atomic<uint32_t> most_off_us;
    std::atomic<uint32_t> effect_us;
    std::atomic<uint32_t> interrupt_us;
    std::atomic<uint32_t> apart;  // 1: level 3 takes this queue off by itself, not its process (client)
    // The queue stands once this many commands have completed, plus one, modulo 2^32: all others wait for its host,
    // another program or another device. 0: none. Written before `submitted`. (client)
    std::atomic<uint32_t> stands_at[kMostStands];
    // 1: the queue is to use level 3, which is paused for its process; `level` tells the level that acts meanwhile.
    // (client)
    std::atomic<uint32_t> level_pauses;
    // --- written by the device: how many commands its stream has passed, modulo 2^32
    alignas(64) std::atomic<uint32_t> progress;
    // The number, counted from 1, of the first command whose end is not reported by itself. Only a wait of the program,
    // or its next launch, tells that end. 0: there is none. (client)
    std::atomic<uint64_t> unreported;
    // --- parts of what was submitted, written only when copies are submitted (client)
    std::atomic<uint64_t> copies;  // memory copies; each piece counts
    std::atomic<uint64_t> copied_bytes;  // bytes of these copies, as far as their calls tell
    // Until when the process keeps the device for a burst, or to the burst's end; 0: it does not. (client)
    std::atomic<int64_t> holds_until_ns;
    // --- also a directive: with `warm`, for how long the process may keep the device for work that is to come, in
    // microseconds; 0: only a moment
    std::atomic<uint32_t> warm_us;
    std::atomic<uint32_t> warm_to_end;  // 1: hold the device for the burst under way, until its next wait
    std::atomic<uint32_t> warm_behind_us;  // otherwise hold it for this long behind the first launch of the burst; 0: a
                                           // moment
    // Number of the vendor's context that the queue belongs to, among those of its process: the hardware lets contexts
    // take turns. 0: unknown, or the device has none. Written with the identity above. (client)
    std::atomic<uint32_t> context;
};

// Returns how many commands are known to be complete, never more than `submitted`. Takes no lock.
inline uint64_t completed_commands(const QueueSlot& slot) {
    const uint64_t completed = slot.completed.load(std::memory_order_acquire);
    if (slot.device_progress.load(std::memory_order_relaxed) == 0) return completed;
    const uint32_t passed = slot.progress.load(std::memory_order_acquire);
    const uint64_t submitted = slot.submitted.load(std::memory_order_acquire);
    const uint64_t by_device = submitted - static_cast<uint32_t>(static_cast<uint32_t>(submitted) - passed);
    return by_device > completed && by_device <= submitted ? by_device : completed;
}

// The value of `stands_at` for a queue that stands once `completed` commands are complete.
inline constexpr uint32_t stand_mark(uint64_t completed) { return static_cast<uint32_t>(completed) + 1; }

// Returns whether the queue stands with that many complete: the rest waits for its host, another program or another
// device.
inline bool stands(const QueueSlot& slot, uint64_t completed) {
    const uint32_t mark = stand_mark(completed);
    if (mark == 0)
        return false;  // mark 0 means none; a true mark is 0 once in 2^32 commands, and then the queue
                       // counts as ready
    for (const std::atomic<uint32_t>& at : slot.stands_at)
        if (at.load(std::memory_order_acquire) == mark) return true;
    return false;
}

// The work that a queue has, as its client says it. `ready` counts for the scheduler unless its own program suspends
// it.
struct SlotWork {
    uint64_t completed = 0;
    uint64_t submitted = 0;
    bool ready = false;  // some of its work can use the device, or a caller waits for room
    bool stands = false;  // it has work, and all of it waits for its host, another program or another device
};
// `completed` is read first: a command that completes in between leaves the queue ready for one look too long, and the
// client rings then. The other way round work would be overlooked.
inline SlotWork work_of(const QueueSlot& slot) {
    SlotWork work;
    work.completed = completed_commands(slot);
    const bool waiting = slot.waiting.load(std::memory_order_acquire) != 0;
    work.submitted = slot.submitted.load(std::memory_order_acquire);
    const bool pending = work.submitted != work.completed;
    work.stands = pending && !waiting && stands(slot, work.completed);
    work.ready = (pending && !work.stands) || waiting;
    return work;
}

// Returns `own`, or the inherited priority until `completed` reaches the end of that.
inline int32_t with_inherited_priority(const QueueSlot& slot, int32_t own, uint64_t completed) {
    for (int i = 0; i < kMostInherited; ++i)
        if (completed < slot.inherited_until[i].load(std::memory_order_acquire))
            own = std::max(own, slot.inherited_priority[i].load(std::memory_order_relaxed));
    return own;
}

// The longest timeslice that counts as short, as victims have. A longer one (up to the driver's own 2 ms and more) is
// for the most urgent process.
inline constexpr uint32_t kLongestShortTimesliceUs = 2000;
inline constexpr bool is_short_timeslice(uint32_t us) { return us != 0 && us <= kLongestShortTimesliceUs; }

inline bool is_off(const QueueSlot& slot) {
    return slot.taken.load(std::memory_order_acquire) == static_cast<uint32_t>(Taken::kOff);
}
inline bool may_be_off(const QueueSlot& slot) {
    return is_off(slot) || slot.taken.load(std::memory_order_acquire) == static_cast<uint32_t>(Taken::kTaking);
}
inline bool is_slowed(const QueueSlot& slot) {
    return slot.taken.load(std::memory_order_seq_cst) == static_cast<uint32_t>(Taken::kSlowed);
}
// Returns whether a queue that is suspended for another program still runs, slowed. A queue that a person or a limit
// suspends must stop.
inline bool runs_slowed(const QueueSlot& slot) {
    return is_slowed(slot) && slot.suspended_for_nobody.load(std::memory_order_seq_cst) == 0;
}

inline uint32_t wanted_gate(const QueueSlot& slot) {
    const bool closed = (slot.suspended.load(std::memory_order_seq_cst) != 0 && !runs_slowed(slot)) ||
                        slot.api_suspended.load(std::memory_order_seq_cst) != 0;
    return closed ? kGateClosed : kGateOpen;
}

// Closes the gate if the scheduler or the program suspends the queue, otherwise opens it. The gate of a queue that is
// only slowed stays open. Each side calls this after changing its own word; the later call sees both changes.
inline void settle_gate(QueueSlot& slot) {
    uint32_t wanted = wanted_gate(slot);
    while (slot.gate.load(std::memory_order_seq_cst) != wanted) {
        slot.gate.store(wanted, std::memory_order_seq_cst);
        wanted = wanted_gate(slot);
    }
}

struct Header {
    // --- written by the server before the client sees it; never changes
    alignas(64) uint32_t magic;
    uint32_t version;
    uint32_t header_bytes;
    uint32_t slot_bytes;
    uint32_t slot_count;
    int32_t server_pid;
    uint32_t client_id;
    int64_t made_ns;  // when the server made the memory, by its own clock
    // How far the client's clock is ahead of the server's; 0: both are the same clock (client_clock.h). Written and
    // read by the client alone, before it uses anything else.
    std::atomic<int64_t> client_ahead_ns;

    // --- client -> server
    alignas(64) base::FutexWord doorbell;  // client adds 1 when a queue's readiness or set-up changed
    std::atomic<uint32_t> server_asleep;  // server
    std::atomic<uint32_t> slot_end;  // one more than the highest slot ever used (client)
    std::atomic<uint32_t> carried_out;  // the value of `directive` that its agent has acted upon (client)
    // Calls that put work into queues of several priorities: those inside the driver (lower half), and how many have
    // returned (upper half). One may wait there for work of another queue, or for a lock that a call holds that does.
    // (client)
    std::atomic<uint32_t> driver_calls;

    // --- server -> client
    alignas(64) base::FutexWord directive;  // server adds 1 after it changed anything below or in a slot
    std::atomic<uint32_t> agent_asleep;  // client
    std::atomic<uint32_t> watching;  // 1: ring on each ready/idle change; 0: changes are not needed (server)
    std::atomic<uint32_t> expect_interrupt;  // 1: a directive may ask for a driver call that a unit waits for (server)
    // Keep-alive: a little work for nothing that keeps the device through the program's own short pauses. So the
    // hardware does not switch to another process and back. Useful while others are being kept off for this client's
    // sake.
    std::atomic<uint32_t> keep_alive_wanted;  // 1: other programs may be kept off for this client, so it should prepare
                                              // a keep-alive (server)
    std::atomic<uint32_t> keeps_alive;  // 1: the keep-alive is prepared (client)
    std::atomic<uint32_t> keep_alive_synchronizes;  // how often the program synchronized since then, modulo 2^32
                                                    // (client)
    std::atomic<int64_t> keep_alive_until_ns;  // other programs are on their way off the device until about then; 0:
                                               // never yet (server)
    std::atomic<uint32_t> keep_alive_always_us;  // how long to keep the device behind any wait, whatever other programs
                                                 // do; 0: not at all (server)
    // When the next burst of a more urgent program that copies is expected, or when it began; 0: none. (server)
    std::atomic<int64_t> copy_burst_ns;
    std::atomic<uint32_t> served;  // 1: the memory is sealed and the scheduler reads it (server)
    std::atomic<uint32_t> detached;  // 1: the server has let go of this client (server)
    // Settings that a person made for queues made later (xcli hint PID, xcli config PID): a bit per hint that is set
    // (base::HintId), and config values, 0 for those left alone. (server)
    std::atomic<uint32_t> default_hints;
#define XSCHED_HINT(field, type, ...) std::atomic<type> default_##field;
#include "base/hints.def"
#undef XSCHED_HINT
    std::atomic<uint32_t> default_level;
    std::atomic<uint32_t> default_threshold;
    std::atomic<uint32_t> default_batch_size;
    // Another number at least every kHeartbeatNs while the server has this client suspended. A client that sees it
    // stand still for kHeartbeatLostNs, by its own clock, goes on unscheduled.
    std::atomic<int64_t> heartbeat_ns;
    // Raised before and after each time that the server stops or restarts this client's devices itself, because the
    // client does not answer. If it is odd or has changed, the client's own knowledge is out of date.
    std::atomic<uint32_t> outside_changes;
    std::atomic<uint32_t> outside_stopped;  // 1: the server has taken something of this client off its device
    std::atomic<uint32_t> together;  // 1: some suspended slot says Interrupt::kTogether (server)
    std::atomic<uint32_t> taken_together;  // 1: that has been carried out (server)

    // Names of the first devices that the client used. (client)
    DeviceName devices[kMostDeviceNames];
    std::atomic<uint32_t> wants_decisions;  // 1: the client's log tells decisions (client)
    DecisionRing decisions;
    SharedEvents shared_events;  // (client)
};

inline constexpr int64_t kHeartbeatNs = 50'000'000;
// How often the server advances the heartbeat: no more often than useful, since its cache line holds words that the
// client reads for every command.
inline constexpr int64_t kBeatEveryNs = kHeartbeatNs / 4;
inline constexpr int64_t kHeartbeatLostNs = 500'000'000;

struct Region {
    Header header;
    alignas(kSlotsPageBytes) QueueSlot slots[kMostQueues];
};
static_assert(kSlotsPageBytes % sizeof(QueueSlot) == 0);

// Returns the slots behind a header. Every header is part of a Region.
inline const QueueSlot* slots_of(const Header& header) { return reinterpret_cast<const Region&>(header).slots; }

// Client side: add one, wake if the server sleeps. ~10 ns when it does not.
inline void ring_doorbell(Header& header) {
    header.doorbell.fetch_add(1, std::memory_order_seq_cst);
    if (header.server_asleep.load(std::memory_order_seq_cst) != 0) base::futex_wake_all(header.doorbell);
}

// Most threads to wake. The agent's thread sleeps longest, so it is among them: the program's threads look again after
// a millisecond. A hostile client may let thousands sleep on its word.
inline constexpr int kMostWoken = 16;

// Server side: add one, wake the agent's thread if it sleeps.
inline void ring_directive(Header& header) {
    header.directive.fetch_add(1, std::memory_order_seq_cst);
    if (header.agent_asleep.load(std::memory_order_seq_cst) != 0) base::futex_wake_some(header.directive, kMostWoken);
}

}  // namespace xsched::ipc
