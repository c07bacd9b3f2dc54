// A trace ready to be written: tracks, and the events on them. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "console/perfetto_file.h"

namespace xsched::cli {

struct TraceTrack {
    enum class Kind : uint8_t { kProcess, kPlain, kCounter };
    uint64_t id = 0;
    uint64_t parent = 0;  // 0: none
    Kind kind = Kind::kPlain;
    int32_t pid = 0;
    std::string name;
};

struct TraceEvents {
    std::vector<TraceTrack> tracks;
    std::vector<console::TraceEvent> events;  // in the order in which they will be written
};

}  // namespace xsched::cli
