#include "dispatch/journal.h"

namespace xsched::dispatch {

void Journal::add(const JournalEntry& entry) {
    ring_.add({static_cast<uint64_t>(entry.at_ns), uint64_t{entry.client} << 32 | entry.by_client, entry.completed,
               static_cast<uint64_t>(entry.command_ns),
               uint64_t{entry.slot} << 16 | uint64_t{static_cast<uint8_t>(entry.kind)} << 8 | entry.reason});
}

void Journal::want_until(int64_t ns) {
    ring_.make();
    until_ns_.store(ns, std::memory_order_relaxed);
}

uint64_t Journal::read(uint64_t from, size_t most, std::vector<JournalEntry>& entries, uint64_t& lost) const {
    return ring_.read(from, most, lost, [&entries](const auto& words) {
        entries.push_back({.at_ns = static_cast<int64_t>(words[0]),
                           .client = static_cast<uint32_t>(words[1] >> 32),
                           .slot = static_cast<uint32_t>(words[4] >> 16),
                           .kind = static_cast<JournalKind>(words[4] >> 8 & 0xff),
                           .reason = static_cast<uint8_t>(words[4]),
                           .by_client = static_cast<uint32_t>(words[1]),
                           .completed = words[2],
                           .command_ns = static_cast<int64_t>(words[3])});
    });
}

}  // namespace xsched::dispatch
