#include "platform/stream/shim/capture.h"

#include <sched.h>

#include "base/clock.h"

namespace xsched::stream {

constinit std::atomic<int32_t> g_captures{0};

namespace {

constinit std::atomic<int32_t> g_splits{0};
// A thread that waits for room in a suspended queue keeps its split for as long: nobody else waits so long.
constexpr int64_t kSplitWaitNs = 2 * base::kSecond;

}  // namespace

bool asks_capturing(Stream stream, bool per_thread) {
    const OwnCalls own(*hal_api());
    return asks_capturing(*hal_api(), plain_handle(stream, per_thread));
}

bool split_begins() {
    g_splits.fetch_add(1, std::memory_order_seq_cst);
    if (g_captures.load(std::memory_order_seq_cst) == 0) return true;
    split_over();
    return false;
}

void split_over() { g_splits.fetch_sub(1, std::memory_order_seq_cst); }

void wait_for_splits() {
    if (g_splits.load(std::memory_order_seq_cst) == 0) return;
    const int64_t end = base::now_ns() + kSplitWaitNs;
    while (g_splits.load(std::memory_order_seq_cst) != 0 && base::now_ns() < end) sched_yield();
}

}  // namespace xsched::stream
