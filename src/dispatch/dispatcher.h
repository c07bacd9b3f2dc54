// From shared memory to the scheduler core and back: reads the slots of clients, groups them into units, asks the core,
// writes directives and rings. Used by xserver (many clients) and by the local scheduler (one). Owned and called by one
// thread. Nothing that a client writes is trusted (slot_reader.h).
//
// A pass costs what changed: it reads the clients that rang, those whose counters move while somebody waits for them, and
// a few others in turn; it decides about their devices alone, and writes to those whose verdict changed. It allocates
// nothing unless clients, queues or units have come since the last one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dispatch/means.h"
#include "dispatch/record.h"
#include "dispatch/user_limits.h"
#include "ipc/layout.h"
#include "sched/core.h"

namespace xsched::dispatch {

struct ClientView {
    uint32_t id = 0;                // unique among the clients
    int32_t pid = 0;
    ipc::Region* region = nullptr;  // stays valid until remove_client
    bool held = false;              // xcli suspend PID
    uint64_t process = 0;           // equal for clients that are one process; 0: it is one by itself
    std::shared_ptr<ClientRecord> record;  // kept true for other threads; null: nobody reads it
    std::shared_ptr<UserLimits> limits;    // its user's; null: none
};

class Dispatcher {
public:
    explicit Dispatcher(sched::Core core);
    ~Dispatcher();

    void add_client(const ClientView& client);
    // Resumes everything of the client first, so that it is left running.
    void remove_client(uint32_t id);
    // xcli suspend/resume; `handle` 0: all queues of the client, also those it makes later. Takes effect with the next
    // pass. False: no such client or queue.
    bool set_held(uint32_t client_id, uint64_t handle, bool held);

    // Something of the client was changed from outside: the next pass reads it.
    void look_at(uint32_t client_id);

    // One pass over everything: returns when to pass again at the latest (CLOCK_MONOTONIC ns), 0: when somebody rings.
    int64_t pass(int64_t now_ns);
    // The same, where the clients with these ids alone rang since the last pass (and those added or changed by the calls
    // above).
    int64_t pass(int64_t now_ns, std::span<const uint32_t> rung);

    sched::Core& core();

    struct QueueReport {  // for xcli: one queue as last seen, with the last verdict for its unit
        uint32_t client_id;
        uint32_t slot;
        sched::Verdict verdict;
        int64_t suspended_total_ns;  // time kept off with work to do
        uint64_t preemptions;        // times it was suspended while it had work to do
        Means means;                 // by which its process is kept off this device, when it is
    };
    std::vector<QueueReport> reports() const;
    // For how long, in all, work of other clients was kept off to make room for this one's; two clients that wait at
    // the same time count twice.
    int64_t delay_caused_ns(uint32_t client_id) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace xsched::dispatch
