// Remembers the sentences that libraries of this process have said (base/say_once.h).
#include <atomic>
#include <cstddef>
#include <iterator>

#include "base/say_once.h"

namespace {

// Most different sentences that are remembered ("safety"); any beyond these are said by each library.
constexpr size_t kMostSentences = 128;
constinit std::atomic<uint32_t> g_said[kMostSentences]{};  // 0: free

}  // namespace

bool xq_is_first_to_say(uint32_t sentence) {
    if (sentence == 0) sentence = 1;
    for (auto& said : g_said) {
        uint32_t present = 0;
        if (said.compare_exchange_strong(present, sentence, std::memory_order_relaxed)) return true;
        if (present == sentence) return false;
    }
    return true;
}
