// The work of the programs in a recording (xcli record), as a server would tell it of its own programs: xcli admit
// predicts from either. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/work_parts.h"
#include "ipc/recording.h"

namespace xsched::sim {

struct RecordedWork {
    using Quantiles = std::array<int64_t, base::kWorkParts.size()>;  // in microseconds, at those parts

    std::string program;
    uint64_t requests = 0;
    bool endless = false;  // it works without rests
    Quantiles request_us{};  // without the time that they were held
    Quantiles took_us{};  // with it
    Quantiles rest_us{};
    Quantiles burst_count{};  // of a request
    Quantiles pauses_us{};  // of a request, between its bursts, together
    Quantiles command_us{};
};

// Returns the work of each program, of its busiest queue; programs that have done too little are left out. Throws
// std::runtime_error if no queue did anything.
std::vector<RecordedWork> recorded_work(ipc::Recording recording);

}  // namespace xsched::sim
