// The limits of all clients of one user together, and what they use. Limits may be set by any thread. Uses are written
// by the dispatcher's thread and read by any.
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
    std::atomic<int32_t> highest_priority{PRIORITY_MAX};  // priorities above count as this one
    std::atomic<uint32_t> queues{4096};  // queues beyond are not scheduled
    std::atomic<uint32_t> slots{ipc::kMostQueues};  // of each client; queues in slots beyond are not scheduled
    std::atomic<uint32_t> priorities{16};  // most different priorities at a time; a further one counts as the next
                                           // lower
    std::atomic<uint32_t> units{64};  // most units on one device; further queues join units that their client has there
    std::atomic<int32_t> share{0};  // share of each device for all programs of the user together, as in base/hints.def
    std::atomic<int32_t> limit{100};  // at least 1
    // Bytes of device memory, on each device, for all programs of the user together: how many they may have (limit),
    // and how many of those stay on the device (guarantee). 0: no limit, no guarantee.
    std::atomic<uint64_t> memory_limit{0};
    std::atomic<uint64_t> memory_guarantee{0};
    // The user's account, as in policy::Unit; and whether the user's programs share as one even without a given share.
    // Both are written before any thread reads them.
    uint64_t account = 0;
    bool shares_as_one = false;
    std::atomic<uint32_t> queues_used{0};
    std::atomic<uint32_t> priorities_used{0};
    std::atomic<int64_t> unheard_until_ns{0};  // until then rings of its clients wake no thread
                                               // (server/thread/doorbells.h)
    std::atomic<uint64_t> not_recorded{0};  // journal entries left out because its part of the ring was full
                                            // (journal.h)
    std::atomic<uint64_t> holds_left_out{0};  // parts of holds left out likewise (hold_log.h)

    // Used by the dispatcher alone. Allowances of the scheduling thread: for reading clients (prices.h), for writing
    // directives, and for rings, counted while there are other users. Then room in the journal, and in the log of holds
    // (hold_log.h).
    Allowance looking;
    Allowance writing;
    Allowance ringing;
    Allowance recording;
    Allowance holding;
    uint64_t read_pass = 0;  // in that pass
    int64_t read_ns = 0;  // price of what was read of its clients in this pass
    uint64_t written_pass = 0;  // in that pass
    uint32_t written = 0;  // slots written in this pass
    // What the user has: how many slots with a record; devices, each with its number of queues; clients; and how many
    // queues of each priority, from PRIORITY_MIN on.
    uint32_t records = 0;
    std::vector<std::pair<uint64_t, uint32_t>> devices;
    uint32_t clients = 0;
    int64_t left_ns = 0;  // when the last client left
    uint32_t in_use[PRIORITY_MAX - PRIORITY_MIN + 1] = {};
};

// The share of each device that a client's control group is given, all its programs together, and their highest
// priority. Written by any thread.
struct GroupShare {
    std::atomic<int32_t> share{0};
    std::atomic<int32_t> limit{100};
    std::atomic<int32_t> highest_priority{PRIORITY_MAX};  // as in UserLimits
    std::atomic<int32_t> rule_priority{PRIORITY_MAX};  // the same for this client alone, by a rule of the configuration
    std::atomic<uint64_t> account{0};  // as in policy::Unit; 0: the group has no share
    std::atomic<bool> trusted{false};  // set by a trusted person: takes precedence over its users' shares
    // As in UserLimits, of the nearest group above with a limit or guarantee of memory, and what names that group.
    std::atomic<uint64_t> memory_limit{0};
    std::atomic<uint64_t> memory_guarantee{0};
    std::atomic<uint64_t> memory_account{0};
};

// The account under which a client's units share devices with others, and what all of these get together.
struct JointShare {
    uint64_t account = 0;  // 0: each program has its own
    int32_t share = 0;
    int32_t limit = 100;
    bool of_user = false;  // the account is the user's, not the control group's
};

// Returns the account of a client's user or control group; each may be null. All programs of a group with a share or
// limit share as one, whatever their users are. A user's do if the user was given a share or limit, or if users are
// what shares. A group's account comes first only if an administrator set it: a user cannot escape the administrator's
// share by making a control group.
inline JointShare joint_share(const UserLimits* user, const GroupShare* group) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    JointShare of_group;
    if (group != nullptr && group->account.load(kRelaxed) != 0)
        of_group = {group->account.load(kRelaxed), group->share.load(kRelaxed), group->limit.load(kRelaxed)};
    if (of_group.account != 0 && group->trusted.load(kRelaxed)) return of_group;
    if (user == nullptr) return of_group;
    const JointShare of_user{user->account, user->share.load(kRelaxed), user->limit.load(kRelaxed), true};
    const bool shares = of_user.share != 0 || of_user.limit < 100 || user->shares_as_one;
    return shares && of_user.account != 0 ? of_user : of_group;
}

// Returns the bytes that a client's user and control group allow on each device, whichever allows less; 0: no limit.
inline uint64_t joint_memory_limit(const UserLimits* user, const GroupShare* group) {
    const uint64_t of_user = user != nullptr ? user->memory_limit.load(std::memory_order_relaxed) : 0;
    const uint64_t of_group = group != nullptr ? group->memory_limit.load(std::memory_order_relaxed) : 0;
    return ipc::least_limit(of_user, of_group);
}

}  // namespace xsched::dispatch
