#include "platform/cuda/shim/evictable.h"

#include <pthread.h>

#include "base/log.h"
#include "base/options.h"
#include "platform/cuda/shim/memory_account.h"
#include "platform/cuda/shim/memory_moves.h"
#include "platform/cuda/shim/program_memory.h"
#include "platform/stream/shim/capture.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/streams.h"

namespace xsched::cuda {
namespace {

using stream::driver;

// Beyond what an allocation needs: the driver takes some memory for itself (safety).
constexpr uint64_t kSlackBytes = 32 << 20;

XDevice current_device() {
    const stream::StreamEntry* const entry = stream::entry_of(nullptr, false);
    XqQueue* const queue = entry != nullptr ? entry->xqueue.load(std::memory_order_acquire) : nullptr;
    return queue != nullptr ? xq_device(queue) : 0;
}

constinit std::atomic<bool> g_too_old{false};  // the driver lacks functions
constinit std::atomic<bool> g_started{false};

void start_moving() {
    if (!g_started.exchange(true)) pthread_atfork(nullptr, nullptr, stream::forget_device_use);
    stream::g_memory_moves.store(true, std::memory_order_seq_cst);
}

// The first such memory says which device; memory of a process's other devices stays where it is.
bool is_for_device(CUcontext context) {
    if (context == nullptr || g_stays.load(std::memory_order_relaxed) || stream::some_captured()) return false;
    const XDevice device = current_device();
    if (device == 0) return false;
    uint64_t known = 0;
    if (g_evictable_on.compare_exchange_strong(known, device)) {
        xq_memory_offer(device, &kMemoryOps);
        return true;
    }
    return known == device;
}

}  // namespace

// Threads that are inside a call by now are not counted (device_use.h). No movable memory was there for them.
void begin_evictable() {
    if (base::options().evictable == 0) return;
    if (has_pieces()) {
        start_moving();
    } else if (!g_too_old.exchange(true)) {
        XLOG_WARN("this driver is too old for --evictable, so the program's memory stays on the device");
    }
}

bool may_move_new_memory(size_t bytes) {
    if (bytes < kGranularity || !xq_memory_rules().evictable || g_too_old.load(std::memory_order_relaxed)) return false;
    if (stream::memory_moves()) return true;
    const stream::KeepErrno keep;
    if (!has_pieces()) {
        g_too_old.store(true);
        return false;
    }
    const uint64_t before = counted_bytes() - bytes;  // these are counted already
    if (before >= kGranularity)
        XLOG_WARN("from now on this program's memory can be moved, but not the %.2f GiB that it has already",
                  static_cast<double>(before) / (1 << 30));
    start_moving();
    return true;
}

bool allocate_evictable(CUdeviceptr* memory, size_t bytes, CUresult* code) {
    if (memory == nullptr) return false;
    const stream::KeepErrno keep;
    const stream::Api& api = *stream::hal_api();
    CUcontext const context = stream::current_context(api);
    if (!is_for_device(context)) return false;
    PieceRange* range = nullptr;
    for (int i = 0; i < kMostTries; ++i) {
        stream::DeviceUse use;
        range = make_range(context, stream::device_of(api, context), bytes, code);
        if (range != nullptr) put_in(range);
        use.leave();
        if (range != nullptr || *code != CUDA_ERROR_OUT_OF_MEMORY || !ask_for_memory(bytes)) break;
    }
    if (range == nullptr) return *code == CUDA_ERROR_OUT_OF_MEMORY;
    *memory = range->begin;
    tell_of_memory();
    return true;
}

bool release_evictable(CUdeviceptr memory, CUresult* code) {
    const stream::KeepErrno keep;
    PieceRange* const range = take_out(memory);
    if (range == nullptr) return false;
    *code = is_on_card(*range) ? driver<stream::kEntry_cuCtxSynchronize>()() : CUDA_SUCCESS;
    (is_on_card(*range) ? g_on_card : g_on_host) -= range->bytes;
    drop_host(*range);
    destroy_range(range);
    tell_of_memory();
    return true;
}

bool range_of_evictable(CUdeviceptr* begin, size_t* bytes, CUdeviceptr address) {
    CUdeviceptr found = 0;
    size_t size = 0;
    if (!find_range(address, &found, &size)) return false;
    if (begin != nullptr) *begin = found;
    if (bytes != nullptr) *bytes = size;
    return true;
}

void forget_evictable(CUcontext context) {
    stream::InContext inside;
    if (!stream::memory_moves() || !inside.enter(*stream::hal_api(), context)) return;
    for (size_t i = 0; const PieceRange* const range = nth_range(i);) {
        CUresult code = CUDA_SUCCESS;
        if (range->context != context || !release_evictable(range->begin, &code)) ++i;
    }
}

void show_to_current_device(CUcontext context) {
    const stream::KeepErrno keep;
    const CUdevice device = stream::device_of(*stream::hal_api(), nullptr);
    stream::DeviceUse use;  // all of it is on the card
    keep_memory_in_place("another GPU uses it");
    for (size_t i = 0; const PieceRange* const range = nth_range(i); ++i)
        if (range->context == context) open_range_to(*range, device);
    use.leave();
}

bool ask_for_memory(size_t bytes) {
    const stream::KeepErrno keep;
    const XDevice device = current_device();
    if (bytes == 0 || device == 0 || stream::some_captured()) return false;
    size_t free = 0;
    size_t total = 0;
    if (driver<stream::kEntry_cuMemGetInfo_v2>()(&free, &total) != CUDA_SUCCESS || bytes > total) return false;
    const uint64_t needed = bytes + kSlackBytes;
    return xq_memory_ask(device, needed > free ? needed - free : bytes);
}

}  // namespace xsched::cuda
