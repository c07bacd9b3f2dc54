// Turns changes of queues into states over time. Pure.
//
// Words: line, one queue from its creation (or the trace's begin) to its end (or the trace's end); stretch, a part of a
// line in which nothing changes. Stretches of a line follow one another without gaps, and none is empty.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/trace/traced.h"

namespace xsched::cli {

enum class Phase : uint8_t {
    kLeftAlone,  // it has no rivals: it runs freely, and is not watched
    kIdle,
    kRunning,  // has work, and may run
    kHeld  // has work, and is kept off
};

struct Stretch {
    int64_t from_ns = 0;
    int64_t to_ns = 0;
    Phase phase{};
    TracedCause cause;  // of kHeld
    uint32_t burst = 0;  // number of the burst within the line, from 1; 0: none
};

// A burst. Its commands are known if both of its ends were seen.
struct TracedBurst {
    uint64_t began_with = 0;  // commands so far
    uint64_t ended_with = 0;
    int64_t command_ns = 0;
    bool begin_seen = false;
    bool end_seen = false;
};

struct Line {
    uint32_t client = 0;
    uint32_t slot = 0;
    uint64_t device = 0;  // 0: not known
    uint64_t handle = 0;  // likewise
    int32_t priority = 0;  // the last one
    std::vector<Stretch> stretches;
    std::vector<TracedBurst> bursts;  // at index Stretch::burst - 1
    std::vector<TracedChange> decisions;  // what the mechanism did; times lie within the line
    int64_t from_ns() const { return stretches.front().from_ns; }
    int64_t to_ns() const { return stretches.back().to_ns; }
};

// Returns the lines that are not empty, by client and slot.
std::vector<Line> lines_of(const Traced& traced);
// Returns the stretch at that time; null: there is none.
const Stretch* stretch_at(const Line& line, int64_t at_ns);

}  // namespace xsched::cli
