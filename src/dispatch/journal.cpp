#include "dispatch/journal.h"

#include <algorithm>

namespace xsched::dispatch {

// Whoever sees one of the words sees that its writing had begun.
void Journal::add(const JournalEntry& entry) {
    Words* ring = ring_.load(std::memory_order_acquire);
    if (ring == nullptr) return;
    const uint64_t number = written_.load(std::memory_order_relaxed);
    begun_.store(number + 1, std::memory_order_relaxed);
    Words& words = ring[number % kEntries];
    const auto put = [&words](size_t at, uint64_t word) { words[at].store(word, std::memory_order_release); };
    put(0, static_cast<uint64_t>(entry.at_ns));
    put(1, uint64_t{entry.client} << 32 | entry.by_client);
    put(2, entry.completed);
    put(3, static_cast<uint64_t>(entry.command_ns));
    put(4, uint64_t{entry.slot} << 16 | uint64_t{static_cast<uint8_t>(entry.kind)} << 8 | entry.reason);
    written_.store(number + 1, std::memory_order_release);
}

void Journal::want_until(int64_t ns) {
    if (memory_ == nullptr) {
        memory_ = std::make_unique<Words[]>(kEntries);
        ring_.store(memory_.get(), std::memory_order_release);
    }
    until_ns_.store(ns, std::memory_order_relaxed);
}

uint64_t Journal::read(uint64_t from, size_t most, std::vector<JournalEntry>& entries, uint64_t& lost) const {
    const uint64_t end = written_.load(std::memory_order_acquire);
    from = std::min(from, end);
    const auto skip = [&](uint64_t begun) {
        const uint64_t oldest = begun > kEntries ? begun - kEntries : 0;
        if (from >= oldest) return false;
        lost += oldest - from;
        from = oldest;
        return true;
    };
    skip(end);
    const Words* ring = ring_.load(std::memory_order_acquire);
    for (; from < end && most > 0; --most) {
        const Words& words = ring[from % kEntries];
        const auto get = [&words](size_t at) { return words[at].load(std::memory_order_acquire); };
        JournalEntry entry;
        entry.at_ns = static_cast<int64_t>(get(0));
        entry.client = static_cast<uint32_t>(get(1) >> 32);
        entry.by_client = static_cast<uint32_t>(get(1));
        entry.completed = get(2);
        entry.command_ns = static_cast<int64_t>(get(3));
        entry.slot = static_cast<uint32_t>(get(4) >> 16);
        entry.kind = static_cast<JournalKind>(get(4) >> 8 & 0xff);
        entry.reason = static_cast<uint8_t>(get(4));
        if (skip(begun_.load(std::memory_order_relaxed))) continue;  // it was replaced while it was read
        entries.push_back(entry);
        ++from;
    }
    return from;
}

}  // namespace xsched::dispatch
