// One client as whoever admits it to the dispatcher describes it. Plain data.
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
    uint64_t process = 0;           // equal for clients that are one process; 0: it is one by itself
    bool shares_by_queue = false;   // each of its queues shares a device by itself
    std::shared_ptr<ClientRecord> record;  // kept true for other threads; null: nobody reads it
    std::shared_ptr<UserLimits> limits;    // its user's; null: none
    std::shared_ptr<GroupShare> group;     // its control group's; null: none
    Journal* journal = nullptr;            // outlives it; null: nobody records
    std::shared_ptr<sched::ProgramHabits> habits;  // the scheduling thread's until remove_client; null: not kept
    HoldLog* holds = nullptr;              // likewise; null: nobody adds them up
    uint32_t switch_us = 0;  // the hardware's switch as it was measured here; 0: as its platform declares it
    // The scheduling thread's, and outlives it: gets the ids of clients whose Header::together changes.
    std::vector<uint32_t>* together = nullptr;
};

}  // namespace xsched::dispatch
