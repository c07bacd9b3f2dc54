// What the dispatcher saw and decided, for a tool that records it (newest_ring.h). While nobody has asked lately
// nothing is written and there is no ring.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "dispatch/newest_ring.h"

namespace xsched::dispatch {

enum class JournalKind : uint8_t { kReady = 0, kIdle = 1, kSuspended = 2, kResumed = 3, kGone = 4 };

struct JournalEntry {
    int64_t at_ns = 0;
    uint32_t client = 0;
    uint32_t slot = 0;
    JournalKind kind{};
    uint8_t reason = 0;       // sched::Reason, of kSuspended and kResumed
    uint32_t by_client = 0;   // of kSuspended: whom it makes room for; 0: nobody
    uint64_t completed = 0;   // commands of the queue, so far
    int64_t command_ns = 0;   // their mean length, as learned

    bool operator==(const JournalEntry&) const = default;
};

class Journal {
public:
    static constexpr uint64_t kEntries = 1 << 16;

    // --- the dispatcher's thread
    bool wanted(int64_t now_ns) const { return until_ns_.load(std::memory_order_relaxed) > now_ns; }
    void add(const JournalEntry& entry);

    // --- any other, one at a time
    // Entries are written until then.
    void want_until(int64_t ns);
    // The number of the next entry.
    uint64_t end() const { return ring_.end(); }
    // Appends at most so many entries from number `from` on. Returns the number behind the last one; what was replaced
    // already is counted in `lost`.
    uint64_t read(uint64_t from, size_t most, std::vector<JournalEntry>& entries, uint64_t& lost) const;

private:
    std::atomic<int64_t> until_ns_{0};
    NewestRing<5, kEntries> ring_;
};

}  // namespace xsched::dispatch
