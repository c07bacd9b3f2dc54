// The virtual clock: what happens next.
#include "sim/agenda.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "sim/random.h"

namespace xsched::sim {
namespace {

struct Clock final : Actor {
    void wake(int64_t now_ns) override { woken_ns = now_ns; }
    int64_t due_ns = 0;  // 0: not on the agenda
    int64_t woken_ns = 0;
};

TEST(Agenda, TakesTheEarliestHoweverTimesChange) {
    Agenda agenda;
    Random random(7);
    std::vector<std::unique_ptr<Clock>> clocks;
    for (int i = 0; i < 20; ++i) agenda.add(*clocks.emplace_back(std::make_unique<Clock>()));
    for (int step = 0; step < 20'000; ++step) {
        Clock& clock = *clocks[static_cast<size_t>(random.below(20))];
        const int64_t what = random.below(10);
        if (what < 6) {
            clock.due_ns = 1 + random.below(1000);
            agenda.set(clock, clock.due_ns);
        } else if (what < 7) {
            clock.due_ns = 0;
            agenda.clear(clock);
        } else if (!agenda.empty()) {
            const Clock* first = nullptr;  // of equals the one added first
            for (const auto& other : clocks)
                if (other->due_ns != 0 && (first == nullptr || other->due_ns < first->due_ns)) first = other.get();
            ASSERT_NE(first, nullptr);
            ASSERT_EQ(agenda.next_ns(), first->due_ns);
            auto& taken = static_cast<Clock&>(agenda.take());
            ASSERT_EQ(&taken, first);
            taken.due_ns = 0;
        }
    }
}

TEST(Agenda, AnEarlierTimeStays) {
    Agenda agenda;
    Clock clock;
    agenda.add(clock);
    agenda.set_earlier(clock, 5);
    agenda.set_earlier(clock, 9);
    EXPECT_EQ(agenda.next_ns(), 5);
    agenda.set(clock, 9);
    EXPECT_EQ(agenda.next_ns(), 9);
}

}  // namespace
}  // namespace xsched::sim
