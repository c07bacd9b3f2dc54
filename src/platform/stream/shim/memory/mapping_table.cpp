#include "platform/stream/shim/memory/mapping_table.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "base/mutex.h"
#include "platform/stream/shim/device_use.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/memory/memory_account.h"
#include "platform/stream/shim/memory/program_memory.h"
#include "platform/stream/shim/trace.h"

namespace xsched::stream::memory {
namespace {

constexpr size_t kMappingBuckets = 4096;  // a full card has some thousand mappings of PyTorch, of 2 and 20 MiB (safety)

constinit base::Mutex g_mapped_mutex;  // guards the next three, and all that the tables lead to but `range`
constinit Physical* g_by_handle[kMappingBuckets] = {};
constinit Mapping* g_by_begin[kMappingBuckets] = {};
constinit unsigned long long g_next_handle = kOurHandle;

Physical*& bucket_of_handle(unsigned long long handle) { return g_by_handle[handle % kMappingBuckets]; }
Mapping*& bucket_of_begin(Address begin) { return g_by_begin[begin / kGranularity % kMappingBuckets]; }

// Calls `look` with each mapping as long as it returns true. g_mapped_mutex held.
template <typename Look>
void for_each_mapping(Look look) {
    for (Mapping* bucket : g_by_begin)
        for (Mapping* it = bucket; it != nullptr; it = it->next_in_bucket)
            if (!look(*it)) return;
}

// g_mapped_mutex held.
Mapping* mapping_around(Address address) {
    Mapping* found = nullptr;
    for_each_mapping([&](Mapping& it) {
        if (address - it.begin < it.bytes) found = &it;
        return found == nullptr;
    });
    return found;
}

// Calls `look`, which may take it out, with each mapping that begins in the range. g_mapped_mutex held.
template <typename Look>
void for_each_mapping_in(Address begin, size_t bytes, Look look) {
    const size_t granules = std::min((bytes - 1) / kGranularity + 1, kMappingBuckets);
    for (size_t i = 0; i < granules; ++i)
        for (Mapping* it = bucket_of_begin(begin + i * kGranularity); it != nullptr;) {
            Mapping* const next = it->next_in_bucket;
            if (it->begin - begin < bytes) look(*it);
            it = next;
        }
}

// g_mapped_mutex held.
void link(Mapping& mapping) {
    mapping.next_in_bucket = std::exchange(bucket_of_begin(mapping.begin), &mapping);
    mapping.next = std::exchange(mapping.of->mappings, &mapping);
}

// g_mapped_mutex held.
void unlink(Mapping& mapping) {
    Mapping** at = &bucket_of_begin(mapping.begin);
    while (*at != &mapping) at = &(*at)->next_in_bucket;
    *at = mapping.next_in_bucket;
    at = &mapping.of->mappings;
    while (*at != &mapping) at = &(*at)->next;
    *at = mapping.next;
}

void destroy(Physical* memory) {
    const Handle handle = memory->range.pieces[0].handle;
    {
        Leaving leaving(memory->range.begin);
        take_out(memory->range);
        if (!memory->range.stays) g_on_card -= memory->range.bytes;
        if (handle != 0) traced_call<kMemRelease>(handle);
    }
    std::free(memory);
    tell_of_memory();
}

// Notes which access to a mapping the driver has allowed to the memory's own device. Returns whether access was allowed
// to others, too. g_mapped_mutex held.
bool note_access(Mapping& mapping, const MemoryAccess* access, size_t count) {
    bool others = false;
    for (size_t i = 0; i < count; ++i) {
        const bool own = access[i].location.type == kOnDevice && access[i].location.id == mapping.of->range.device;
        if (own) mapping.access = access[i].flags;
        others = others || (!own && access[i].flags != 0);
    }
    return others;
}

}  // namespace

Physical* begin_call(unsigned long long handle) {
    base::Lock lock(g_mapped_mutex);
    Physical* it = bucket_of_handle(handle);
    while (it != nullptr && it->range.begin != handle) it = it->next_in_bucket;
    if (it == nullptr || it->handles == 0) return nullptr;
    ++it->calls;
    return it;
}

void end_call(Physical* memory) {
    {
        base::Lock lock(g_mapped_mutex);
        if (--memory->calls != 0 || memory->handles != 0 || memory->mappings != nullptr) return;
        Physical** at = &bucket_of_handle(memory->range.begin);
        while (*at != memory) at = &(*at)->next_in_bucket;
        *at = memory->next_in_bucket;
    }
    destroy(memory);
}

void put_physical(Physical& memory) {
    {
        base::Lock lock(g_mapped_mutex);
        memory.range.begin = ++g_next_handle;
        memory.next_in_bucket = std::exchange(bucket_of_handle(memory.range.begin), &memory);
    }
    put_in(&memory.range);
}

void release_handle(Physical& memory) {
    base::Lock lock(g_mapped_mutex);
    --memory.handles;
}

Handle retain_handle_at(Address address) {
    base::Lock lock(g_mapped_mutex);
    const Mapping* const mapping = mapping_around(address);
    if (mapping == nullptr) return 0;
    ++mapping->of->handles;
    return mapping->of->range.begin;
}

void put_mapping(Mapping& mapping) {
    base::Lock lock(g_mapped_mutex);
    link(mapping);
}

Mapping* take_mappings(Address begin, size_t bytes) {
    Mapping* taken = nullptr;
    base::Lock lock(g_mapped_mutex);
    for_each_mapping_in(begin, bytes, [&](Mapping& it) {
        if (it.begin + it.bytes > begin + bytes) return;
        unlink(it);
        ++it.of->calls;
        it.next = std::exchange(taken, &it);
    });
    return taken;
}

bool open_mappings(Address begin, size_t bytes, const MemoryAccess* access, size_t count) {
    bool others = false;
    base::Lock lock(g_mapped_mutex);
    for_each_mapping_in(begin, bytes, [&](Mapping& it) {
        if (!note_access(it, access, count)) return;
        others = true;
        keep_range_in_place(it.of->range);
    });
    return others;
}

bool keep_mapped_in_place(Address address) {
    const KeepErrno keep;
    base::Lock lock(g_mapped_mutex);
    const Mapping* const mapping = mapping_around(address);
    return mapping != nullptr && keep_range_in_place(mapping->of->range);
}

void keep_mapped_of(Context context) {
    DeviceUse use;  // all of it is on the card
    const uint64_t bytes = keep_physicals_of(context);
    use.leave();
    if (bytes == 0) return;
    XLOG_INFO("%.2f GiB that the program has by %s stay on the device from now on: their context has gone",
              static_cast<double>(bytes) / (1 << 30), XSCHED_NAME(VENDOR(MemCreate)));
    tell_of_memory();
}

void forget_mapped() {
    std::memset(g_by_handle, 0, sizeof g_by_handle);
    std::memset(g_by_begin, 0, sizeof g_by_begin);
}

}  // namespace xsched::stream::memory
