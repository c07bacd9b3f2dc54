// The journal of what the dispatcher observed and decided: xserver's flight recorder, and the source of recordings
// (newest_ring.h). Each entry gives a queue's new state in full, so a reader that missed some is right again with the
// next one.
//
// Where several users share the scheduler, each has its part of the ring: what one's programs do replaces nothing of
// the last 30 s of another's.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "dispatch/newest_ring.h"
#include "dispatch/user_limits.h"
#include "ipc/journal_kind.h"

namespace xsched::dispatch {

using ipc::JournalKind;

struct JournalEntry {
    // Bits of `state`: the queue's state from then on.
    enum State : uint8_t { kHasWork = 1, kIsSuspended = 2, kIsFollowed = 4 };

    int64_t at_ns = 0;
    uint32_t client = 0;
    uint16_t slot = 0;
    JournalKind kind{};
    uint8_t reason = 0;       // sched::Reason
    uint8_t mechanism = 0;    // sched::Mechanism while suspended; for kResumed, the one until then
    uint8_t state = 0;
    int16_t priority = 0;     // that counts
    uint32_t by_client = 0;   // client for which it makes room, numbered likewise; 0: none
    uint64_t completed = 0;   // commands that the queue has completed so far
    int64_t command_ns = 0;   // their mean length, as learned

    bool operator==(const JournalEntry&) const = default;
};

class Journal {
public:
    static constexpr uint64_t kEntries = 1 << 17;  // entries of 40 bytes: 5 MiB
    static constexpr int64_t kKeptNs = 30 * base::kSecond;  // how long entries are kept (judgement)

    // --- the dispatcher's thread
    bool wanted(int64_t now_ns) const { return until_ns_.load(std::memory_order_relaxed) > now_ns; }
    // Adds an entry. `user`: the user of the queue; null: none. If the user's room is used up, the entry is left out
    // and counted with the user.
    void add(const JournalEntry& entry, UserLimits* user, int64_t now_ns) {
        if (users_ <= 1 || user == nullptr || may_write(*user, now_ns)) write(entry, now_ns);
    }
    // Adds an entry, written at its own time.
    void add(const JournalEntry& entry) { write(entry, entry.at_ns); }
    // Sets how many users have a part of the ring (recorded_users.h).
    void share(uint32_t users) { users_ = users; }

    // --- any other thread, one at a time Sets until when entries are written; INT64_MAX: always.
    void want_until(int64_t ns);
    bool always() const { return until_ns_.load(std::memory_order_relaxed) == INT64_MAX; }
    // Return the numbers of the next entry and of the oldest one that is kept.
    uint64_t end() const { return ring_.end(); }
    uint64_t oldest() const { return end() > kEntries ? end() - kEntries : 0; }
    // Returns the number of the first entry that was written at `ns` or later. Some entries of about that time may come
    // before it.
    uint64_t first_since(int64_t ns) const;
    // Appends at most `most` entries from number `from` on. Returns the number behind the last one. Adds to `lost` how
    // many were already replaced.
    uint64_t read(uint64_t from, size_t most, std::vector<JournalEntry>& entries, uint64_t& lost) const;

private:
    static constexpr uint64_t kBlock = 256;

    bool may_write(UserLimits& user, int64_t now_ns) const;
    void write(const JournalEntry& entry, int64_t now_ns);

    std::atomic<int64_t> until_ns_{0};
    uint32_t users_ = 1;
    NewestRing<5, kEntries> ring_;
    // When the first entry of each block was written, by our own clock: the entries have their clients' times.
    std::array<std::atomic<int64_t>, kEntries / kBlock> begun_ns_{};
};

}  // namespace xsched::dispatch
