// What queues were kept off for, and for how long: written by the dispatcher's thread whenever a hold, or a part of a
// long one, is over; read by one other thread, which adds it up (server/hold_book.h). A queue is held while it is
// suspended and has work to do.
#pragma once

#include <cstdint>

#include "dispatch/newest_ring.h"
#include "sched/unit.h"

namespace xsched::dispatch {

// For whom, or why, and how.
struct HoldCause {
    int32_t by_pid = 0;      // the process that it makes room for; 0: none
    uint32_t by_client = 0;  // likewise
    sched::Reason reason{};
    sched::Mechanism mechanism{};
};

struct HoldPart {
    uint32_t client = 0;
    uint32_t slot = 0;
    int64_t end_ns = 0;
    int64_t ns = 0;       // of this part,
    int64_t hold_ns = 0;  // and of the hold up to its end
    HoldCause cause;
    bool last = false;  // the hold is over, or goes on for another cause
};

class HoldLog {
public:
    static constexpr uint64_t kEntries = 1 << 15;

    HoldLog() { ring_.make(); }

    void add(const HoldPart& part) {
        ring_.add({static_cast<uint64_t>(part.end_ns), static_cast<uint64_t>(part.ns),
                   static_cast<uint64_t>(part.hold_ns), uint64_t{part.client} << 32 | part.slot,
                   uint64_t{part.cause.by_client} << 32 | static_cast<uint32_t>(part.cause.by_pid),
                   uint64_t{static_cast<uint32_t>(part.cause.reason)} << 32 |
                       uint64_t{static_cast<uint8_t>(part.cause.mechanism)} << 8 | (part.last ? 1U : 0U)});
    }
    uint64_t end() const { return ring_.end(); }
    // As NewestRing::read, with take(part).
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
    NewestRing<6, kEntries> ring_;
};

}  // namespace xsched::dispatch
