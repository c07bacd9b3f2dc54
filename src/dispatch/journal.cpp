#include "dispatch/journal.h"

#include <algorithm>

namespace xsched::dispatch {

void Journal::write(const JournalEntry& entry, int64_t now_ns) {
    if (const uint64_t number = end(); number % kBlock == 0)
        begun_ns_[number / kBlock % begun_ns_.size()].store(now_ns, std::memory_order_relaxed);
    ring_.add({static_cast<uint64_t>(entry.at_ns), uint64_t{entry.client} << 32 | entry.by_client, entry.completed,
               static_cast<uint64_t>(entry.command_ns),
               uint64_t{entry.slot} << 48 | uint64_t{static_cast<uint16_t>(entry.priority)} << 32 |
                   uint64_t{entry.mechanism} << 24 | uint64_t{entry.state} << 16 |
                   uint64_t{static_cast<uint8_t>(entry.kind)} << 8 | entry.reason});
}

// Returns whether the user has room: half of its part at once, and the other half spread over the time that entries are
// kept. So it never writes more than its part in that time.
bool Journal::may_write(UserLimits& user, int64_t now_ns) const {
    const int64_t entry_ns = 2 * kKeptNs * users_ / static_cast<int64_t>(kEntries);
    if (user.recording.try_use(entry_ns, kKeptNs, now_ns)) return true;
    user.not_recorded.store(user.not_recorded.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return false;
}

void Journal::want_until(int64_t ns) {
    ring_.make();
    if (!always()) until_ns_.store(ns, std::memory_order_relaxed);
}

// Returns the number of the first entry whose client's time is at least `ns`. Finds the block by our own times, then
// the entry in it.
uint64_t Journal::first_since(int64_t ns) const {
    const uint64_t oldest_there = oldest();
    const uint64_t behind = end();
    uint64_t block = oldest_there / kBlock;  // the last block from here on that began before
    for (uint64_t high = (behind + kBlock - 1) / kBlock; block + 1 < high;) {
        const uint64_t middle = block + (high - block) / 2;
        (begun_ns_[middle % begun_ns_.size()].load(std::memory_order_relaxed) < ns ? block : high) = middle;
    }
    const uint64_t block_end = std::min((block + 1) * kBlock, behind);
    std::vector<JournalEntry> one;
    for (uint64_t at = std::max(block * kBlock, oldest_there); at < block_end;) {
        uint64_t lost = 0;
        one.clear();
        const uint64_t next = read(at, 1, one, lost);
        if (one.empty()) return next;
        if (one.front().at_ns >= ns) return next - 1;
        at = next;
    }
    return block_end;
}

uint64_t Journal::read(uint64_t from, size_t most, std::vector<JournalEntry>& entries, uint64_t& lost) const {
    return ring_.read(from, most, lost, [&entries](const auto& words) {
        entries.push_back({.at_ns = static_cast<int64_t>(words[0]),
                           .client = static_cast<uint32_t>(words[1] >> 32),
                           .slot = static_cast<uint16_t>(words[4] >> 48),
                           .kind = static_cast<JournalKind>(words[4] >> 8 & 0xff),
                           .reason = static_cast<uint8_t>(words[4]),
                           .mechanism = static_cast<uint8_t>(words[4] >> 24),
                           .state = static_cast<uint8_t>(words[4] >> 16),
                           .priority = static_cast<int16_t>(words[4] >> 32),
                           .by_client = static_cast<uint32_t>(words[1]),
                           .completed = words[2],
                           .command_ns = static_cast<int64_t>(words[3])});
    });
}

}  // namespace xsched::dispatch
