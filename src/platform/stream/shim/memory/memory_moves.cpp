#include "platform/stream/shim/memory/memory_moves.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/doubling.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/options.h"
#include "base/thread.h"
#include "base/time.h"
#include "platform/stream/hal/driver_use.h"
#include "platform/stream/shim/capture.h"
#include "platform/stream/shim/device_use.h"
#include "platform/stream/shim/memory/copy_stream.h"
#include "platform/stream/shim/memory/direct_access.h"
#include "platform/stream/shim/memory/host_pool.h"
#include "platform/stream/shim/memory/memory_account.h"
#include "platform/stream/shim/memory/physical.h"
#include "platform/stream/shim/memory/program_memory.h"
#include "platform/stream/shim/streams.h"

namespace xsched::stream::memory {
namespace {

// Returns the longest wait, in ns: for threads to leave their calls, for the device's work to end, and for memory to
// come back.
int64_t longest_wait_ns() { return base::options().memory_wait * base::kMillisecond; }

// A program whose threads were kept off the device in vain is left alone for this many times as long, each time for
// twice as many, from four on: its threads are kept off for a fifth of the time at most. With waits of 10 s the longest
// pause is 43 minutes (judgement).
constinit base::Doubling<int64_t, 4, 256> g_pause_in_waits;  // errands' thread
constinit int64_t g_pause_ends_ns = 0;  // errands' thread

// Lets the program go on for a while before its memory is to move again.
void leave_in_place_for_now(const char* why) {
    const int64_t pause_ns = g_pause_in_waits.next() * longest_wait_ns();
    g_pause_ends_ns = base::now_ns() + pause_ns;
    XLOG_WARN("this program's memory stays on the device for the next %.1f s: %s",
              static_cast<double>(pause_ns) / base::kSecond, why);
}

// Takes host memory for every piece. Returns false, and takes nothing, if there is not enough.
bool find_room_on_host(PieceRange& range) {
    for (size_t i = 0; i < range.count; ++i) {
        range.pieces[i].host = take_host_room(range.bytes_of(i));
        if (range.pieces[i].host != nullptr) continue;
        drop_host(range);
        return false;
    }
    return true;
}

Result open_to_copies(PieceRange& range) {
    return range.physical != nullptr ? open_to_copies(*range.physical) : kSuccess;
}

void close_to_copies(PieceRange& range) {
    if (range.physical != nullptr) close_to_copies(*range.physical);
}

void unmap(PieceRange& range) {
    if (range.physical != nullptr) return unmap_physical(*range.physical);
    for (size_t i = 0; i < range.count; ++i) unmap_piece(range, i);
}

// Puts memory behind a piece, and makes it usable. A range of the program's own physical memory is mapped as a whole
// with its first piece.
Result map(PieceRange& range, size_t piece) {
    if (range.physical != nullptr) return piece == 0 ? map_physical(*range.physical) : kSuccess;
    const Result code = map_piece(range, piece);
    return code == kSuccess ? open_piece(range, piece) : code;
}

// Moves a range to the host; the program's work must be complete. Returns false, with nothing moved, if the host has no
// room or a copy fails.
bool move_out(PieceRange& range, CopyStream& copies) {
    if (!find_room_on_host(range)) return false;
    bool copied = open_to_copies(range) == kSuccess;
    if (copied) {
        for (size_t i = 0; i < range.count; ++i) copies.out(range, i);
        copied = copies.finish();
    }
    if (!copied) {
        close_to_copies(range);
        drop_host(range);
        return false;
    }
    unmap(range);
    g_on_card -= range.bytes;
    g_on_host += range.bytes;
    return true;
}

// Moves a range to the device. Each piece is copied while the next one is mapped. If that fails half way, nothing
// changes.
Result move_in(PieceRange& range, CopyStream& copies) {
    Result code = kSuccess;
    for (size_t i = 0; i < range.count && code == kSuccess; ++i) {
        code = map(range, i);
        if (code == kSuccess) copies.in(range, i);
    }
    if (!copies.finish() && code == kSuccess) code = kUnknownError;
    if (code != kSuccess) {
        unmap(range);
        return code;
    }
    close_to_copies(range);
    drop_host(range);
    g_on_host -= range.bytes;
    g_on_card += range.bytes;
    return code;
}

// Waits until the context's work is complete. Returns false if the wait failed; a context that is gone by now has no
// work.
bool finish_work_of(Context wanted) {
    InContext context;
    return !context.enter(*hal_api(), wanted) || vendor_call<kSynchronizeAll>() == kSuccess;
}

// Waits for all work of the contexts that have such memory, or streams on its device: green contexts and the primary
// one use each other's memory. The driver's wait cannot be cut short, and work may wait
// for a thread of the program that we keep off: so a thread of its own makes the calls.
class EndOfWork {
public:
    static bool comes_in_time() {
        if (g_thread_waits.exchange(true)) return false;  // an earlier thread still does
        count_contexts();
        g_state.store(kWaits, std::memory_order_seq_cst);
        base::Thread thread;
        if (!thread.start("xsched-errands", body, nullptr)) {
            g_thread_waits = false;
            return false;
        }
        thread.detach();
        const int64_t until_ns = base::now_ns() + longest_wait_ns();
        for (int64_t now_ns = base::now_ns(); now_ns < until_ns && g_state.load() == kWaits; now_ns = base::now_ns())
            base::futex_wait(g_state, kWaits, until_ns - now_ns);
        return g_state.load() == kOver;
    }

private:
    static constexpr size_t kMostContexts = 64;  // programs have one or two (safety)
    static constexpr uint32_t kWaits = 0, kOver = 1, kFailed = 2;

