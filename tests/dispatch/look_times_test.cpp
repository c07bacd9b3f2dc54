// Tests the heap of times at which units are due to be read (look_times.h) against a sorted set.
#include "dispatch/look_times.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

namespace xsched::dispatch {
namespace {

struct Thing {
    uint32_t place = UINT32_MAX;
    int64_t at_ns = 0;
};
uint32_t& place_of(Thing& thing) { return thing.place; }

TEST(LookTimes, AreTakenInOrderWhateverIsChanged) {
    constexpr size_t kThings = 100;
    std::vector<Thing> things(kThings);
    std::set<int64_t> times;  // all different
    LookTimes<Thing, place_of> looks;
    looks.make_room(kThings);
    std::mt19937 random(1);
    for (int64_t step = 1; step < 20'000; ++step) {
        Thing& thing = things[random() % kThings];
        times.erase(std::exchange(thing.at_ns, 0));
        if (random() % 4 != 0) times.insert(thing.at_ns = static_cast<int64_t>(random() % 1000) * 20'000 + step);
        looks.set(thing, thing.at_ns);
        ASSERT_EQ(looks.size(), times.size());
        ASSERT_EQ(looks.earliest_ns(), times.empty() ? 0 : *times.begin());
        if (times.empty() || random() % 8 != 0) continue;
        EXPECT_EQ(looks.take(*times.begin() - 1), nullptr) << "none is due";
        Thing* first = looks.take(*times.begin());
        ASSERT_NE(first, nullptr);
        ASSERT_EQ(first->at_ns, *times.begin());
        times.erase(std::exchange(first->at_ns, 0));
    }
}

TEST(LookTimes, ComeTogetherAndUpToAQuarterLate) {
    constexpr int64_t kPauses[] = {0, 60'000, 700'000, 5'000'000, 90'000'000, base::kSecond};
    for (const int64_t pause_ns : kPauses) {
        const int64_t kept = std::clamp(pause_ns, kLookEveryNs, kLookSeldomNs);
        std::set<int64_t> times;
        for (int64_t i = 0; i < 100; ++i) {
            const int64_t from_ns = base::kSecond + kept * i / 100;
            const int64_t at_ns = look_time(from_ns, pause_ns);
            EXPECT_GE(at_ns - from_ns, kept);
            EXPECT_LE(at_ns - from_ns, kept + kept / 4);
            times.insert(at_ns);
        }
        if (kept > kLookEveryNs) {
            EXPECT_LE(times.size(), 10U) << "of 100 looks with pauses of " << kept;
        }
    }
}

}  // namespace
}  // namespace xsched::dispatch
