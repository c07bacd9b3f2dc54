// One queue's part of the memory that a process and its scheduler share (layout.h). slot_work.h says how its words are
// read together.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/futex.h"

namespace xsched::ipc {

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
    std::atomic<int16_t> inherited_priority[kMostInherited];
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
    // The most device time in flight, because a more urgent program may come. 0: none can come, so the number of
    // commands in flight is limited instead.
    std::atomic<int64_t> window_ns;
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
    // If warm_to_end is 0: how long after the burst's first launch the process may keep the device; 0: only for a
    // moment.
    std::atomic<uint32_t> warm_behind_us;
    // Number of the vendor's context that the queue belongs to, among those of its process: the hardware lets contexts
    // take turns. 0: unknown, or the device has none. Written with the identity above. (client)
    std::atomic<uint32_t> context;
};

}  // namespace xsched::ipc
