// How long each unit has been kept off with work, by the test's own account.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>

namespace xsched::sched {

class KeptOff {
public:
    // Fails the test if a unit of the world has been kept off for longer than `most_ns`. `is_kept_off(i)`: whether
    // unit i is kept off now.
    template <typename World, typename IsKeptOff>
    void check(const World& world, int64_t most_ns, IsKeptOff is_kept_off) {
        std::map<uint64_t, int64_t> still;
        for (size_t i = 0; i < world.units.size(); ++i) {
            if (!is_kept_off(i)) continue;
            const uint64_t id = world.units[i].unit.id;
            const auto before = since_.find(id);
            still[id] = before != since_.end() ? before->second : world.now_ns;
            EXPECT_LE(world.now_ns - still[id], most_ns) << "unit " << id << " starves";
        }
        since_ = still;
    }

private:
    std::map<uint64_t, int64_t> since_;
};

}  // namespace xsched::sched
