// How a client is described when it is added to the dispatcher. Plain data.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dispatch/hold_log.h"
#include "dispatch/journal.h"
#include "dispatch/record.h"
#include "dispatch/user_limits.h"
#include "ipc/layout.h"
#include "sched/facts/habits.h"

namespace xsched::dispatch {

struct ClientView {
    uint32_t id = 0;                // unique among the clients
    int32_t pid = 0;
    ipc::Region* region = nullptr;  // stays valid until remove_client
    bool suspended_by_person = false;  // xcli suspend PID
    uint64_t process = 0;           // equal for clients that belong to one process; 0: a process by itself
    bool shares_by_queue = false;   // each of its queues shares a device by itself
    std::shared_ptr<ClientRecord> record;  // kept up to date for other threads; null: none reads it
    std::shared_ptr<UserLimits> limits;    // limits of its user; null: none
    std::shared_ptr<GroupShare> group;     // share of its control group; null: none
    Journal* journal = nullptr;            // outlives the client; null: nothing is recorded
    std::shared_ptr<sched::ProgramHabits> habits;  // written by the scheduling thread until remove_client; null: not
                                                   // kept
    HoldLog* holds = nullptr;              // log of holds, written likewise; null: none
    uint32_t switch_us = 0;  // the hardware's switch time as measured here; 0: as the platform declares it
    // Receives the ids of clients whose Header::together changes. Belongs to the scheduling thread and outlives it.
    std::vector<uint32_t>* together = nullptr;
};

}  // namespace xsched::dispatch
