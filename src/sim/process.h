// A simulated process: its shared memory (a real Region, ipc/layout.h), its queues on one device, and its agent. The
// agent carries directives out with calls that take time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/client_view.h"
#include "dispatch/record.h"
#include "sim/agenda.h"
#include "sim/card.h"
#include "sim/device.h"
#include "sim/process_memory.h"
#include "sim/queue_model.h"
#include "sim/workload.h"

namespace xsched::sim {

struct FreeRegion {
    void operator()(ipc::Region* region) const;
};

class Process final : public Actor {
public:
    // Throws std::runtime_error if there is no memory.
    Process(Agenda& agenda, Device& device, Card& card, const Workload& workload, const ProgramSpec& spec,
            uint32_t number);

    // Opens the process's queues. `server` null: no scheduler serves the process.
    void open(ProgramTold& program, RingTold* server, int64_t now_ns);
    uint32_t number() const { return number_; }
    uint32_t id() const { return number_ + 1; }  // its client number at the server
    dispatch::ClientView view();
    std::vector<std::unique_ptr<QueueModel>>& queues() { return queues_; }
    const sched::Habits& habits() const { return habits_->now; }
    Device& device() { return device_; }
    const Context& context() const { return context_; }
    ProcessMemory& memory() { return memory_; }
    // Returns the policy's note about the process as a sentence; empty if there is none, or notes are not read
    // (Workload::notes).
    std::string says() const;

    // --- the server
    bool was_directed() const { return region_->header.directive.load(std::memory_order_relaxed) != seen_; }
    bool is_suspended() const;
    // Returns since when the process has been kept off the device, other than by its limit; 0: it is not kept off.
    int64_t kept_off_since_ns() const { return kept_off_since_ns_; }
    // Reacts to new directives: gates act at once, the agent soon.
    void directed(int64_t now_ns);

    // The agent.
    void wake(int64_t now_ns) override;
    uint64_t interrupts() const { return interrupts_; }

private:
    enum class Call : uint8_t { kNone, kTakeOff, kKeepOff, kRestore, kTimeslice, kEffect };
    bool is_kept_off() const;
    Off wanted_off() const;
    uint32_t wanted_timeslice_us() const;
    void end_call(int64_t now_ns);
    bool begin_call(int64_t now_ns);
    void call(Call call, int64_t ns, int64_t now_ns);
    void prepare_keep_alive(int64_t now_ns);

    Agenda& agenda_;
    Device& device_;
    const DeviceCosts& costs_;
    const ProgramSpec& spec_;
    uint32_t number_;
    bool meters_;  // the scheduler gets what its queues measure, not the true figures
    Context& context_;
    std::unique_ptr<ipc::Region, FreeRegion> region_;
    ProcessMemory memory_;
    std::shared_ptr<dispatch::ClientRecord> record_;  // null: it is not read
    std::shared_ptr<sched::ProgramHabits> habits_ = std::make_shared<sched::ProgramHabits>();
    ProgramTold* program_ = nullptr;
    std::vector<std::unique_ptr<QueueModel>> queues_;
    uint32_t seen_ = 0;  // the directive that the agent has noticed
    Call call_ = Call::kNone;
    Off off_ = Off::kNo;  // as called for
    uint32_t timeslice_us_ = 0;
    uint64_t interrupts_ = 0;
    int64_t kept_off_since_ns_ = 0;
    int64_t keep_alive_ready_ns_ = 0;  // 0: no directive asks for one
};

}  // namespace xsched::sim
