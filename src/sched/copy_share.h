// Whether a unit mainly copies lately: the device's copy engines do that beside others' kernels. A quarter of its
// commands is enough: there are the events behind copies, and copies that are counted before they are complete.
// Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <cstdint>

namespace xsched::sched {

class CopyShare {
public:
    static constexpr uint64_t kSampleCommands = 16;

    // So many of its commands were copies when so many were complete. Copies are counted when they are launched.
    void observe(uint64_t copies, uint64_t completed) {
        const uint64_t commands = completed - completed_;
        if (completed >= completed_ && copies >= copies_ && commands < kSampleCommands) return;
        mostly_ = completed >= completed_ && copies >= copies_ && 4 * (copies - copies_) >= commands;
        copies_ = copies;
        completed_ = completed;
    }
    bool mostly() const { return mostly_; }

private:
    uint64_t copies_ = 0;
    uint64_t completed_ = 0;
    bool mostly_ = false;
};

}  // namespace xsched::sched
