#include "platform/stream/shim/memory/counted_mappings.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>
#include <utility>

#include "base/mutex.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/memory/memory_pieces.h"

namespace xsched::stream::memory {

struct CountedMapping {
    CountedMapping* next;
    Address begin;
    size_t bytes;
    MemoryName memory;
    std::optional<Leaving> leaving;  // while it is being unmapped
};

namespace {

constexpr size_t kMappedBuckets = 4096;  // a full card has some thousand mappings of PyTorch, of 2 and 20 MiB (safety)

constinit base::Mutex g_mappings_mutex;  // guards the next one
constinit CountedMapping* g_mappings[kMappedBuckets] = {};

CountedMapping*& bucket_at(Address begin) { return g_mappings[begin / kGranularity % kMappedBuckets]; }

void put_in_table(CountedMapping& mapping) {
    base::Lock lock(g_mappings_mutex);
    mapping.next = std::exchange(bucket_at(mapping.begin), &mapping);
}

// Takes the mappings in the range out of one bucket, and puts them before `first`. g_mappings_mutex held.
CountedMapping* take_from(CountedMapping*& bucket, Address begin, size_t bytes, CountedMapping* first) {
    for (CountedMapping** at = &bucket; *at != nullptr;) {
        CountedMapping& it = **at;
        if (it.begin - begin >= bytes || it.begin + it.bytes > begin + bytes) {
            at = &it.next;
            continue;
        }
        *at = it.next;
        it.next = std::exchange(first, &it);
    }
    return first;
}

CountedMapping* take_from_table(Address begin, size_t bytes) {
    CountedMapping* first = nullptr;
    const size_t granules = bytes != 0 ? std::min((bytes - 1) / kGranularity + 1, kMappedBuckets) : 0;
    base::Lock lock(g_mappings_mutex);
    for (size_t i = 0; i < granules; ++i) first = take_from(bucket_at(begin + i * kGranularity), begin, bytes, first);
    return first;
}

}  // namespace

NewMapping::NewMapping(Address begin, size_t bytes, Handle handle) {
    const KeepErrno keep;
    void* const memory = std::malloc(sizeof(CountedMapping));
    mapping_ = memory != nullptr
                   ? new (memory) CountedMapping{nullptr, begin, bytes, MemoryName::of_handle(handle), std::nullopt}
                   : nullptr;
    if (mapping_ != nullptr) add_use(mapping_->memory);
}

NewMapping::~NewMapping() {
    if (mapping_ == nullptr) return;
    const KeepErrno keep;
    Leaving(mapping_->memory);
    std::free(mapping_);
}

void NewMapping::keep() {
    if (mapping_ != nullptr) put_in_table(*std::exchange(mapping_, nullptr));
}

EndingMappings::EndingMappings(Address begin, size_t bytes) : first_(take_from_table(begin, bytes)) {
    for (CountedMapping* it = first_; it != nullptr; it = it->next) it->leaving.emplace(it->memory);
}

EndingMappings::~EndingMappings() {
    if (first_ == nullptr) return;
    const KeepErrno keep;
    while (first_ != nullptr) {
        CountedMapping* const it = std::exchange(first_, first_->next);
        if (stay_) it->leaving->stays();
        it->leaving.reset();
        if (stay_)
            put_in_table(*it);
        else
            std::free(it);
    }
}

}  // namespace xsched::stream::memory
