// Tells whether a unit mainly copied recently: copy engines work beside the kernels of others. A quarter of its
// commands suffices, since the events behind copies are commands too. A program that loads its parameters and then
// launches a few graphs per second no longer counts. Copies are counted at launch and commands at completion, so a few
// of them say nothing. A unit that copies many bytes per command, on average, does nothing else worth mentioning.
//
// Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/facts/times.h"

namespace xsched::sched {

class CopyShare {
public:
    static constexpr uint64_t kRemembered = 512;
    // Bytes per command from which a unit only copies. Pieces of 100 us are 5 MiB long, and pieces of pageable memory
    // as well (queue/path/copy_rates.h).
    static constexpr uint64_t kLargeBytes = uint64_t{4} << 20;

    // Takes the counts since the unit began: copies launched, their bytes, and commands completed. A smaller count than
    // before means that its queues are new ones.
    void observe(uint64_t copies, uint64_t bytes, uint64_t completed, int64_t now_ns) {
        if (copies < seen_.copies || completed < seen_.commands) *this = CopyShare{};
        recent_.copies += copies - seen_.copies;
        recent_.bytes += std::max(bytes, seen_.bytes) - seen_.bytes;
        recent_.commands += completed - seen_.commands;
        seen_ = {copies, bytes, completed};
        while (recent_.commands >= kRemembered) recent_.halve();
        if (now_ns - halved_ns_ < kLatelyNs || recent_.commands < 2 * uint64_t{kSampleCommands}) return;
        halved_ns_ = now_ns;
        recent_.halve();
    }
    bool some() const { return recent_.copies != 0; }
    bool mostly() const {
        return recent_.commands >= uint64_t{kSampleCommands} && 4 * recent_.copies >= recent_.commands;
    }
    bool only() const { return mostly() && recent_.bytes / recent_.commands >= kLargeBytes; }

private:
    struct Counts {
        uint64_t copies = 0;
        uint64_t bytes = 0;
        uint64_t commands = 0;
        void halve() { *this = {copies / 2, bytes / 2, commands / 2}; }
    };
    Counts seen_;  // those of the last look
    Counts recent_;  // those that still count
    int64_t halved_ns_ = 0;
};

}  // namespace xsched::sched
