// The part that one client takes of its user's limits, and the limits of its control group. Created, used and destroyed
// by the dispatcher's thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "dispatch/user_limits.h"

namespace xsched::dispatch {

class UserShare {
public:
    // The limits; null: there are none.
    explicit UserShare(std::shared_ptr<UserLimits> limits, std::shared_ptr<GroupShare> group = nullptr)
        : limits_(std::move(limits)), group_(std::move(group)) {}

    // Returns how many of the client's slots are read: as many as the user's limit on memory for slots allows.
    uint32_t most_slots() const {
        return limits_ != nullptr ? limits_->slots.load(std::memory_order_relaxed) : ipc::kMostQueues;
    }

    // Most devices that a user's queues may be on: 16 GPUs in seven parts each, and processors. Each device costs a
    // little in every pass.
    static constexpr size_t kMostDevices = 128;

    // Counts one more queue. Returns false if the user has its most queues, or queues on its most devices.
    bool take_queue(uint64_t device);
    void return_queue(uint64_t device);
    // Records (record.h) per queue that the user may have. A record stays as long as its client, and slots are used
    // again: two leave room for clients whose queues have gone.
    static constexpr uint32_t kRecordsPerQueue = 2;

    // Counts a slot with a record. Returns false if the user has its most records.
    bool take_record();
    void return_records(uint32_t count) {
        if (limits_ != nullptr) limits_->records -= count;
    }
    // Returns the priority that a queue gets if it asks for `wanted`, and counts it as in use until
    // return_priority().
    int32_t take_priority(int32_t wanted);
    void return_priority(int32_t granted);
    // Returns `wanted`, capped by the limits of the user and the control group.
    int32_t capped(int32_t wanted) const {
        if (limits_ != nullptr) wanted = std::min(wanted, limits_->highest_priority.load(std::memory_order_relaxed));
        if (group_ != nullptr)
            wanted = std::min({wanted, group_->highest_priority.load(std::memory_order_relaxed),
                               group_->rule_priority.load(std::memory_order_relaxed)});
        return wanted;
    }

private:
    bool take_device(uint64_t device);

    std::shared_ptr<UserLimits> limits_;
    std::shared_ptr<GroupShare> group_;
};

}  // namespace xsched::dispatch
