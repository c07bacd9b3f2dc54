#include "platform/stream/shim/memory/evictable.h"

#include <pthread.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "platform/stream/shim/capture.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/memory/block_table.h"
#include "platform/stream/shim/memory/host_pool.h"
#include "platform/stream/shim/memory/mapping_table.h"
#include "platform/stream/shim/memory/memory_account.h"
#include "platform/stream/shim/memory/memory_moves.h"
#include "platform/stream/shim/memory/piece_server.h"
#include "platform/stream/shim/memory/program_memory.h"
#include "platform/stream/shim/memory/shared_name.h"
#include "platform/stream/shim/streams.h"

namespace xsched::stream::memory {
namespace {

constexpr const char* kIpcFunction = XSCHED_NAME(VENDOR(IpcGetMemHandle));
// How much memory beyond an allocation's size is asked of other programs: the driver takes some memory for itself
// (safety).
constexpr uint64_t kSlackBytes = 32 << 20;

XDevice current_device() {
    const StreamEntry* const entry = entry_of(nullptr, false);
    XqQueue* const queue = entry != nullptr ? entry->xqueue.load(std::memory_order_acquire) : nullptr;
    return queue != nullptr ? xq_device(queue) : 0;
}

constinit std::atomic<bool> g_too_old{false};  // the driver lacks functions, or the platform moves no memory
constinit std::atomic<bool> g_started{false};

// In a forked child, forgets all device memory, which belongs to the parent, and the host memory that held moved
// pieces.
void after_fork_in_child() {
    forget_device_use();
    forget_program_memory();
    forget_mapped();
    forget_host_pool();
    forget_piece_server();
    forget_all_opened();
    forget_all_blocks();
}

void start_moving() {
    if (!g_started.exchange(true)) pthread_atfork(nullptr, nullptr, after_fork_in_child);
    g_memory_moves.store(true, std::memory_order_seq_cst);
}

void destroy(PieceRange* range) {
    drop_host(*range);
    destroy_range(range);
}

// Memory that was freed while a stream was captured: a wait for the context would have spoilt the capture.
constinit base::Mutex g_late_mutex;  // guards the next one
constinit PieceRange* g_late = nullptr;
constinit std::atomic<bool> g_some_late{false};

void free_later(PieceRange* range) {
    base::Lock lock(g_late_mutex);
    range->next = g_late;
    g_late = range;
    g_some_late.store(true, std::memory_order_release);
}

void free_late_ones() {
    if (!g_some_late.load(std::memory_order_acquire) || some_captured()) return;
    PieceRange* range = nullptr;
    {
        base::Lock lock(g_late_mutex);
        range = std::exchange(g_late, nullptr);
        g_some_late.store(false, std::memory_order_release);
    }
    while (range != nullptr) {
        InContext inside;
        if (inside.enter(*hal_api(), range->context)) vendor_call<kSynchronizeAll>();
        destroy(std::exchange(range, range->next));
    }
}

// Ends a range that is in no list any more.
void end_range(PieceRange* range, bool captured) {
    if (!range->stays) (is_on_card(*range) ? g_on_card : g_on_host) -= range->bytes;
    captured ? free_later(range) : destroy(range);
}

}  // namespace

// Makes the program's memory movable from its start if --evictable asks for that, or logs that the driver is too old.
// Threads that are inside a call at this moment are not counted as users of movable memory (device_use.h): there was
// none when they entered.
void begin_evictable() {
    if (base::options().evictable == 0) return;
    if (const char* const why = why_memory_stays()) {
        g_too_old.store(true);
        XLOG_WARN("%s", why);
    } else if (has_pieces()) {
        start_moving();
    } else if (!g_too_old.exchange(true)) {
        XLOG_WARN("this driver is too old for --evictable, so the program's memory stays on the device");
    }
}

bool may_move_new_memory(size_t bytes) {
    if (bytes < kGranularity || !xq_memory_rules().evictable || g_too_old.load(std::memory_order_relaxed)) return false;
    if (memory_moves()) return true;
    const KeepErrno keep;
    if (why_memory_stays() != nullptr || !has_pieces()) {
        g_too_old.store(true);
        return false;
    }
    const uint64_t counted = counted_bytes();
    const uint64_t before = counted > bytes ? counted - bytes : 0;  // those of cuMemAlloc are counted already
    if (before >= kGranularity)
        XLOG_WARN("from now on this program's memory can be moved, but not the %.2f GiB that it has already",
                  static_cast<double>(before) / (1 << 30));
    start_moving();
    return true;
}

bool moves_on_device_of(Context context) {
    if (context == nullptr || g_stays.load(std::memory_order_relaxed)) return false;
    const XDevice device = current_device();
    if (device == 0) return false;
    uint64_t known = 0;
    if (g_evictable_on.compare_exchange_strong(known, device)) {
        xq_memory_offer(device, &kMemoryOps);
        return true;
    }
    return known == device;
}

bool allocate_evictable(Address* memory, size_t bytes, Result* code) {
    if (memory == nullptr) return false;
    const KeepErrno keep;
    const Api& api = *hal_api();
    Context const context = current_context(api);
    if (some_captured() || !moves_on_device_of(context)) return false;
    free_late_ones();
    PieceRange* range = nullptr;
    for (int i = 0; i < kMostTries; ++i) {
        DeviceUse use;
        range = make_range(context, device_of(api, context), bytes, code);
        if (range != nullptr) put_in(range);
        use.leave();
        if (range != nullptr || *code != kOutOfMemory || !ask_for_memory(bytes, i)) break;
    }
    if (range == nullptr) return *code == kOutOfMemory;
    *memory = range->begin;
    tell_of_memory();
    return true;
}

bool release_evictable(Address memory, Result* code) {
    const KeepErrno keep;
    free_late_ones();
    const bool captured = some_captured();
    if (captured && range_of_evictable(nullptr, nullptr, memory) && refused_in_capture(memory, code)) return true;
    if (!end_block(memory)) {
        *code = kInvalidValue;
        return true;
    }
    PieceRange* const range = take_out(memory);
    if (range == nullptr) return false;
    *code = is_on_card(*range) && !captured ? vendor_call<kSynchronizeAll>() : kSuccess;
    end_range(range, captured);
    tell_of_memory();
    return true;
}

void give_back_unused(Address memory) {
    if (PieceRange* const range = take_out(memory)) end_range(range, some_captured());
}

bool range_of_evictable(Address* begin, size_t* bytes, Address address) {
    Address found = 0;
    size_t size = 0;
    if (!find_range(address, &found, &size) && !find_opened(address, &found, &size)) return false;
    if (begin != nullptr) *begin = found;
    if (bytes != nullptr) *bytes = size;
    return true;
}

namespace {

void forget_evictable(Context context) {
    InContext inside;
    if (!memory_moves() || !inside.enter(*hal_api(), context)) return;
    forget_blocks(context);
    Result code = kSuccess;
    while (const Address memory = range_in_context(context))
        if (!release_evictable(memory, &code)) return;
    keep_mapped_of(context);
}

}  // namespace

void forget_memory_of(Context context) {
    forget_opened(context);
    forget_evictable(context);
    forget_counted(context);
    if (registrations_go_first(*hal_api())) give_host_pool_back();
}

Result show_to_current_device(Context context) {
    const KeepErrno keep;
    const Device device = device_of(*hal_api(), current_context(*hal_api()));
    DeviceUse use;  // all of it is on the card
    keep_memory_in_place("another GPU may use it");
    const Result code = open_ranges_to(context, device);
    use.leave();
    return code;
}

void keep_in_place(Address address, const char* function) {
    const KeepErrno keep;
    DeviceUse use;  // all of it is on the card
    const bool first = keep_range_in_place(address) || keep_mapped_in_place(address);
    use.leave();
    if (!first) return;
    XLOG_INFO("memory at 0x%llx stays on the device from now on: %s tells others where it is (memory.md)",
              static_cast<unsigned long long>(address), function);
    tell_of_memory();
}

bool name_evictable(IpcName* name, Address address) {
    static constinit std::atomic<bool> said{false};
    const KeepErrno keep;
    if (name == nullptr || !find_range(address, nullptr, nullptr)) return false;
    const uint64_t place =
        has_descriptors(device_of(*hal_api(), current_context(*hal_api()))) ? begin_serving_pieces() : 0;
    NumberedRange range{};
    if (place == 0 || !number_range(address, &range)) return false;
    keep_in_place(address, kIpcFunction);
    const SharedName ours{SharedName::kMagic, place, range.number, range.bytes, range.asked_bytes, getpid(), {}};
    std::memcpy(name, &ours, sizeof ours);
    if (!said.exchange(true))
        XLOG_INFO("memory that this program names by %s can be opened by programs under XSched alone", kIpcFunction);
    return true;
}

void stay_to_be_shared(Address address) {
    const KeepErrno keep;
    if (!find_range(address, nullptr, nullptr)) return;
    keep_memory_in_place(XSCHED_NAME(VENDOR(
        IpcGetMemHandle)) " cannot name memory that moves for other processes. To share such memory, run the program "
                          "without --evictable (memory.md)");
}

void keep_textured_in_place(const void* resource, const char* function) {
    struct Resource {  // the beginning of cuda.h's CUDA_RESOURCE_DESC; HIP's is alike
        int type;
        Address memory;  // of the two types below
    };
    constexpr int kLinear = 2, kPitched = 3;  // CU_RESOURCE_TYPE_LINEAR, CU_RESOURCE_TYPE_PITCH2D
    const auto* const it = static_cast<const Resource*>(resource);
    if (it != nullptr && (it->type == kLinear || it->type == kPitched)) keep_in_place(it->memory, function);
}

void say_that_it_stays(const char* function) {
    if (g_stays.load(std::memory_order_relaxed)) return;
    const KeepErrno keep;
    XLOG_INFO("memory that the program gets by %s stays on the device (memory.md)", function);
}

bool wait_for_copies(const void* value, int attribute, Address address) {
    const KeepErrno keep;
    return attribute == kSyncAttribute && range_of_evictable(nullptr, nullptr, address) &&
           wait_for_context_copies(*static_cast<const unsigned*>(value) != 0);
}

void note_attribute(void* value, int attribute, Address address) {
    const KeepErrno keep;
    Address begin = 0;
    size_t bytes = 0;
    if (value == nullptr || !range_of_evictable(&begin, &bytes, address)) return;
    if (attribute == kTokensAttribute) keep_in_place(address, XSCHED_NAME(VENDOR(PointerGetAttribute)));
    // The driver knows the pieces alone.
    if (attribute == kBeginAttribute) std::memcpy(value, &begin, sizeof begin);
    if (attribute == kBytesAttribute) std::memcpy(value, &bytes, sizeof bytes);
}

bool ask_for_memory(size_t bytes, int tries) {
    const KeepErrno keep;
    const XDevice device = current_device();
    if (bytes == 0 || device == 0 || some_captured()) return false;
    size_t free = 0;
    size_t total = 0;
    if (vendor_call<kMemGetInfo>(&free, &total) != kSuccess || bytes > total) return false;
    const uint64_t needed = bytes + kSlackBytes;
    if (tries == 0 && needed <= free) return true;  // memory has become free since the driver refused
    return xq_memory_ask(device, needed > free ? needed - free : bytes);
}

}  // namespace xsched::stream::memory
