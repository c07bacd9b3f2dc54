// Tells which hardware queues the commands of one stream go to, if the platform knows. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace xsched::stream {

// Most hardware queues of the process that are told apart, numbered from 1.
inline constexpr uint32_t kMostHardwareQueues = 128;

struct HardwareUse {
    std::atomic<uint32_t> main{0};         // the one its launches go to; 0: not known
    std::atomic<uint32_t> last{0};         // the one that was last known
    std::atomic<uint64_t> others[2] = {};  // and those that its graphs and cooperative launches use as well: bit n - 1

    void forget() {
        main.store(0, std::memory_order_relaxed);
        last.store(0, std::memory_order_relaxed);
        for (auto& word : others) word.store(0, std::memory_order_relaxed);
    }
    void add(uint32_t number) {
        others[(number - 1) / 64].fetch_or(uint64_t{1} << (number - 1) % 64, std::memory_order_relaxed);
    }
    bool uses_others() const {
        return others[0].load(std::memory_order_relaxed) != 0 || others[1].load(std::memory_order_relaxed) != 0;
    }
    bool known() const { return main.load(std::memory_order_relaxed) != 0; }
    uint64_t word(uint32_t which) const {
        const uint32_t number = main.load(std::memory_order_relaxed);
        const uint64_t own = number != 0 && (number - 1) / 64 == which ? uint64_t{1} << (number - 1) % 64 : 0;
        return others[which].load(std::memory_order_relaxed) | own;
    }
    bool meets(const HardwareUse& other) const {
        return (word(0) & other.word(0)) != 0 || (word(1) & other.word(1)) != 0;
    }
};

}  // namespace xsched::stream
