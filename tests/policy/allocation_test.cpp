// Tests that policies allocate no memory in a decision about units that they know already, however the units' wishes
// change.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "policy/policy.h"

namespace {

std::atomic<uint64_t> g_allocations{0};

}  // namespace

// NOLINTBEGIN(cppcoreguidelines-no-malloc)
void* operator new(size_t bytes) {
    g_allocations.fetch_add(1, std::memory_order_relaxed);
    void* memory = malloc(bytes != 0 ? bytes : 1);
    if (memory == nullptr) abort();
    return memory;
}
void* operator new[](size_t bytes) { return operator new(bytes); }
void operator delete(void* memory) noexcept { free(memory); }
void operator delete(void* memory, size_t /*bytes*/) noexcept { free(memory); }
void operator delete[](void* memory) noexcept { free(memory); }
void operator delete[](void* memory, size_t /*bytes*/) noexcept { free(memory); }
// NOLINTEND(cppcoreguidelines-no-malloc)

namespace xsched::policy::allocation_test {
namespace {

TEST(Allocation, ADecisionTakesNoMemory) {
    for (const PolicyInfo& info : policies()) {
        const auto policy = info.make();
        std::vector<Unit> units(500);
        std::vector<Choice> choices(units.size());
        std::vector<uint8_t> marks(units.size());
        for (size_t i = 0; i < units.size(); ++i) {
            units[i] = {.id = i + 1, .device = 1, .process = i / 2 + 1, .command_ns = 100'000};
            units[i].priority = static_cast<int32_t>(i % 7);
            units[i].deadline_us = static_cast<int64_t>(i % 5) * 1000;
            units[i].laxity_us = static_cast<int64_t>(i % 3) * 1000;
            units[i].limit = static_cast<int32_t>(i % 100);
            units[i].window = i % 2;
            units[i].wants = units[i].ready = true;
        }
        uint64_t before = 0;
        int64_t now_ns = 1'000'000'000;
        for (size_t round = 0; round < 200; ++round, now_ns += 1'000'000) {
            if (round == 20) before = g_allocations.load();
            for (size_t i = 0; i < units.size(); ++i) {
                units[i].wants = units[i].ready = round < 3 || (i + round) % (2 + round % 4) == 0;
                if (choices[i].run && units[i].wants) units[i].busy_ns += 50'000;
            }
            std::fill(choices.begin(), choices.end(), Choice{});
            policy->choose(units, now_ns, choices);
            policy->mark_preemptible(units, marks);
        }
        EXPECT_EQ(g_allocations.load() - before, 0U) << info.name;
    }
}

}  // namespace
}  // namespace xsched::policy::allocation_test
