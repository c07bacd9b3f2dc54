#include "dispatch/journal.h"

#include <algorithm>

namespace xsched::dispatch {

void Journal::add(const JournalEntry& entry) {
    ring_.add({static_cast<uint64_t>(entry.at_ns), uint64_t{entry.client} << 32 | entry.by_client, entry.completed,
               static_cast<uint64_t>(entry.command_ns),
               uint64_t{entry.slot} << 48 | uint64_t{static_cast<uint16_t>(entry.priority)} << 32 |
                   uint64_t{entry.mechanism} << 24 | uint64_t{entry.state} << 16 |
                   uint64_t{static_cast<uint8_t>(entry.kind)} << 8 | entry.reason});
}

// Half of its part at once, and the other half spread over the time that is kept: together they are never more.
bool Journal::may_write(UserLimits& user, int64_t now_ns) const {
    const int64_t entry_ns = 2 * kKeptNs * users_ / static_cast<int64_t>(kEntries);
    if (user.recording_ns > now_ns) {
        user.not_recorded.store(user.not_recorded.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return false;
    }
    user.recording_ns = std::max(user.recording_ns, now_ns - kKeptNs) + entry_ns;
    return true;
}

void Journal::want_until(int64_t ns) {
    ring_.make();
    if (!always()) until_ns_.store(ns, std::memory_order_relaxed);
}

// Times go up, but for the little that a change is seen after it happened.
uint64_t Journal::first_since(int64_t ns) const {
    uint64_t low = oldest();
    uint64_t high = end();
    std::vector<JournalEntry> one;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        uint64_t lost = 0;
        one.clear();
        const uint64_t next = read(middle, 1, one, lost);
        if (one.empty()) return next;
        if (one.front().at_ns < ns)
            low = next;
        else
            high = middle;
    }
    return low;
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
