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

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/futex.h"
#include "ipc/decisions.h"
#include "ipc/device_memory.h"
#include "ipc/device_name.h"
#include "ipc/queue_slot.h"
#include "ipc/shared_events.h"
#include "ipc/slot_work.h"

namespace xsched::ipc {

inline constexpr uint32_t kMagic = 0x44435358;  // "XSCD"
inline constexpr uint32_t kVersion = 31;        // raised with any change of this file, queue_slot.h or protocol.h
inline constexpr uint32_t kMostQueues = 1024;
inline constexpr uint32_t kOneCallReturned = 1u << 16;  // in Header::driver_calls

// Drivers register whole pages, so no slot straddles two.
inline constexpr uint32_t kSlotsPageBytes = 4096;

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
    // How far the client's clock is ahead of the server's; 0: client and server have the same clock (client_clock.h).
    // Written and read by the client alone, before it uses anything else.
    std::atomic<int64_t> client_ahead_ns;

    // --- client -> server
    alignas(64) base::FutexWord doorbell;  // client adds 1 when a queue's readiness or set-up changed
    std::atomic<uint32_t> server_asleep;  // server
    std::atomic<uint32_t> slot_end;  // one more than the highest slot ever used (client)
    std::atomic<uint32_t> carried_out;  // the value of `directive` that its agent has acted upon (client)
    // Calls that put work into queues of several priorities: those inside the driver (lower half), and how many have
    // returned (upper half). A call may wait there for work of another queue, or for a lock of the driver that such a
    // waiting call holds. (client)
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
    // For how long the client keeps the device after each of its waits, whatever other programs do; 0: not at all.
    // (server)
    std::atomic<uint32_t> keep_alive_always_us;
    // When the next burst of a more urgent program that copies is expected, or when it began; 0: none. (server)
    std::atomic<int64_t> copy_burst_ns;
    std::atomic<uint32_t> served;  // 1: the memory is sealed and the scheduler reads it (server)
    std::atomic<uint32_t> detached;  // 1: the server has let go of this client (server)
    // Settings that a person made for queues made later (xcli hint PID, xcli config PID): a bit per hint that is set
    // (base::HintId), and config values, 0 for those left alone. (server)
    std::atomic<uint32_t> default_hints;
    // The bits of default_hints that come from a rule of the configuration; hints of the program itself override such
    // rules. (server)
    std::atomic<uint32_t> rule_hints;
#define XSCHED_HINT(field, type, ...) std::atomic<type> default_##field;
#include "base/hints.def"
#undef XSCHED_HINT
    std::atomic<uint32_t> default_level;
    std::atomic<uint32_t> default_threshold;
    std::atomic<uint32_t> default_batch_size;
    // The server changes this number at least every kHeartbeatNs while it has this client suspended. A client that sees
    // the number unchanged for kHeartbeatLostNs, by its own clock, goes on unscheduled.
    std::atomic<int64_t> heartbeat_ns;
    // Raised before and after each time that the server stops or restarts this client's devices itself, because the
    // client does not answer. If it is odd or has changed, the client's own knowledge is out of date.
    std::atomic<uint32_t> outside_changes;
    std::atomic<uint32_t> outside_stopped;  // 1: the server has taken something of this client off its device
    std::atomic<uint32_t> together;  // 1: some suspended slot says Interrupt::kTogether (server)
    std::atomic<uint32_t> taken_together;  // 1: that has been carried out (server)

    // Names of the first devices that the client used. (client)
    DeviceName devices[kMostDeviceNames];
    // The client's memory on each device where some of it can be moved, or was asked for (device_memory.h).
    DeviceMemory memory[kMostDeviceNames];
    std::atomic<uint32_t> memory_used;  // 1: `memory` has entries (client)
    std::atomic<int32_t> memory_priority;  // the program's priority until its first queue has one (client)
    // Bytes that the programs of its user, or of its control group, may have together on each device, whichever is
    // less; 0: no limit. Written before the welcome too. (server)
    std::atomic<uint64_t> memory_joint_limit;
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

// Client side: adds one to the doorbell, and wakes the server if it sleeps. Takes about 10 ns if it does not sleep.
inline void ring_doorbell(Header& header) {
    header.doorbell.fetch_add(1, std::memory_order_seq_cst);
    if (header.server_asleep.load(std::memory_order_seq_cst) != 0) base::futex_wake_all(header.doorbell);
}

// Most threads to wake. The agent's thread sleeps longest, so it is among them: the program's threads look again after
// a millisecond. A hostile client may let thousands sleep on its word.
inline constexpr int kMostWoken = 16;

// Server side: adds one to the directive's word, and wakes the agent's thread if it sleeps.
inline void ring_directive(Header& header) {
    header.directive.fetch_add(1, std::memory_order_seq_cst);
    if (header.agent_asleep.load(std::memory_order_seq_cst) != 0) base::futex_wake_some(header.directive, kMostWoken);
}

}  // namespace xsched::ipc
