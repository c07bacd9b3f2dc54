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
    kTakenOff = 1,  // it is taken off the device
    kKeptOff = 2,   // the same, but a short timeslice does the first part: it is kept from coming back
    kTogether = 3,  // xserver takes it off, in one call with others: its agent does nothing
};

// The client's answer to that.
enum class Taken : uint32_t {
    kNothing = 0,
    kOff = 1,     // what ran is off the device
    kSlowed = 2,  // it goes on, on a few of the device's compute units; its gate is open while it makes room for others
    kTaking = 3,  // the call that takes it off is under way, or has just been: its client may be frozen within
};

// Drivers register whole pages: slots do not straddle them.
inline constexpr uint32_t kSlotsPageBytes = 4096;

// Of a queue that keeps order: as many waits, one behind the other, as it may be told to stand at.
inline constexpr int kMostStands = 5;

// As many priorities as a stream can have above the least one (CUDA has 6).
inline constexpr int kMostInherited = 6;

struct alignas(512) QueueSlot {
    // --- who it is; written by the client while the slot is free, before state becomes kUsed
    alignas(64) std::atomic<uint32_t> state;  // SlotState
    std::atomic<uint32_t> platform;  // XPlatform
    std::atomic<uint64_t> handle;  // XQueueHandle
    std::atomic<uint64_t> hwq;  // the vendor's handle, for people to recognise
    std::atomic<uint64_t> device;  // XDevice; equal in every process for one device
    std::atomic<uint32_t> levels;  // bit n: preempt level n is supported
    std::atomic<uint32_t> level;  // the level in use (client)
    std::atomic<uint32_t> threshold;  // in-flight limit set explicitly, 0: automatic (client)
    std::atomic<uint32_t> batch_size;  // (client)
    std::atomic<uint32_t> taken;  // Taken (client)
    std::atomic<uint32_t> suspended_for_nobody;  // 1: suspended, and not for another process (server)
    std::atomic<uint32_t> waiting;  // threads that may not give it their next command yet (client)
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
    std::atomic<int32_t> by_pid;  // whose work it makes room for; 0: nobody's
    // It counts as idle once this many are submitted, modulo 2^32: nothing will be heard of the end of the last of
    // them.
    std::atomic<uint32_t> presumed;
    std::atomic<int64_t> directed_ns;  // when `suspended` last changed
    std::atomic<int64_t> window_ns;  // at most this much device time in flight, because somebody more urgent may
                                     // come; 0: nobody can, the limit is a count
    std::atomic<uint32_t> want_level;  // 0: leave; set by xcli config
    std::atomic<uint32_t> want_threshold;
    std::atomic<uint32_t> want_batch_size;
    std::atomic<uint32_t> want_serial;  // raised after the three above change
    std::atomic<uint32_t> ask;  // raised when the device should report how far it is
    std::atomic<uint32_t> warm;  // raised when the device should do something, so that it has switched to us by then
    std::atomic<uint32_t> interrupt;  // Interrupt: suspended as it is, what becomes of what runs (level 3)

