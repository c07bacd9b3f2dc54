// Programs' requests for memory, and orders to move memory to the host or back: between the words in shared memory
// (ipc/device_memory.h) and the planner (sched/memory). Dispatcher's thread alone. Costs nothing while no client has
// memory that could be moved, or asks for any.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dispatch/client_list.h"
#include "dispatch/joint_memory.h"
#include "sched/memory/memory_planner.h"

namespace xsched::dispatch {

class MemoryDesk {
public:
    // Reads all these clients' words, plans and writes orders.
    void pass(const ClientList& users, int64_t now_ns);
    // Returns when the desk must look again although no client rings (CLOCK_MONOTONIC ns); 0: no need.
    int64_t look_ns() const { return look_ns_; }

private:
    struct Device {
        sched::MemoryPlanner planner;
        JointMemory joint;
        std::vector<sched::MemoryUser> users;
        std::vector<ClientSlots*> clients;
        std::vector<ipc::DeviceMemory*> words;
    };

    void read(ClientSlots& client);
    uint64_t gang_of(const ClientSlots& client);
    void tell_gangs();
    void write(Device& device, int64_t now_ns);

    std::unordered_map<uint64_t, Device> devices_;
    std::map<std::pair<uint64_t, int64_t>, uint64_t> gangs_;  // by user and name: their numbers in this pass
    int64_t look_ns_ = 0;
    int64_t looked_ns_ = 0;
};

}  // namespace xsched::dispatch
