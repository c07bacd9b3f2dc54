// What one client takes of its user's limits. Created, used and destroyed by the dispatcher's thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "dispatch/user_limits.h"

namespace xsched::dispatch {

class UserShare {
public:
    explicit UserShare(std::shared_ptr<UserLimits> limits) : limits_(std::move(limits)) {}  // null: no limits

    // The client's slots from this one on are not read: its user's memory goes no further.
    uint32_t most_slots() const {
        return limits_ != nullptr ? limits_->slots.load(std::memory_order_relaxed) : ipc::kMostQueues;
    }
    // One queue more. False: the user has as many as it may.
    bool take_queue();
    void return_queue();
    // The priority that a queue gets when it asks for `wanted`: in use until it is returned.
    int32_t take_priority(int32_t wanted);
    void return_priority(int32_t granted);
    // The same, not higher than the user may go.
    int32_t capped(int32_t wanted) const {
        if (limits_ == nullptr) return wanted;
        return std::min(wanted, limits_->highest_priority.load(std::memory_order_relaxed));
    }

private:
    std::shared_ptr<UserLimits> limits_;
};

}  // namespace xsched::dispatch