    // --- the gate: a word that the device itself may wait on (>= kGateOpen); written by settle_gate alone
    alignas(64) base::FutexWord gate;
    // --- read by the device as well: keep-alive kernels of lower numbers end; that of this one soon does (client)
    std::atomic<uint32_t> keep_alive;
    // --- a directive too, here for want of room there
    std::atomic<uint32_t> device_timeslice_us;  // of its process's contexts in the hardware; 0: the driver's own
    std::atomic<uint32_t> gates_apart_us;  // at least so much device time is between two gates; 0: as usual
    // What it costs to take its process off the device, in microseconds (XqCosts in queue/device.h). Written with the
    // identity above: it is constant, and here for want of room there. (client)
    std::atomic<uint32_t> switch_us;
    std::atomic<uint32_t> off_us;
    std::atomic<uint32_t> most_off_us;
    std::atomic<uint32_t> effect_us;
    std::atomic<uint32_t> interrupt_us;
    std::atomic<uint32_t> apart;  // 1: level 3 takes this queue off by itself, not its process (client)
    // It stands once so many commands have completed, plus one, modulo 2^32: all others wait for its host, another
    // program or another device. 0: none. Written before `submitted`. (client)
    std::atomic<uint32_t> stands_at[kMostStands];
    // 1: the queue is to use level 3, which pauses for its process: `level` is the one that acts meanwhile. Here for
    // want of room beside that. (client)
    std::atomic<uint32_t> level_pauses;
    // --- written by the device: how many commands its stream has passed, modulo 2^32
    alignas(64) std::atomic<uint32_t> progress;
    // The number, counted from 1, of the first command whose end is not reported by itself. Only a wait of the program,
    // or its next launch, tells that end. 0: there is none. (client)
    std::atomic<uint64_t> unreported;
    // --- of what was submitted; here for want of room there. Only copies change them. (client)
    std::atomic<uint64_t> copies;  // copies of memory, each piece by itself
    std::atomic<uint64_t> copied_bytes;  // theirs, as far as their calls tell
    // Its process holds the device through a burst, or to its end, until then; 0: it does not. (client)
    std::atomic<int64_t> holds_until_ns;
    // --- a directive again: with `warm`, for how long the process may keep the device for work that is to come, in
    // microseconds; 0: only a moment
    std::atomic<uint32_t> warm_us;
    std::atomic<uint32_t> warm_to_end;  // 1: for a burst under way, until its next wait
    std::atomic<uint32_t> warm_behind_us;  // else so long behind the first launch, through the burst; 0: a moment
    // Names the vendor's context that the queue is of, among those of its process: the hardware lets contexts take
    // turns. 0: not known, or the device has none. Written with the identity above, and here for want of room there.
    // (client)
    std::atomic<uint32_t> context;
};

// Commands known to be complete. Without locks; never more than `submitted`.
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

// With that many complete, all that the queue still has waits for its host, another program or another device.
inline bool stands(const QueueSlot& slot, uint64_t completed) {
    const uint32_t mark = stand_mark(completed);
    if (mark == 0) return false;  // once in 2^32 commands: it counts as ready
    for (const std::atomic<uint32_t>& at : slot.stands_at)
        if (at.load(std::memory_order_acquire) == mark) return true;
    return false;
}

