#include "platform/stream/shim/memory/memory_account.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "base/log.h"
#include "base/mutex.h"
#include "platform/stream/hal/identity.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/memory/program_memory.h"
#include "platform/stream/shim/streams.h"
#include "queue/abi/memory_abi.h"

namespace xsched::stream::memory {
namespace {

constexpr int kMostCounted = 64;  // devices (safety)
constexpr size_t kBuckets = 1024;  // programs have some thousands of allocations (safety)

struct Counted {
    Counted* next;
    MemoryName memory;
    size_t bytes;
    Context context;
    Device device;
    size_t uses;  // handles and mappings; 1 for all but physical memory
};
constinit base::Mutex g_counted_mutex;  // guards the next one, and its uses
constinit Counted* g_counted[kBuckets] = {};
constinit std::atomic<uint64_t> g_counted_bytes[kMostCounted] = {};
constinit std::atomic<uint64_t> g_identities[kMostCounted] = {};  // XDevice; 0: not known yet
constinit std::atomic<bool> g_refusal_told{false};

Counted*& bucket_of(const MemoryName& memory) {
    return g_counted[static_cast<size_t>((memory.number >> 4) * 0x9e3779b97f4a7c15u >> 32) % kBuckets];
}

Device counted_device(Device device) { return device >= 0 && device < kMostCounted ? device : -1; }

Device counted_device(Context context) {
    return context != nullptr ? counted_device(device_of(*hal_api(), context)) : -1;
}

XDevice counted_identity(Device device) {
    std::atomic<uint64_t>& known = g_identities[device];
    if (known.load(std::memory_order_relaxed) == 0)
        known.store(device_identity(*hal_api(), device), std::memory_order_relaxed);
    return known.load(std::memory_order_relaxed);
}

// Returns the place of the pointer to the memory's entry; the pointer is nullptr if it is not counted. g_counted_mutex
// held.
Counted** find_counted(const MemoryName& memory) {
    Counted** at = &bucket_of(memory);
    while (*at != nullptr && !((*at)->memory == memory)) at = &(*at)->next;
    return at;
}

// Ends one use. Takes the entry out, and returns it, if that was the last one.
Counted* take_counted(const MemoryName& memory) {
    base::Lock lock(g_counted_mutex);
    Counted** const at = find_counted(memory);
    if (*at == nullptr || --(*at)->uses != 0) return nullptr;
    return std::exchange(*at, (*at)->next);
}

void put_counted(Counted* counted) {
    base::Lock lock(g_counted_mutex);
    Counted*& bucket = bucket_of(counted->memory);
    counted->next = bucket;
    bucket = counted;
}

double in_gibibytes(uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

// Logs once that an allocation was refused by a limit. `whose`: for whom the limit is. `kind`: which limit it is.
void tell_refusal(uint64_t bytes, uint64_t has, uint64_t limit, const char* whose, const char* kind) {
    if (g_refusal_told.exchange(true)) return;
    XLOG_WARN("an allocation of %.2f GiB failed: %s may have %.2f GiB on the device %s; this program has %.2f",
              in_gibibytes(bytes), whose, in_gibibytes(limit), kind, in_gibibytes(has));
}

void tell_of(Device ordinal) {
    const XDevice device = counted_identity(ordinal);
    const uint64_t all = g_counted_bytes[ordinal].load(std::memory_order_relaxed);
    const bool moves = device == g_evictable_on.load(std::memory_order_relaxed);
    const uint64_t movable = moves ? g_on_card.load() + g_on_host.load() : 0;
    xq_memory_fixed(device, all > movable ? all - movable : 0);
}

void uncount(const Counted& counted) {
    g_counted_bytes[counted.device].fetch_sub(counted.bytes, std::memory_order_relaxed);
    xq_memory_uncount(counted_identity(counted.device), counted.bytes);
}

}  // namespace

Room::Room(size_t bytes, Device device) : bytes_(bytes) {
    if (bytes == 0) return;
    const KeepErrno keep;
    if (device < 0) context_ = current_context(*hal_api());
    device_ = device < 0 ? counted_device(context_) : counted_device(device);
    if (device_ < 0) return;
    const uint64_t limit = xq_memory_rules().limit;
    const uint64_t before = g_counted_bytes[device_].fetch_add(bytes, std::memory_order_relaxed);
    enough_ = limit == 0 || (before <= limit && bytes <= limit - before);
    if (!enough_) {
        tell_refusal(bytes, before, limit, "this program", "(its memory limit)");
        return;
    }
    enough_ = counted_ = xq_memory_count(counted_identity(device_), bytes);
    if (!enough_)
        tell_refusal(bytes, before, limit, "the programs of this user or control group",
                     "together (xcli status --limits)");
}

Room::~Room() {
    if (device_ < 0) return;
    g_counted_bytes[device_].fetch_sub(bytes_, std::memory_order_relaxed);
    if (counted_) xq_memory_uncount(counted_identity(device_), bytes_);
}

void Room::keep(const MemoryName& memory) {
    const KeepErrno keep;
    if (device_ < 0) return;
    auto* counted = static_cast<Counted*>(std::malloc(sizeof(Counted)));
    if (counted == nullptr) return;
    *counted = {nullptr, memory, bytes_, context_, device_, 1};
    put_counted(counted);
    tell_of(std::exchange(device_, -1));
}

Leaving::Leaving(const MemoryName& memory) : memory_(memory), counted_(take_counted(memory)) {}

Leaving::~Leaving() {
    auto* const counted = static_cast<Counted*>(counted_);
    if (counted == nullptr) {
        if (stays_) add_use(memory_);
        return;
    }
    const KeepErrno keep;
    if (stays_) {
        counted->uses = 1;
        put_counted(counted);
        return;
    }
    uncount(*counted);
    tell_of(counted->device);
    std::free(counted);
}

void add_use(const MemoryName& memory) {
    base::Lock lock(g_counted_mutex);
    if (Counted* const counted = *find_counted(memory)) ++counted->uses;
}

void forget_counted(Context context) {
    base::Lock lock(g_counted_mutex);
    for (Counted*& bucket : g_counted)
        for (Counted** at = &bucket; *at != nullptr;) {
            if ((*at)->context != context) {
                at = &(*at)->next;
                continue;
            }
            Counted* const gone = std::exchange(*at, (*at)->next);
            uncount(*gone);
            std::free(gone);
        }
}

uint64_t counted_bytes() {
    const Device device = counted_device(current_context(*hal_api()));
    return device >= 0 ? g_counted_bytes[device].load(std::memory_order_relaxed) : 0;
}

void show_what_it_may_have(size_t* free, size_t* total) {
    const KeepErrno keep;
    const uint64_t limit = xq_memory_rules().limit;
    const Device device = counted_device(current_context(*hal_api()));
    if (limit == 0 || device < 0) return;
    const uint64_t has = g_counted_bytes[device].load(std::memory_order_relaxed);
    const uint64_t left = std::min(limit > has ? limit - has : 0, xq_memory_left(counted_identity(device)));
    if (total != nullptr) *total = std::min<uint64_t>(*total, limit);
    if (free != nullptr) *free = std::min<uint64_t>(*free, left);
}

void show_whole_of_what_it_may_have(size_t* total) {
    const KeepErrno keep;
    if (const uint64_t limit = xq_memory_rules().limit; limit != 0) *total = std::min<uint64_t>(*total, limit);
}

void tell_of_counted() {
    const Device ordinal = counted_device(current_context(*hal_api()));
    if (ordinal >= 0) tell_of(ordinal);
}

}  // namespace xsched::stream::memory
