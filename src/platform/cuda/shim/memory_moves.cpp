#include "platform/cuda/shim/memory_moves.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/time.h"
#include "platform/cuda/shim/host_pool.h"
#include "platform/cuda/shim/memory_account.h"
#include "platform/cuda/shim/program_memory.h"
#include "platform/stream/shim/device_use.h"

namespace xsched::cuda {
namespace {

using stream::driver;

// Threads inside a driver's call that lasts longer keep their memory (safety).
constexpr int64_t kLongestCallNs = 10 * base::kSecond;

// A stream of our own for the copies, in the context that is current.
class Copies {
public:
    Copies() : api_(*stream::hal_api()) { good_ = stream::stream_create(api_, &stream_) == stream::kSuccess; }
    ~Copies() {
        if (stream_ != nullptr) stream::stream_destroy(api_, stream_);
    }
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;

    void out(const PieceRange& range, size_t piece) {
        note(driver<stream::kEntry_cuMemcpyDtoHAsync_v2>()(range.pieces[piece].host, range.address_of(piece),
                                                           range.bytes_of(piece), stream_));
    }
    void in(const PieceRange& range, size_t piece) {
        note(driver<stream::kEntry_cuMemcpyHtoDAsync_v2>()(range.address_of(piece), range.pieces[piece].host,
                                                           range.bytes_of(piece), stream_));
    }
    // Returns whether all copies were made.
    bool finish() {
        if (good_) note(driver<stream::kEntry_cuStreamSynchronize>()(stream_));
        return good_;
    }

private:
    void note(CUresult code) { good_ = good_ && code == CUDA_SUCCESS; }
    const stream::Api& api_;
    CUstream stream_ = nullptr;
    bool good_ = false;
};

// Takes host memory for every piece. Returns false, and takes nothing, if there is not enough.
bool find_room_on_host(PieceRange& range) {
    for (size_t i = 0; i < range.count; ++i) {
        range.pieces[i].host = take_host_piece();
        if (range.pieces[i].host != nullptr) continue;
        while (i-- > 0) return_host_piece(std::exchange(range.pieces[i].host, nullptr));
        return false;
    }
    return true;
}

// Moves a range to the host. The program's work is complete.
bool move_out(PieceRange& range) {
    if (!find_room_on_host(range)) return false;
    Copies copies;
    for (size_t i = 0; i < range.count; ++i) copies.out(range, i);
    if (!copies.finish()) {
        drop_host(range);
        return false;
    }
    for (size_t i = 0; i < range.count; ++i) unmap_piece(range, i);
    g_on_card -= range.bytes;
    g_on_host += range.bytes;
    return true;
}

// Moves a range to the device. Each piece is copied while the next one is mapped. Returns false, and changes nothing,
// if there is no room.
bool move_in(PieceRange& range) {
    bool moved = true;
    {
        Copies copies;
        for (size_t i = 0; i < range.count && moved; ++i) {
            moved = map_piece(range, i) == CUDA_SUCCESS && open_piece(range, i) == CUDA_SUCCESS;
            if (moved) copies.in(range, i);
        }
        moved = copies.finish() && moved;
    }
    if (!moved) {
        for (size_t i = 0; i < range.count; ++i) unmap_piece(range, i);
        return false;
    }
    drop_host(range);
    g_on_host -= range.bytes;
    g_on_card += range.bytes;
    return true;
}

bool finish_work_of(CUcontext wanted) {
    stream::InContext context;
    return context.enter(*stream::hal_api(), wanted) && driver<stream::kEntry_cuCtxSynchronize>()() == CUDA_SUCCESS;
}

// Waits for all work of the contexts that have such memory. The driver's wait cannot be cut short, and work may wait
// for a thread of the program that we keep off: so a thread of its own makes the calls.
class EndOfWork {
public:
    static bool comes_in_time() {
        count_contexts();
        g_state.store(kWaits, std::memory_order_seq_cst);
        base::Thread thread;
        if (!thread.start("xsched-errands", body, nullptr)) return false;
        thread.detach();
        const int64_t until_ns = base::now_ns() + kLongestCallNs;
        for (int64_t now_ns = base::now_ns(); now_ns < until_ns && g_state.load() == kWaits; now_ns = base::now_ns())
            base::futex_wait(g_state, kWaits, until_ns - now_ns);
        return g_state.load() == kOver;
    }

private:
    static constexpr size_t kMostContexts = 16;  // programs have one or two (safety)
    static constexpr uint32_t kWaits = 0, kOver = 1, kFailed = 2;