// The work that a queue has, as its client says it. `ready` counts for the scheduler unless its own program suspends
// it.
struct SlotWork {
    uint64_t completed = 0;
    uint64_t submitted = 0;
    bool ready = false;  // something of it can use the device, or a caller waits for room
    bool stands = false;  // it has work, and all of that waits for its host, another program or another device
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

// `own`, or what the queue inherits until `completed` reaches the end of that.
inline int32_t with_inherited_priority(const QueueSlot& slot, int32_t own, uint64_t completed) {
    for (int i = 0; i < kMostInherited; ++i)
        if (completed < slot.inherited_until[i].load(std::memory_order_acquire))
            own = std::max(own, slot.inherited_priority[i].load(std::memory_order_relaxed));
    return own;
}

// A timeslice for victims. The most urgent process may have a longer one than the driver's own (2 ms).
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
// Suspended by the scheduler, it runs on nevertheless: slowed, and for another program's sake. A queue that is
// suspended for no other program's sake (by a person, by a limit) is to stop.
inline bool runs_slowed(const QueueSlot& slot) {
    return is_slowed(slot) && slot.suspended_for_nobody.load(std::memory_order_seq_cst) == 0;
}

inline uint32_t wanted_gate(const QueueSlot& slot) {
    const bool closed = (slot.suspended.load(std::memory_order_seq_cst) != 0 && !runs_slowed(slot)) ||
                        slot.api_suspended.load(std::memory_order_seq_cst) != 0;
    return closed ? kGateClosed : kGateOpen;
}

// Closes the gate while the scheduler or the program suspends the queue, else opens it; a queue that runs on slowed
// keeps it open. Each side calls it after it changed its own word; whichever is last sees both.
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
    int64_t made_ns;  // then, by the server's clock
    // How far the client's clock is ahead of the server's; 0: they are one (client_clock.h). Written by the client
    // before it uses anything else, and read by the client alone.
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
    std::atomic<uint32_t> watching;  // 1: ring on every ready/idle change; 0: nobody needs to know (server)
    std::atomic<uint32_t> expect_interrupt;  // 1: a directive may ask for a call that somebody waits for (server)
    // Keep-alive: a little work for nothing that keeps the device through the program's own short pauses. So the
    // hardware does not switch to another process and back. Useful while others are being kept off for this client's
    // sake.
    std::atomic<uint32_t> keep_alive_wanted;  // 1: others may be kept off for it, be prepared (server)
    std::atomic<uint32_t> keeps_alive;  // 1: it is (client)
    std::atomic<uint32_t> keep_alive_synchronizes;  // while that is so: how often it synchronized, modulo 2^32 (client)
    std::atomic<int64_t> keep_alive_until_ns;  // others are on their way off until about then; 0: never yet (server)
    std::atomic<uint32_t> keep_alive_always_us;  // for so long behind any wait, whoever is off; 0: not (server)
    // When the next burst is foreseen, or began, of a more urgent program that copies in it; 0: none is. (server)
    std::atomic<int64_t> copy_burst_ns;
    std::atomic<uint32_t> served;  // 1: the memory is sealed and the scheduler reads it (server)
    std::atomic<uint32_t> detached;  // 1: the server has let go of this client (server)
    // What a person said of queues made later (xcli hint PID, xcli config PID): which hints, a bit for each
    // (base::HintId), and the settings, 0 for those that were left alone. (server)
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
    // The server stops and restarts this client's devices by itself while it does not answer: raised before and after
    // each time. Odd numbers, or one that changed, mean that the client's own knowledge is out of date.
    std::atomic<uint32_t> outside_changes;
    std::atomic<uint32_t> outside_stopped;  // 1: something is off its device by the server's doing
    std::atomic<uint32_t> together;  // 1: some suspended slot says Interrupt::kTogether (server)
    std::atomic<uint32_t> taken_together;  // 1: and that is done (server)

    // The names of the first devices that it used. (client)
    DeviceName devices[kMostDeviceNames];
    std::atomic<uint32_t> wants_decisions;  // 1: its log says what is decided (client)
    DecisionRing decisions;
    SharedEvents shared_events;  // (client)
};

inline constexpr int64_t kHeartbeatNs = 50'000'000;
// How often the server advances it: no more often than useful, since its cache line has words that the client reads for
// every command.
inline constexpr int64_t kBeatEveryNs = kHeartbeatNs / 4;
inline constexpr int64_t kHeartbeatLostNs = 500'000'000;

struct Region {
    Header header;
    alignas(kSlotsPageBytes) QueueSlot slots[kMostQueues];
};
static_assert(kSlotsPageBytes % sizeof(QueueSlot) == 0);

// A header is always that of a Region.
inline const QueueSlot* slots_of(const Header& header) { return reinterpret_cast<const Region&>(header).slots; }

// Client side: add one, wake if the server sleeps. ~10 ns when it does not.
inline void ring_doorbell(Header& header) {
    header.doorbell.fetch_add(1, std::memory_order_seq_cst);
    if (header.server_asleep.load(std::memory_order_seq_cst) != 0) base::futex_wake_all(header.doorbell);
}

// The agent's thread has slept for longer than the program's, which look again after a millisecond. A hostile client
// has thousands sleep on its word: whoever directs it does not wake them all.
inline constexpr int kMostWoken = 16;

// Server side: the same towards the agent thread.
inline void ring_directive(Header& header) {
    header.directive.fetch_add(1, std::memory_order_seq_cst);
    if (header.agent_asleep.load(std::memory_order_seq_cst) != 0) base::futex_wake_some(header.directive, kMostWoken);
}

}  // namespace xsched::ipc
