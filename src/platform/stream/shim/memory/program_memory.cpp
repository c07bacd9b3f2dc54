#include "platform/stream/shim/memory/program_memory.h"

#include <algorithm>
#include <cstdlib>

#include "base/futex.h"
#include "base/log.h"
#include "base/mutex.h"
#include "platform/stream/shim/device_use.h"
#include "queue/abi/memory_abi.h"

namespace xsched::stream::memory {
namespace {

constinit base::Mutex g_ranges_mutex;  // guards the lists, and each range's place in them
constinit PieceRange* g_ranges = nullptr;    // of cuMemAlloc
constinit PieceRange* g_physicals = nullptr;  // of the program's own cuMemCreate
constinit base::FutexWord g_moving{0};  // how many threads use the ranges without the mutex

// Calls `look` with each range of both lists, as long as it returns true. g_ranges_mutex held, or while a Moving lasts.
template <typename Look>
void for_each_range(Look look) {
    for (PieceRange* list : {g_ranges, g_physicals})
        for (PieceRange* range = list; range != nullptr; range = range->next)
            if (!look(*range)) return;
}

void unlink(PieceRange& range) {
    *range.link = range.next;
    if (range.next != nullptr) range.next->link = range.link;
}

// Takes the range that `find` finds out of its list; nullptr: it finds none. Waits while ranges are being moved.
template <typename Find>
PieceRange* take_out_found(Find find) {
    for (;;) {
        uint32_t moving = 0;
        {
            base::Lock lock(g_ranges_mutex);
            PieceRange* const found = find();
            if (found == nullptr) return nullptr;
            moving = g_moving.load(std::memory_order_seq_cst);
            if (moving == 0) {
                unlink(*found);
                return found;
            }
        }
        base::futex_wait(g_moving, moving);
    }
}

// Marks a range as one that never moves to the host. Returns false if it already was. g_ranges_mutex held.
bool stays_from_now_on(PieceRange* range) {
    if (range == nullptr || range->stays) return false;
    range->stays = true;
    g_on_card -= range->bytes;
    return true;
}

// Returns the range that contains the address; nullptr if none does. g_ranges_mutex held.
PieceRange* range_around(Address address) {
    PieceRange* range = g_ranges;
    while (range != nullptr && address - range->begin >= range->bytes) range = range->next;
    return range;
}

}  // namespace

constinit std::atomic<uint64_t> g_on_card{0};
constinit std::atomic<uint64_t> g_on_host{0};
constinit std::atomic<uint64_t> g_evictable_on{0};
constinit std::atomic<bool> g_stays{false};

Moving::Moving() {
    base::Lock lock(g_ranges_mutex);
    g_moving.fetch_add(1, std::memory_order_seq_cst);
}

Moving::~Moving() {
    g_moving.fetch_sub(1, std::memory_order_seq_cst);
    base::futex_wake_all(g_moving);
}

void put_in(PieceRange* range) {
    base::Lock lock(g_ranges_mutex);
    PieceRange*& list = range->physical != nullptr ? g_physicals : g_ranges;
    range->next = list;
    range->link = &list;
    if (list != nullptr) list->link = &range->next;
    list = range;
    if (!range->stays) g_on_card += range->bytes;
}

PieceRange* take_out(Address memory) {
    return take_out_found([memory] {
        PieceRange* range = g_ranges;
        while (range != nullptr && range->begin != memory) range = range->next;
        return range;
    });
}

void take_out(PieceRange& range) {
    take_out_found([&range] { return &range; });
}

size_t contexts_with_ranges(Context* contexts, size_t most) {
    base::Lock lock(g_ranges_mutex);
    size_t count = 0;
    for_each_range([&](const PieceRange& range) {
        if (range.context != nullptr && std::find(contexts, contexts + count, range.context) == contexts + count)
            contexts[count++] = range.context;
        return count < most;
    });
    return count;
}

Address range_in_context(Context context) {
    base::Lock lock(g_ranges_mutex);
    const PieceRange* range = g_ranges;
    while (range != nullptr && range->context != context) range = range->next;
    return range != nullptr ? range->begin : 0;
}

Result open_ranges_to(Context context, Device device) {
    const Moving moving;  // frees wait, and no lock is held while the driver is called
    Result code = kSuccess;
    const PieceRange* first = nullptr;
    {
        base::Lock lock(g_ranges_mutex);
        first = g_ranges;
    }
    for (const PieceRange* range = first; range != nullptr && code == kSuccess; range = range->next)
        if (range->context == context) code = open_range_to(*range, device);
    return code;
}

bool find_range(Address address, Address* begin, size_t* bytes) {
    base::Lock lock(g_ranges_mutex);
    const PieceRange* const range = range_around(address);
    if (range == nullptr) return false;
    if (begin != nullptr) *begin = range->begin;
    if (bytes != nullptr) *bytes = range->asked_bytes;
    return true;
}

void set_asked_bytes(PieceRange& range, size_t bytes) {
    base::Lock lock(g_ranges_mutex);
    range.asked_bytes = bytes;
}

bool number_range(Address address, NumberedRange* numbered) {
    static constinit uint64_t last = 0;  // g_ranges_mutex guards it
    base::Lock lock(g_ranges_mutex);
    PieceRange* const range = range_around(address);
    if (range == nullptr) return false;
    if (range->number == 0) range->number = ++last;
    *numbered = {range->number, range->bytes, range->asked_bytes};
    return true;
}

const PieceRange* range_of_number(uint64_t number) {
    base::Lock lock(g_ranges_mutex);
    const PieceRange* range = number != 0 ? g_ranges : nullptr;
    while (range != nullptr && range->number != number) range = range->next;
    return range;
}

RangesBySize::RangesBySize(bool on_card) {
    const auto for_each = [on_card](auto&& what) {
        for_each_range([&](PieceRange& range) {
            if (is_on_card(range) == on_card && !range.stays) what(range);
            return true;
        });
    };
    size_t most = 0;
    for_each([&most](const PieceRange&) { ++most; });
    ranges_ = most != 0 ? static_cast<PieceRange**>(std::malloc(most * sizeof *ranges_)) : nullptr;
    if (ranges_ == nullptr) return;
    for_each([this](PieceRange& range) { ranges_[count_++] = &range; });
    std::sort(ranges_, ranges_ + count_, [](const PieceRange* one, const PieceRange* other) {
        return one->bytes != other->bytes ? one->bytes > other->bytes : one->begin < other->begin;
    });
}

RangesBySize::~RangesBySize() { std::free(ranges_); }

bool keep_range_in_place(Address address) {
    base::Lock lock(g_ranges_mutex);
    return stays_from_now_on(range_around(address));
}

bool keep_range_in_place(PieceRange& range) {
    base::Lock lock(g_ranges_mutex);
    return stays_from_now_on(&range);
}

uint64_t keep_physicals_of(Context context) {
    base::Lock lock(g_ranges_mutex);
    uint64_t bytes = 0;
    for (PieceRange* range = g_physicals; range != nullptr; range = range->next) {
        if (range->context != context) continue;
        if (stays_from_now_on(range)) bytes += range->bytes;
        range->context = nullptr;
    }
    return bytes;
}

void lose_host_ranges() {
    base::Lock lock(g_ranges_mutex);
    for_each_range([](PieceRange& range) {
        if (is_on_card(range) || range.stays) return true;
        range.stays = true;
        g_on_host -= range.bytes;
        return true;
    });
    g_stays = true;
}

void forget_program_memory() {
    g_ranges = nullptr;
    g_physicals = nullptr;
    g_moving.store(0, std::memory_order_relaxed);
    g_on_card = 0;
    g_on_host = 0;
    g_evictable_on = 0;
    g_stays = false;
}

void keep_memory_in_place(const char* why) {
    if (!memory_moves() || g_stays.exchange(true)) return;
    if (g_evictable_on.load() == 0) return;
    XLOG_WARN("this program's memory stays on the device from now on: %s", why);
    tell_of_memory();
}

void tell_of_memory() {
    if (g_evictable_on.load(std::memory_order_relaxed) == 0) return;
    xq_memory_holds(g_evictable_on.load(std::memory_order_relaxed),
                    g_stays.load(std::memory_order_relaxed) ? 0 : g_on_card.load(), g_on_host.load());
}

}  // namespace xsched::stream::memory
