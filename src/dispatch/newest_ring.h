// A ring of fixed size in which the newest entries replace the oldest. One thread writes and never waits. One other
// thread at a time reads, and learns how many entries it missed.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace xsched::dispatch {

template <size_t words, uint64_t entries>
class NewestRing {
public:
    using Entry = std::array<uint64_t, words>;

    // Allocates the ring. Any one thread, before the first entry.
    void make() {
        if (memory_ != nullptr) return;
        memory_ = std::make_unique<Words[]>(entries);
        ring_.store(memory_.get(), std::memory_order_release);
    }
    // Adds an entry. The writer's thread alone. A reader that sees one of the entry's words also sees that its writing
    // had begun.
    void add(const Entry& entry) {
        Words* ring = ring_.load(std::memory_order_acquire);
        if (ring == nullptr) return;
        const uint64_t number = written_.load(std::memory_order_relaxed);
        begun_.store(number + 1, std::memory_order_relaxed);
        Words& kept = ring[number % entries];
        for (size_t i = 0; i < words; ++i) kept[i].store(entry[i], std::memory_order_release);
        written_.store(number + 1, std::memory_order_release);
    }
    // Returns the number of the next entry. Any thread.
    uint64_t end() const { return written_.load(std::memory_order_acquire); }
    // Calls take(entry) for at most `most` entries from number `from` on. Returns the number behind the last one. Adds
    // to `lost` how many were already replaced. The reader's thread.
    template <typename Take>
    uint64_t read(uint64_t from, size_t most, uint64_t& lost, Take take) const {
        const uint64_t end = written_.load(std::memory_order_acquire);
        from = std::min(from, end);
        const auto skip = [&](uint64_t begun) {
            const uint64_t oldest = begun > entries ? begun - entries : 0;
            if (from >= oldest) return false;
            lost += oldest - from;
            from = oldest;
            return true;
        };
        skip(end);
        const Words* ring = ring_.load(std::memory_order_acquire);
        for (; from < end && most > 0; --most) {
            const Words& kept = ring[from % entries];
            Entry entry;
            for (size_t i = 0; i < words; ++i) entry[i] = kept[i].load(std::memory_order_acquire);
            if (skip(begun_.load(std::memory_order_relaxed))) continue;  // it was replaced while it was read
            take(entry);
            ++from;
        }
        return from;
    }

private:
    using Words = std::array<std::atomic<uint64_t>, words>;

    std::atomic<Words*> ring_{nullptr};
    std::unique_ptr<Words[]> memory_;
    std::atomic<uint64_t> begun_{0};  // count of entries whose writing has begun,
    std::atomic<uint64_t> written_{0};  // and ended
};

}  // namespace xsched::dispatch
