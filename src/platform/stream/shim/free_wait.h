// Tells when a call that frees device memory may be made. After the call the driver scrubs the memory (overwrites it)
// on a copy engine. Another program's copies to the device wait for that (docs/decisions/024; mem_scrub.c of NVIDIA's
// open kernel modules has a channel of its own for it). So before a foreseen burst with copies of a more urgent
// program, memory is freed only if it will be scrubbed by then; none is freed within the burst. Pure; one object per
// call.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"

namespace xsched::stream {

class FreeWait {
public:
    // If memory is scrubbed in less time than this, freeing it is not delayed.
    static constexpr int64_t kLeastNs = 50 * base::kMicrosecond;  // decision 024
    static constexpr int64_t kLookNs = 100 * base::kMicrosecond;  // judgement
    // Longest wait, beyond the time in which earlier memory, and this call's, is scrubbed.
    static constexpr int64_t kMostNs = 10 * base::kMillisecond;  // decision 024
    static constexpr int64_t kMostInAllNs = 100 * base::kMillisecond;  // decision 024

    // `scrubbed_ns`: when memory freed earlier will be scrubbed. `lasts_ns`: how long scrubbing this call's memory
    // takes.
    FreeWait(int64_t now_ns, int64_t scrubbed_ns, int64_t lasts_ns)
        : lasts_ns_(lasts_ns),
          until_ns_(now_ns + std::min(std::max<int64_t>(scrubbed_ns - now_ns, 0) + lasts_ns + kMostNs, kMostInAllNs)) {}

    // Returns how long to wait before another look; 0: make the call now. `burst_ns`: see ipc::Header::copy_burst_ns.
    int64_t look(int64_t now_ns, int64_t scrubbed_ns, int64_t burst_ns) {
        if (burst_ns == 0 || lasts_ns_ < kLeastNs || now_ns >= until_ns_) return 0;
        if (now_ns - burst_ns >= kMostNs) return 0;  // it has become work without end, or the scheduler is gone
        if (burst_ns <= now_ns) {
            met_ = true;
            return kLookNs;
        }
        // Right after a burst the call is made at once: the next burst is then as far away as it can be.
        if (met_ || std::max(now_ns, scrubbed_ns) + lasts_ns_ <= burst_ns) return 0;
        return std::min(burst_ns, until_ns_) - now_ns;
    }

private:
    int64_t lasts_ns_;
    int64_t until_ns_;
    bool met_ = false;  // a burst was under way, or due
};

}  // namespace xsched::stream
