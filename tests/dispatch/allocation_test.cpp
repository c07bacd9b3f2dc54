// A pass in which no client comes or goes allocates nothing, even if units become ready or idle.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "dispatch/allocations.h"
#include "dispatch/fake_client.h"

namespace {
std::atomic<long> g_allocations{0};
}  // namespace

[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
    g_allocations.fetch_add(1, std::memory_order_relaxed);
    return std::malloc(bytes != 0 ? bytes : 1);
}
[[gnu::noinline]] void* operator new(size_t bytes) {
    if (void* memory = operator new(bytes, std::nothrow)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace xsched::dispatch {
namespace {

using namespace testing;

}  // namespace

long testing::allocations() { return g_allocations.load(std::memory_order_relaxed); }

namespace {

TEST(Allocation, NoneInTheSteadyState) {
    FakeClient low(1, 100);
    FakeClient high(2, 200);
    Dispatcher dispatcher(hpf_core());
    for (uint32_t at = 0; at < 4; ++at) {
        low.make_queue(at, 0);
        high.make_queue(at, 10);
        low.submit(at, kStart);
    }
    dispatcher.add_client(low.view());
    dispatcher.add_client(high.view());
    int64_t now = kStart;
    long before = 0;
    for (int i = -10; i < 2000; ++i) {
        if (i == 0) before = allocations();
        high.submit(0, now += 100 * kUs);
        dispatcher.pass(now);
        high.complete(0, now += 300 * kUs);
        dispatcher.pass(now);
        if (i % 3 == 0) dispatcher.pass(now += 10 * kMs);
    }
    EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace xsched::dispatch
