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
    // Null: no limits.
    explicit UserShare(std::shared_ptr<UserLimits> limits, std::shared_ptr<GroupShare> group = nullptr)
        : limits_(std::move(limits)), group_(std::move(group)) {}

    // The client's slots from this one on are not read: its user's memory goes no further.
    uint32_t most_slots() const {
        return limits_ != nullptr ? limits_->slots.load(std::memory_order_relaxed) : ipc::kMostQueues;
    }

    // Devices that the queues of one user may be on: 16 GPUs in seven parts each, and processors. Each device costs
    // something in each pass, whoever uses it.
    static constexpr size_t kMostDevices = 128;

    // One queue more. False: the user has as many as it may, or its queues are on as many devices.
    bool take_queue(uint64_t device);
    void return_queue(uint64_t device);
    // Records (record.h) for each queue that the user may have. A record stays for as long as its client, and programs
    // use their slots again: twice as many leave room for clients whose queues have gone.
    static constexpr uint32_t kRecordsPerQueue = 2;

    // A slot of which a record is kept. False: the user has as many as it may.
    bool take_record();
    void return_records(uint32_t count) {
        if (limits_ != nullptr) limits_->records -= count;
    }
    // The priority that a queue gets when it asks for `wanted`: in use until it is returned.
    int32_t take_priority(int32_t wanted);
    void return_priority(int32_t granted);
    // The same, not higher than the user and the control group may go.
    int32_t capped(int32_t wanted) const {
        if (limits_ != nullptr) wanted = std::min(wanted, limits_->highest_priority.load(std::memory_order_relaxed));
        if (group_ != nullptr) wanted = std::min(wanted, group_->highest_priority.load(std::memory_order_relaxed));
        return wanted;
    }

private:
    bool take_device(uint64_t device);

    std::shared_ptr<UserLimits> limits_;
    std::shared_ptr<GroupShare> group_;
};

}  // namespace xsched::dispatch
