// A whole simulation with one virtual clock and one seed: devices, processes, their programs, and the server, if there
// is one. The same workload and seed always give the same run. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/agenda.h"
#include "sim/card.h"
#include "sim/device.h"
#include "sim/process.h"
#include "sim/program.h"
#include "sim/server.h"
#include "sim/workload.h"

namespace xsched::sim {

enum class Scheduling : uint8_t { kNative, kServer };

class World {
public:
    // `workload` must outlive this object. Throws std::runtime_error if there is no such policy.
    World(const Workload& workload, Scheduling scheduling, Observer* observer = nullptr);
    ~World();

    // Runs until that time, or until nothing more happens.
    void run_until(int64_t end_ns);
    int64_t now_ns() const { return now_ns_; }
    int64_t begin_ns() const { return kBeginNs; }

    // Records what the server sees and decides, from the beginning. Call before run_until.
    void record_into(ipc::Recording& recording);
    // Adds what queues do at the end. Call after run_until.
    void end_recording();
    std::vector<std::unique_ptr<Program>>& programs() { return programs_; }
    const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
    const std::vector<Card>& cards() const { return cards_; }
    Server* server() { return server_.get(); }
    // Returns the number of steps that state machines took.
    uint64_t events() const;

private:
    class Starter;
    // Start of the virtual clock, since a time of 0 means "never" in the slots.
    static constexpr int64_t kBeginNs = 1'000'000'000;

    Agenda agenda_;
    int64_t now_ns_ = kBeginNs;
    uint64_t wakes_ = 0;
    std::unique_ptr<Server> server_;
    std::vector<ProgramSpec> specs_;  // one for each program
    std::vector<std::unique_ptr<Device>> devices_;
    std::vector<Card> cards_;  // their memory
    std::vector<std::unique_ptr<Process>> processes_;
    std::vector<std::unique_ptr<Program>> programs_;
    std::vector<std::unique_ptr<Starter>> starters_;
};

}  // namespace xsched::sim