    static void count_contexts() {
        g_count = contexts_with_ranges(g_contexts, kMostContexts);
        for_each_entry([](const StreamEntry& entry) {
            XqQueue* const queue = entry.xqueue.load(std::memory_order_acquire);
            Context const context = entry.context.load(std::memory_order_acquire);
            if (context == nullptr || queue == nullptr || xq_device(queue) != g_evictable_on.load()) return;
            if (g_count < kMostContexts && std::find(g_contexts, g_contexts + g_count, context) == g_contexts + g_count)
                g_contexts[g_count++] = context;
        });
    }
    static void* body(void*) {
        bool good = g_count < kMostContexts;
        for (size_t i = 0; good && i < g_count; ++i) good = finish_work_of(g_contexts[i]);
        g_state.store(good ? kOver : kFailed, std::memory_order_seq_cst);
        base::futex_wake_all(g_state);
        g_thread_waits = false;
        return nullptr;
    }
    // The data of the waiting thread. Another wait may use them only after that thread has ended.
    static constinit inline std::atomic<bool> g_thread_waits{false};
    static constinit inline Context g_contexts[kMostContexts] = {};
    static constinit inline size_t g_count = 0;
    static constinit inline base::FutexWord g_state{0};
};

// Returns how much of the memory on the device is not guaranteed to stay there.
uint64_t beyond_guarantee() {
    const uint64_t guarantee = xq_memory_rules().guarantee;
    if (guarantee == 0) return UINT64_MAX;
    Context any = nullptr;
    InContext context;
    if (contexts_with_ranges(&any, 1) == 0 || !context.enter(*hal_api(), any)) return 0;
    const uint64_t has = counted_bytes();
    const uint64_t stays = g_on_host.load() + guarantee;
    return has > stays ? has - stays : 0;
}

// Moves at least this many bytes to the host, largest ranges first. Ranges for which the host has no room, and ranges
// that are guaranteed to stay on the device, are skipped.
void move_out_at_least(uint64_t bytes) {
    uint64_t moved = 0;
    CopyStream copies;
    for (PieceRange* const range : RangesBySize(true)) {
        if (moved >= bytes) break;
        if (bytes != XQ_ALL_MEMORY && range->bytes > beyond_guarantee()) continue;
        if (copies.enter(range->context) && move_out(*range, copies)) moved += range->bytes;
    }
}

// Waits until the program's work has ended, and moves at least `bytes` of its memory to the host. Returns when the work
// had ended. Returns 0 if nothing could be moved: the work did not end in time, or the memory stays for good.
int64_t move_out_idle(uint64_t bytes) {
    const Moving moving;
    if (may_be_captured()) return 0;  // a wait for the context would spoil the capture
    if (g_stays.load()) return 0;
    if (!EndOfWork::comes_in_time()) {
        leave_in_place_for_now("its work did not end, or failed");
        return 0;
    }
    const int64_t idle_ns = base::now_ns();
    const RelaxedCapture relaxed(*hal_api());
    move_out_at_least(bytes);
    return idle_ns;
}

void give_memory(XDevice, uint64_t bytes) {
    const int64_t began_ns = base::now_ns();
    const uint64_t before = g_on_host.load();
    if (const char* const why = direct_access()) keep_memory_in_place(why);
    if (g_stays.load() || began_ns < g_pause_ends_ns) return;
    if (!keep_threads_off(longest_wait_ns()))
        return leave_in_place_for_now("one of its threads has been inside a call for too long");
    const int64_t idle_ns = move_out_idle(bytes);
    const uint64_t moved = g_on_host.load() - before;
    tell_of_memory();
    if (g_on_host.load() == 0) let_threads_on();
    if (moved == 0) return;
    g_pause_in_waits.reset();
    XLOG_INFO("%.2f GiB of this program's memory went to the host in %.3f s, behind %.3f s of its own work",
              static_cast<double>(moved) / (1 << 30), base::milliseconds(base::now_ns() - idle_ns) / 1000,
              base::milliseconds(idle_ns - began_ns) / 1000);
}

bool ask_free(size_t* free) {
    size_t total = 0;
    Context context = nullptr;
    InContext inside;
    return contexts_with_ranges(&context, 1) == 1 && inside.enter(*hal_api(), context) &&
           vendor_call<kMemGetInfo>(free, &total) == kSuccess;
}

uint64_t free_of_device(XDevice) {
    size_t free = 0;
    return ask_free(&free) ? free : 0;
}

Result move_all_in() {
    const Moving moving;
    const RelaxedCapture relaxed(*hal_api());
    Result code = kSuccess;
    CopyStream copies;
    for (PieceRange* const range : RangesBySize(false)) {
        if (code != kSuccess) break;
        code = copies.enter(range->context) ? move_in(*range, copies) : kInvalidContext;
        if (code != kSuccess && code != kOutOfMemory && !finish_work_of(range->context)) code = kContextIsDestroyed;
    }
    return code;
}

// Returns whether the memory is lost: its context has failed, or the driver has refused for too long for reasons other
// than room.
bool is_lost(Result code) {
    static constinit int64_t fails_since_ns = 0;  // errands' thread
    if (code == kSuccess || code == kOutOfMemory) {
        fails_since_ns = 0;
        return false;
    }
    const int64_t now_ns = base::now_ns();
    if (fails_since_ns == 0) fails_since_ns = now_ns;
    return code == kContextIsDestroyed || now_ns - fails_since_ns > longest_wait_ns();
}

void take_memory_back(XDevice) {
    const int64_t began_ns = base::now_ns();
    const uint64_t bytes = g_on_host.load();
    size_t free = 0;
    if (bytes != 0) {
        const bool known = ask_free(&free);
        if (known && free < bytes) return;
        if (is_lost(known || g_on_host.load() == 0 ? move_all_in() : kInvalidContext)) {
            XLOG_ERRO("%.2f GiB of this program's memory are lost: the driver refuses to bring them back",
                      static_cast<double>(g_on_host.load()) / (1 << 30));
            lose_host_ranges();
        }
        tell_of_memory();
    }
    if (g_on_host.load() != 0) return;
    let_threads_on();
    if (bytes == 0) return;
    XLOG_INFO("%.2f GiB of this program's memory came back in %.3f s", static_cast<double>(bytes) / (1 << 30),
              base::milliseconds(base::now_ns() - began_ns) / 1000);
}

bool prepare_memory(XDevice) {
    Context context = nullptr;
    InContext inside;
    if (contexts_with_ranges(&context, 1) == 0 || !inside.enter(*hal_api(), context)) return false;
    const RelaxedCapture relaxed(*hal_api());
    return prepare_host_slab(g_on_card.load() + g_on_host.load());
}

}  // namespace

void drop_host(PieceRange& range) {
    for (size_t i = 0; i < range.count; ++i)
        if (range.pieces[i].host != nullptr)
            return_host_room(std::exchange(range.pieces[i].host, nullptr), range.bytes_of(i));
}

const XqMemoryOps kMemoryOps{
    .give = give_memory, .take_back = take_memory_back, .free_bytes = free_of_device, .prepare = prepare_memory};

}  // namespace xsched::stream::memory
