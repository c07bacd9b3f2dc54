#include "platform/stream/shim/device_use.h"

#include "base/clock.h"
#include "base/futex.h"
#include "base/time.h"

namespace xsched::stream {
namespace {

constexpr int64_t kLookNs = 50 * base::kMicrosecond;  // measured: a gibibyte moves in 20 ms
// Number of counters over which threads are spread, so that two threads seldom write to one cache line.
constexpr unsigned kCells = 16;

struct alignas(64) Cell {
    std::atomic<int32_t> inside{0};
};
constinit Cell g_cells[kCells];
constinit base::FutexWord g_closed{0};
// How many uses this thread is inside: a launch on several devices is one for each. Only the first one may wait.
[[gnu::tls_model("initial-exec")]] thread_local uint32_t t_uses = 0;

// Stacks of two threads are far apart.
std::atomic<int32_t>& own_cell() {
    const auto stack = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    return g_cells[(stack >> 16) % kCells].inside;
}

int32_t inside() {
    int32_t sum = 0;
    for (const Cell& cell : g_cells) sum += cell.inside.load(std::memory_order_seq_cst);
    return sum;
}

}  // namespace

constinit std::atomic<bool> g_memory_moves{false};

// Counts this thread as a user of the device; waits before that while keep_threads_off is in force. Either this thread
// sees that the way is closed, or keep_threads_off sees the thread, since each writes its own word before it reads the
// other's.
void DeviceUse::enter() {
    std::atomic<int32_t>& cell = own_cell();
    for (;;) {
        cell.fetch_add(1, std::memory_order_seq_cst);
        if (t_uses != 0 || g_closed.load(std::memory_order_seq_cst) == 0) break;
        cell.fetch_sub(1, std::memory_order_seq_cst);
        base::futex_wait(g_closed, 1);
    }
    ++t_uses;
    inside_ = &cell;
}

void DeviceUse::end() {
    --t_uses;
    inside_->fetch_sub(1, std::memory_order_release);
    inside_ = nullptr;
}

bool keep_threads_off(int64_t longest_ns) {
    g_closed.store(1, std::memory_order_seq_cst);
    const int64_t until_ns = base::now_ns() + longest_ns;
    while (inside() != 0) {
        if (base::now_ns() > until_ns) {
            let_threads_on();
            return false;
        }
        base::sleep_ns(kLookNs);
    }
    return true;
}

void let_threads_on() {
    g_closed.store(0, std::memory_order_seq_cst);
    base::futex_wake_all(g_closed);
}

void forget_device_use() {
    g_closed.store(0, std::memory_order_relaxed);
    t_uses = 0;
    for (Cell& cell : g_cells) cell.inside.store(0, std::memory_order_relaxed);
}

}  // namespace xsched::stream
