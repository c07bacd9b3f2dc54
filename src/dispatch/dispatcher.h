// From shared memory to the scheduler core and back: reads the slots of clients, groups them into units, asks the core,
// writes directives (whether each queue may run, and how it is stopped), and wakes the clients' agents ("rings"). Used
// by xserver (many clients) and by the local scheduler (one). Owned and called by one thread. Nothing that a client
// writes is trusted (slot_reader.h).
//
// One round of all that is a pass. A pass costs what changed: it reads the clients that rang (woke this thread after a
// change of their queues), those whose counters move while another client waits for them, and a few others in turn. It
// decides about their devices alone, and writes to those whose verdict changed. It allocates nothing unless clients,
// queues or units have come since the last one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dispatch/client_view.h"
#include "sched/core/core.h"

namespace xsched::dispatch {

struct DispatcherState;

class Dispatcher {
public:
    explicit Dispatcher(sched::Core core);
    ~Dispatcher();

    void add_client(const ClientView& client);
    // Resumes all queues of the client, then removes it.
    void remove_client(uint32_t id);
    // xcli suspend/resume; `handle` 0: all queues of the client, also those it makes later. Takes effect with the next
    // pass. False: no such client or queue.
    bool set_suspended_by_person(uint32_t client_id, uint64_t handle, bool suspended);
    // xcli suspend --memory; returns false if there is no such client.
    bool keep_memory_away(uint32_t client_id, bool away);

    // See ClientSlots::act_for.
    void act_for(uint32_t client_id, std::vector<uint64_t> devices);
    // Makes the next pass read the client, because it was changed from outside.
    void look_at(uint32_t client_id);

    // Runs one pass over all clients. Returns the latest time of the next pass (CLOCK_MONOTONIC ns); 0: when a client
    // rings.
    int64_t pass(int64_t now_ns);
    // Runs one pass, where only the clients with these ids have rung since the last one (besides those added or changed
    // by the calls above). Returns when to run the next one if no client rings before.
    int64_t pass(int64_t now_ns, std::span<const uint32_t> rung);

    // Sets the clock (nanoseconds) that measures how long work takes. If several users have clients, a user is charged
    // for the time if it exceeds the price (prices.h). Without a clock only prices count.
    void measure_with(int64_t (*clock)());

    // Returns whether the clients belong to several users.
    bool has_several_users() const;

    sched::Core& core();

    struct QueueSnapshot {  // one queue as last seen, with the last verdict on its unit
        uint32_t client_id;
        uint32_t slot;
        sched::Verdict verdict;
        int64_t suspended_total_ns;  // time that it was suspended with work to do
        uint64_t preemptions;  // times it was suspended while it had work to do
    };
    std::vector<QueueSnapshot> snapshot() const;
    // Returns for how long, in all, other clients' work was kept off for this one's. Two clients that wait at the same
    // time count twice.
    int64_t delay_caused_ns(uint32_t client_id) const;

private:
    std::unique_ptr<DispatcherState> state_;
};

}  // namespace xsched::dispatch
