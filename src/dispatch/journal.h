// The journal of observations and decisions of the dispatcher: the flight recorder of xserver, and what tools record
// (newest_ring.h). Each entry says what a queue is from then on, so that a reader who missed some is right again with
// the next one.
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

namespace xsched::dispatch {

enum class JournalKind : uint8_t {
    kReady = 0,
    kIdle = 1,
    kSuspended = 2,
    kResumed = 3,
    kGone = 4,       // the queue; `completed` is its device
    kCame = 5,       // likewise
    kCause = 6,      // it stays suspended, for another program or reason, or in another way
    kDirected = 7,   // its agent is to make a call: `completed` is ipc::Interrupt << 32 | timeslice in us
    kTakenOff = 8,   // that is done, as far as seen: what ran is off the device,
    kPutBack = 9,    // or on it again
    kFollowed = 10,  // from now on each change of it is told,
    kLeftAlone = 11,  // or not, since nobody competes
    kWasReady = 12,  // as kReady and kIdle, but over before it was seen
    kWasIdle = 13
};

struct JournalEntry {
    // The queue's state from then on, in `state`.
    static constexpr uint8_t kHasWork = 1;
    static constexpr uint8_t kIsSuspended = 2;
    static constexpr uint8_t kIsFollowed = 4;

    int64_t at_ns = 0;
    uint32_t client = 0;
    uint16_t slot = 0;
    JournalKind kind{};
    uint8_t reason = 0;       // sched::Reason
    uint8_t mechanism = 0;    // sched::Mechanism; while it is suspended, of kResumed: until then
    uint8_t state = 0;
    int16_t priority = 0;     // that counts
    uint32_t by_client = 0;   // whom it makes room for, likewise; 0: nobody
    uint64_t completed = 0;   // commands of the queue, so far
    int64_t command_ns = 0;   // their mean length, as learned

    bool operator==(const JournalEntry&) const = default;
};

class Journal {
public:
    static constexpr uint64_t kEntries = 1 << 17;  // of 40 bytes: 5 MiB
    static constexpr int64_t kKeptNs = 30 * base::kSecond;  // for that long, however much others do (judgement)

    // --- the dispatcher's thread
    bool wanted(int64_t now_ns) const { return until_ns_.load(std::memory_order_relaxed) > now_ns; }
    // `user`: whose queue it is; null: nobody's in particular. Entries beyond the user's room are left out, and counted
    // there.
    void add(const JournalEntry& entry, UserLimits* user, int64_t now_ns) {
        if (users_ <= 1 || user == nullptr || may_write(*user, now_ns)) write(entry, now_ns);
    }
    // As of its own time.
    void add(const JournalEntry& entry) { write(entry, entry.at_ns); }
    // How many users have a part (recorded_users.h).
    void share(uint32_t users) { users_ = users; }

    // --- any other, one at a time
    // Entries are written until then; INT64_MAX: always.
    void want_until(int64_t ns);
    bool always() const { return until_ns_.load(std::memory_order_relaxed) == INT64_MAX; }
    // The number of the next entry, and of the oldest that is there.
    uint64_t end() const { return ring_.end(); }
    uint64_t oldest() const { return end() > kEntries ? end() - kEntries : 0; }
    // The number of the first entry that was written then or later. Entries of about that time may come before it.
    uint64_t first_since(int64_t ns) const;
    // Appends at most this many entries from number `from` on. Returns the number behind the last one; what was
    // replaced already is counted in `lost`.
    uint64_t read(uint64_t from, size_t most, std::vector<JournalEntry>& entries, uint64_t& lost) const;

private:
    static constexpr uint64_t kBlock = 256;
    static constexpr uint64_t kBlocks = kEntries / kBlock;

    bool may_write(UserLimits& user, int64_t now_ns) const;
    void write(const JournalEntry& entry, int64_t now_ns);

    std::atomic<int64_t> until_ns_{0};
    uint32_t users_ = 1;
    NewestRing<5, kEntries> ring_;
    // When the first entry of each block was written, by our own clock: entries bear their clients' times.
    std::array<std::atomic<int64_t>, kBlocks> begun_ns_{};
};

}  // namespace xsched::dispatch