    static void count_contexts() {
        g_count = 0;
        for (size_t i = 0; const PieceRange* const range = nth_range(i); ++i)
            if (std::find(g_contexts, g_contexts + g_count, range->context) == g_contexts + g_count &&
                g_count < kMostContexts)
                g_contexts[g_count++] = range->context;
    }
    static void* body(void*) {
        bool good = g_count < kMostContexts;
        for (size_t i = 0; good && i < g_count; ++i) good = finish_work_of(g_contexts[i]);
        g_state.store(good ? kOver : kFailed, std::memory_order_seq_cst);
        base::futex_wake_all(g_state);
        return nullptr;
    }
    // Used again only after the thread has ended: if it does not in time, nothing is moved any more.
    static constinit inline CUcontext g_contexts[kMostContexts] = {};
    static constinit inline size_t g_count = 0;
    static constinit inline base::FutexWord g_state{0};
};

// Returns how much of the memory on the device is not guaranteed to stay there.
uint64_t beyond_guarantee() {
    const uint64_t guarantee = xq_memory_rules().guarantee;
    if (guarantee == 0) return UINT64_MAX;
    const PieceRange* const any = nth_range(0);
    stream::InContext context;
    if (any == nullptr || !context.enter(*stream::hal_api(), any->context)) return 0;
    const uint64_t has = counted_bytes();
    const uint64_t stays = g_on_host.load() + guarantee;
    return has > stays ? has - stays : 0;
}

bool move_out_at_least(uint64_t bytes) {
    uint64_t moved = 0;
    while (moved < bytes) {
        PieceRange* const range = largest_range(true, bytes == XQ_ALL_MEMORY ? UINT64_MAX : beyond_guarantee());
        if (range == nullptr) return false;
        stream::InContext context;
        if (!context.enter(*stream::hal_api(), range->context) || !move_out(*range)) return false;
        moved += range->bytes;
    }
    return true;
}

void give_memory(XDevice, uint64_t bytes) {
    const int64_t began_ns = base::now_ns();
    const uint64_t before = g_on_host.load();
    if (!stream::keep_threads_off(kLongestCallNs)) {
        XLOG_WARN("this program's memory stays on the device: a thread has been inside a call for %lld s",
                  static_cast<long long>(kLongestCallNs / base::kSecond));
        return;
    }
    int64_t idle_ns = began_ns;
    {
        const Moving moving;
        if (!g_stays.load() && EndOfWork::comes_in_time()) {
            idle_ns = base::now_ns();
            move_out_at_least(bytes);
        } else {
            keep_memory_in_place("its work did not end, or failed");
        }
    }
    const uint64_t moved = g_on_host.load() - before;
    tell_of_memory();
    if (g_on_host.load() == 0) stream::let_threads_on();
    XLOG_INFO("%.2f GiB of this program's memory went to the host in %.3f s, behind %.3f s of its own work",
              static_cast<double>(moved) / (1 << 30), base::milliseconds(base::now_ns() - idle_ns) / 1000,
              base::milliseconds(idle_ns - began_ns) / 1000);
}

uint64_t free_of_device(XDevice) {
    size_t free = 0;
    size_t total = 0;
    const PieceRange* const range = nth_range(0);
    stream::InContext inside;
    if (range == nullptr || !inside.enter(*stream::hal_api(), range->context)) return 0;
    return driver<stream::kEntry_cuMemGetInfo_v2>()(&free, &total) == CUDA_SUCCESS ? free : 0;
}

void take_memory_back(XDevice device) {
    const int64_t began_ns = base::now_ns();
    const uint64_t bytes = g_on_host.load();
    if (free_of_device(device) < bytes) return;
    {
        const Moving moving;
        while (PieceRange* const range = largest_range(false)) {
            stream::InContext context;
            if (!context.enter(*stream::hal_api(), range->context) || !move_in(*range)) break;
        }
    }
    tell_of_memory();
    if (g_on_host.load() != 0) return;
    stream::let_threads_on();
    XLOG_INFO("%.2f GiB of this program's memory came back in %.3f s", static_cast<double>(bytes) / (1 << 30),
              base::milliseconds(base::now_ns() - began_ns) / 1000);
}

bool prepare_memory(XDevice) {
    const PieceRange* const range = nth_range(0);
    stream::InContext inside;
    if (range == nullptr || !inside.enter(*stream::hal_api(), range->context)) return false;
    return prepare_host_piece(g_on_card.load() + g_on_host.load());
}

}  // namespace

void drop_host(PieceRange& range) {
    for (size_t i = 0; i < range.count; ++i)
        if (range.pieces[i].host != nullptr) return_host_piece(std::exchange(range.pieces[i].host, nullptr));
}

const XqMemoryOps kMemoryOps{
    .give = give_memory, .take_back = take_memory_back, .free_bytes = free_of_device, .prepare = prepare_memory};

}  // namespace xsched::cuda
