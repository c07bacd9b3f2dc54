// A queue's slot in the shared memory. The only writer of the client's half: identity, hints on a move, counts, and
// what becomes of a suspension. Times given and returned are by the process's own clock. Guarded by the queue's lock;
// readers in other rooms need none (ipc/layout.h).
#pragma once

#include "base/clock.h"
#include "base/hot.h"
#include "ipc/client_clock.h"
#include "ipc/layout.h"
#include "queue/path/command_meter.h"
#include "queue/path/window.h"
#include "queue/setup.h"

namespace xsched::queue {

// Called when a queue becomes ready or idle, so that the local scheduler decides before its own thread wakes. That
// queue's lock is held, so it touches the shared memory alone. Null: there is no local scheduler.
extern std::atomic<void (*)()> g_local_decide;

// The parts of a slot that are carried over when the queue moves to another slot, besides its setup: the handle, the
// counts and so on.
struct SlotState {
    XQueueHandle handle = 0;
    uint64_t submitted = 0;
    uint64_t launched = 0;
    uint64_t completed = 0;
    uint64_t copies = 0;
    uint64_t copied_bytes = 0;
    uint32_t keep_alive = 0;   // the word that ended the last keep-alive
    uint32_t waiting = 0;      // callers in admit
    uint32_t inside = 0;       // threads inside the driver that wait for its work
    uint64_t unreported = 0;   // as QueueSlot::unreported
    uint32_t stands_at = 0;    // as QueueSlot::stands_at
    uint32_t level = 0;        // the level in effect
    bool level_pauses = false;  // as QueueSlot::level_pauses
    ipc::Taken taken = ipc::Taken::kNothing;
    bool suspended = false;    // by the program
};

class PublishedSlot {
public:
    // --- placement and identity
    void place(const Placement& placement) { placement_ = placement; }
    void publish(uint32_t index, const Setup& setup, const SlotState& state, const Window& window,
                 const CommandMeter& meter);
    // Reads back hints that others may have changed, for the next placement.
    void read_hints(Setup* setup) const;
    // Marks the slot as free.
    void free();
    // Opens the gate for threads and devices that wait on it: no scheduler will.
    void open_gate();

    // --- counts
    void submitted(uint64_t count) { slot().submitted.store(count, std::memory_order_release); }
    // Publishes how many commands complete before the queue stands, in the form of ipc::stand_mark; 0: it stands
    // nowhere.
    void stands_at(uint32_t mark, int at = 0) { slot().stands_at[at].store(mark, std::memory_order_release); }
    void copied(uint64_t copies, uint64_t bytes) {
        slot().copies.store(copies, std::memory_order_relaxed);
        slot().copied_bytes.store(bytes, std::memory_order_relaxed);
    }
    void launched(uint64_t count) { slot().launched.store(count, std::memory_order_relaxed); }
    void completed(uint64_t count, const CommandMeter& meter) {
        slot().command_ns.store(meter.command_ns(), std::memory_order_relaxed);
        slot().busy_ns.store(meter.busy_ns(), std::memory_order_relaxed);
        slot().completed.store(count, std::memory_order_release);
    }
    // Rings the scheduler for a queue that became ready or idle; the counts already say so.
    XSCHED_HOT void ring_ready(bool ready, int64_t now_ns);
    void ready_since(int64_t now_ns) {
        slot().ready_since_ns.store(ipc::server_time(header(), now_ns), std::memory_order_release);
    }
    void waiting(uint32_t callers) { slot().waiting.store(callers, std::memory_order_release); }
    void inside(uint32_t callers) { slot().inside.store(callers, std::memory_order_seq_cst); }
    // Publishes that commands from this number on do not report their end.
    void unreported(uint64_t from) { slot().unreported.store(from, std::memory_order_release); }

    // --- settings and suspension
    void level(uint32_t level, bool pauses) {
        slot().level.store(level, std::memory_order_relaxed);
        slot().level_pauses.store(pauses ? 1 : 0, std::memory_order_relaxed);
    }
    void window(const Window& window);
    void suspended_by_program(bool suspended);
    void apart(bool apart) { slot().apart.store(apart ? 1 : 0, std::memory_order_release); }
    // Publishes what level 3 has taken off.
    void taken(ipc::Taken what);
    void keep_alive(uint32_t word) { slot().keep_alive.store(word, std::memory_order_release); }
    // Publishes how long both level 3 calls together take, as measured in this process; 0: unknown, nothing changes.
    void calls_took(uint32_t us);
    // Clears the directive of a scheduler that is gone, so that the queue is no longer suspended.
    void forget_directive();

    // --- what the scheduler says
    bool suspended() const { return slot().suspended.load(std::memory_order_acquire) != 0; }
    bool kept_back() const { return suspended() && !ipc::runs_slowed(slot()); }
    int64_t window_ns() const { return slot().window_ns.load(std::memory_order_relaxed); }
    int64_t gates_apart_ns() const {
        return slot().gates_apart_us.load(std::memory_order_relaxed) * base::kMicrosecond;
    }
    int64_t directed_ns() const { return ipc::own_time(header(), slot().directed_ns.load(std::memory_order_relaxed)); }
    // Publishes until when the process holds the device; 0: it does not.
    void holds_until(int64_t until_ns) {
        slot().holds_until_ns.store(ipc::server_time(header(), until_ns), std::memory_order_release);
    }
    int64_t holds_until_ns() const {
        return ipc::own_time(header(), slot().holds_until_ns.load(std::memory_order_relaxed));
    }
    // Returns whether the scheduler presumed the queue idle with that many submitted. The caller has just changed that
    // number, or the number of waiting threads.
    bool presumed_idle(uint64_t submitted) const {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        return slot().presumed.load(std::memory_order_seq_cst) == static_cast<uint32_t>(submitted);
    }
    int64_t copy_burst_ns() const {
        return ipc::own_time(header(), header().copy_burst_ns.load(std::memory_order_relaxed));
    }
    int64_t keep_alive_until_ns() const {
        return ipc::own_time(header(), header().keep_alive_until_ns.load(std::memory_order_relaxed));
    }
    bool watched() const { return header().watching.load(std::memory_order_relaxed) != 0; }

    ipc::QueueSlot& slot() const { return *placement_.slot; }
    ipc::Header& header() const { return *placement_.header; }
    const Placement& placement() const { return placement_; }

private:
    Placement placement_;
};

}  // namespace xsched::queue
