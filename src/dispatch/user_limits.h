// The limits of the clients of one user together in the scheduler, and their use. Limits: written by whoever sets them,
// any thread. Uses: written by the dispatcher's thread, read by any.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "dispatch/allowance.h"
#include "ipc/layout.h"
#include "xsched/types.h"

namespace xsched::dispatch {

struct UserLimits {
    std::atomic<int32_t> highest_priority{PRIORITY_MAX};  // higher ones count as this
    std::atomic<uint32_t> queues{4096};  // further ones are not scheduled
    std::atomic<uint32_t> slots{ipc::kMostQueues};  // of each client; queues in further ones are not scheduled
    std::atomic<uint32_t> priorities{16};  // different ones at a time; a further one counts as the next lower
    std::atomic<uint32_t> units{64};  // on one device; further queues count as units of their client that are there
    std::atomic<int32_t> share{0};  // of each device, of all its programs together: as base/hints.def says
    std::atomic<int32_t> limit{100};  // at least 1
    // As in policy::Unit; and whether the user's programs share as one also where nothing was said of him. Both are
    // written before anybody reads them.
    uint64_t account = 0;
    bool shares_as_one = false;
    std::atomic<uint32_t> queues_used{0};
    std::atomic<uint32_t> priorities_used{0};
    std::atomic<int64_t> unheard_until_ns{0};  // its clients' rings wake nobody until then (server/thread/doorbells.h)
    std::atomic<uint64_t> not_recorded{0};  // journal entries beyond its part of the ring (journal.h)
    std::atomic<uint64_t> holds_left_out{0};  // parts of holds, likewise (hold_log.h)

    // The dispatcher's alone. Of the scheduling thread: for taking note of what its clients say (prices.h), for writing
    // directives, which others may wait for, and for rings, counted while there are other users. Of the journal, and of
    // the log of holds (hold_log.h).
    Allowance looking;
    Allowance writing;
    Allowance ringing;
    Allowance recording;
    Allowance holding;
    uint64_t read_pass = 0;  // in that pass
    int64_t read_ns = 0;  // for so much its clients were looked at
    uint64_t written_pass = 0;  // in that pass
    uint32_t written = 0;  // this many slots were written
    // How many slots have a record, its devices with how many queues each has, its clients, and how many queues use
    // each priority, from PRIORITY_MIN on.
    uint32_t records = 0;
    std::vector<std::pair<uint64_t, uint32_t>> devices;
    uint32_t clients = 0;
    int64_t left_ns = 0;  // the last of them
    uint32_t in_use[PRIORITY_MAX - PRIORITY_MIN + 1] = {};
};

// The share that a client's control group is given of each device, all programs of the group together, and how urgent
// each of them may be. Written by any thread.
struct GroupShare {
    std::atomic<int32_t> share{0};
    std::atomic<int32_t> limit{100};
    std::atomic<int32_t> highest_priority{PRIORITY_MAX};  // as in UserLimits
    std::atomic<uint64_t> account{0};  // as in policy::Unit; 0: nothing was said of it
    std::atomic<bool> trusted{false};  // somebody who is trusted said it: it goes before what its users have
};

}  // namespace xsched::dispatch
