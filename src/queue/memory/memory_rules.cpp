#include "queue/memory/memory_rules.h"

#include <atomic>
#include <iterator>

#include "base/options.h"
#include "ipc/slot_hints.h"

namespace xsched::queue {
namespace {

// The rules that the program itself has told, in the order of kMemoryRules; below 0: none.
constexpr base::HintId kMemoryRules[] = {base::HintId::evictable, base::HintId::memory_limit,
                                         base::HintId::memory_guarantee};
constinit std::atomic<int64_t> g_told[std::size(kMemoryRules)] = {-1, -1, -1};

}  // namespace

base::Hints memory_rules(const ipc::Header* header) {
    base::Hints hints = base::options();
    take_told_memory_rules(hints);
    if (header != nullptr) ipc::take_defaults(*header, hints, base::options().told_hints | told_memory_rules());
    return hints;
}

uint32_t told_memory_rules() {
    uint32_t told = 0;
    for (size_t i = 0; i < std::size(kMemoryRules); ++i)
        if (g_told[i].load(std::memory_order_relaxed) >= 0) told |= ipc::bit_of(kMemoryRules[i]);
    return told;
}

void keep_told_memory_rule(base::HintId id, int64_t value) {
    for (size_t i = 0; i < std::size(kMemoryRules); ++i)
        if (kMemoryRules[i] == id) g_told[i].store(value, std::memory_order_relaxed);
}

void take_told_memory_rules(base::Hints& hints) {
    for (size_t i = 0; i < std::size(kMemoryRules); ++i) {
        const int64_t told = g_told[i].load(std::memory_order_relaxed);
        if (told >= 0) base::set_hint(hints, kMemoryRules[i], told);
    }
}

}  // namespace xsched::queue
