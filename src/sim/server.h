// xserver's scheduling thread on the virtual clock: the real dispatcher, scheduler core and policy, over real slots in
// this process's memory. It makes a pass a moment after a client rang, and when it planned one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dispatch/dispatcher.h"
#include "dispatch/journal.h"
#include "ipc/recording.h"
#include "sim/agenda.h"
#include "sim/observer.h"
#include "sim/told.h"
#include "sim/workload.h"

namespace xsched::sim {

class Process;

class Server final : public Actor, public RingTold {
public:
    // Throws std::runtime_error if there is no such policy.
    Server(Agenda& agenda, const Workload& workload, Observer* observer);

    void admit(Process& process, int64_t now_ns);
    void expel(uint32_t id, int64_t now_ns);
    // Rings the doorbell of a client.
    void ring(uint32_t id, int64_t now_ns) override;
    void set_policy(const std::string& name, int64_t now_ns);
    void set_suspended_by_person(uint32_t id, bool suspended, int64_t now_ns);
    void wake(int64_t now_ns) override;

    uint64_t passes() const { return passes_; }
    // Returns a hash of all directives so far and their times: equal for runs that decided the same.
    uint64_t decisions_hash() const { return hash_; }
    uint64_t decisions() const { return decisions_; }
    // Writes the changes of all queues to `recording` from now on.
    void record_into(ipc::Recording& recording, int64_t now_ns);
    // Adds what queues do at the end.
    void end_recording(int64_t now_ns);
    const char* thrown_out() { return dispatcher_.core().thrown_out(); }

private:
    void tell(Process& process, int64_t now_ns);
    void write_recording(int64_t now_ns);
    void hash(uint64_t number) { hash_ = (hash_ ^ number) * 0x100000001b3U; }

    Agenda& agenda_;
    int64_t reaction_ns_;
    Observer* observer_;
    dispatch::Journal journal_;
    ipc::Recording* recording_ = nullptr;
    int64_t recording_began_ns_ = 0;
    uint64_t recorded_ = 0;
    std::vector<dispatch::JournalEntry> entries_;
    dispatch::Dispatcher dispatcher_;
    std::vector<Process*> processes_;
    std::vector<uint32_t> rung_;
    uint64_t passes_ = 0;
    uint64_t decisions_ = 0;
    uint64_t hash_ = 0xcbf29ce484222325U;
};

// Makes a policy by name. Throws std::runtime_error with the names that exist.
std::unique_ptr<policy::Policy> make_policy(const std::string& name);

}  // namespace xsched::sim
