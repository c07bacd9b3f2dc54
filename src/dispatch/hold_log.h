// The log of holds: which queues were kept off, why, and for how long. The dispatcher's thread writes whenever a hold,
// or a part of a long one, ends. One other thread reads and adds up (server/hold_book.h). A queue is held while it is
// suspended and has work to do.
//
// Where several users share the scheduler, each has its part of the log: what is told of one's holds replaces nothing
// of another's that has not been read.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "base/clock.h"
#include "dispatch/newest_ring.h"
#include "dispatch/user_limits.h"
#include "sched/facts/unit.h"

namespace xsched::dispatch {

// The cause of a hold: for which process it is, why, and by which mechanism.
struct HoldCause {
    int32_t by_pid = 0;  // process for which room is made; 0: none
    uint32_t by_client = 0;  // likewise
    sched::Reason reason{};
    sched::Mechanism mechanism{};
};

struct HoldPart {
    uint32_t client = 0;
    uint32_t slot = 0;
    int64_t end_ns = 0;
    int64_t ns = 0;  // of this part,
    int64_t hold_ns = 0;  // length of the hold up to the part's end
    HoldCause cause;
    bool last = false;  // the hold ends with this part, or continues for another cause
};

class HoldLog {
public:
    static constexpr uint64_t kEntries = 1 << 15;

    // The reader reads more often than this.
    static constexpr int64_t kReadNs = 2 * base::kSecond;  // judgement

    HoldLog() { ring_.make(); }

    // Notes the policy that decides from now on. The dispatcher's thread.
    void decide_under(const char* policy, int64_t now_ns) {
        const char* before = std::exchange(policy_, policy);
        if (before != nullptr && before != policy) policy_since_ns_.store(now_ns, std::memory_order_release);
    }
    // Returns when the policy last changed; 0: never. A part that ended by then was decided by an earlier policy.
    int64_t policy_since_ns() const { return policy_since_ns_.load(std::memory_order_acquire); }

    // Sets how many users have a part of the log (recorded_users.h). The dispatcher's thread, as the following.
    void share(uint32_t users) { users_ = users; }
    // Adds a part of a hold. `user`: the user of the queue; null: none. If the user's room is used up, the part is left
    // out and counted with the user.
    void add(const HoldPart& part, UserLimits* user, int64_t now_ns) {
        if (users_ <= 1 || user == nullptr || may_write(*user, now_ns)) add(part);
    }

    void add(const HoldPart& part) {
        ring_.add({static_cast<uint64_t>(part.end_ns), static_cast<uint64_t>(part.ns),
                   static_cast<uint64_t>(part.hold_ns), uint64_t{part.client} << 32 | part.slot,
                   uint64_t{part.cause.by_client} << 32 | static_cast<uint32_t>(part.cause.by_pid),
                   uint64_t{static_cast<uint32_t>(part.cause.reason)} << 32 |
                       uint64_t{static_cast<uint8_t>(part.cause.mechanism)} << 8 | (part.last ? 1U : 0U)});
    }
    uint64_t end() const { return ring_.end(); }
    // Reads as NewestRing::read, with take(part).
    template <typename Take>
    uint64_t read(uint64_t from, size_t most, uint64_t& lost, Take take) const {
        return ring_.read(from, most, lost, [&take](const auto& words) {
            take(HoldPart{.client = static_cast<uint32_t>(words[3] >> 32),
                          .slot = static_cast<uint32_t>(words[3]),
                          .end_ns = static_cast<int64_t>(words[0]),
                          .ns = static_cast<int64_t>(words[1]),
                          .hold_ns = static_cast<int64_t>(words[2]),
                          .cause = {.by_pid = static_cast<int32_t>(words[4]),
                                    .by_client = static_cast<uint32_t>(words[4] >> 32),
                                    .reason = static_cast<sched::Reason>(words[5] >> 32),
                                    .mechanism = static_cast<sched::Mechanism>(words[5] >> 8 & 0xff)},
                          .last = (words[5] & 1) != 0});
        });
    }

private:
    // Returns whether the user has room: half of its part at once, and the other half spread over the time until it is
    // read.
    bool may_write(UserLimits& user, int64_t now_ns) const {
        const int64_t part_ns = 2 * kReadNs * users_ / static_cast<int64_t>(kEntries);
        if (user.holding.try_use(part_ns, kReadNs, now_ns)) return true;
        user.holds_left_out.store(user.holds_left_out.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return false;
    }

    const char* policy_ = nullptr;  // a constant text, one for each policy
    std::atomic<int64_t> policy_since_ns_{0};
    uint32_t users_ = 1;
    NewestRing<6, kEntries> ring_;
};

}  // namespace xsched::dispatch
