// Units for the core's tests: a name per field that matters.
#pragma once

#include "sched/core.h"

namespace xsched::sched::testing {

inline constexpr int64_t kUs = 1'000;
inline constexpr int64_t kMs = 1'000'000;
inline constexpr int64_t kSecond = 1'000'000'000;
inline constexpr int64_t kStart = 100 * kSecond;  // well after the beginning of the clock

struct Given {
    uint64_t id = 0;
    int32_t priority = 0;
    bool ready = false;
    int64_t ready_since_ns = 0;
    int64_t idle_since_ns = 0;
    uint64_t device = 1;
    int64_t command_ns = kMs;
    bool held = false;

    operator UnitState() const {
        UnitState state;
        state.unit.id = id;
        state.unit.device = device;
        state.unit.pid = static_cast<int32_t>(id);
        state.unit.priority = priority;
        state.unit.ready_since_ns = ready_since_ns;
        state.unit.command_ns = command_ns;
        state.ready = ready;
        state.idle_since_ns = idle_since_ns;
        state.held = held;
        return state;
    }
};

inline Core hpf_core(Settings settings = {}) { return Core(policy::find_policy("HPF")->make(), settings); }

}  // namespace xsched::sched::testing
