#include "platform/cuda/shim/program_memory.h"

#include "base/futex.h"
#include "base/log.h"
#include "base/mutex.h"
#include "platform/stream/shim/device_use.h"
#include "queue/abi/memory_abi.h"

namespace xsched::cuda {
namespace {

constinit base::Mutex g_ranges_mutex;  // guards the list, and each range's place in it
constinit PieceRange* g_ranges = nullptr;
constinit base::FutexWord g_moving{0};  // 1: the errands' thread uses the ranges

}  // namespace

constinit std::atomic<uint64_t> g_on_card{0};
constinit std::atomic<uint64_t> g_on_host{0};
constinit std::atomic<uint64_t> g_evictable_on{0};
constinit std::atomic<bool> g_stays{false};

Moving::Moving() {
    base::Lock lock(g_ranges_mutex);
    g_moving.store(1, std::memory_order_seq_cst);
}

Moving::~Moving() {
    g_moving.store(0, std::memory_order_seq_cst);
    base::futex_wake_all(g_moving);
}

void put_in(PieceRange* range) {
    base::Lock lock(g_ranges_mutex);
    range->next = g_ranges;
    g_ranges = range;
    g_on_card += range->bytes;
}

PieceRange* take_out(CUdeviceptr memory) {
    for (;;) {
        {
            base::Lock lock(g_ranges_mutex);
            PieceRange** at = &g_ranges;
            while (*at != nullptr && (*at)->begin != memory) at = &(*at)->next;
            if (*at == nullptr) return nullptr;
            if (g_moving.load(std::memory_order_seq_cst) == 0) {
                PieceRange* const found = *at;
                *at = found->next;
                return found;
            }
        }
        base::futex_wait(g_moving, 1);
    }
}

PieceRange* nth_range(size_t n) {
    base::Lock lock(g_ranges_mutex);
    PieceRange* range = g_ranges;
    for (; range != nullptr && n > 0; --n) range = range->next;
    return range;
}

bool find_range(CUdeviceptr address, CUdeviceptr* begin, size_t* bytes) {
    base::Lock lock(g_ranges_mutex);
    const PieceRange* range = g_ranges;
    while (range != nullptr && address - range->begin >= range->bytes) range = range->next;
    if (range == nullptr) return false;
    *begin = range->begin;
    *bytes = range->asked_bytes;
    return true;
}

PieceRange* largest_range(bool on_card, uint64_t most) {
    PieceRange* found = nullptr;
    for (PieceRange* range = g_ranges; range != nullptr; range = range->next)
        if (is_on_card(*range) == on_card && range->bytes <= most && (found == nullptr || range->bytes > found->bytes))
            found = range;
    return found;
}

void keep_memory_in_place(const char* why) {
    if (!stream::memory_moves() || g_stays.exchange(true)) return;
    if (g_evictable_on.load() == 0) return;
    XLOG_WARN("this program's memory stays on the device from now on: %s", why);
    tell_of_memory();
}

void tell_of_memory() {
    xq_memory_holds(g_evictable_on.load(std::memory_order_relaxed),
                    g_stays.load(std::memory_order_relaxed) ? 0 : g_on_card.load(), g_on_host.load());
}

}  // namespace xsched::cuda
