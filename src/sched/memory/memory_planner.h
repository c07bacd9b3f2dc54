// Decides whose memory is on a device. A program whose allocation fails asks for memory; less urgent programs that
// allow it (evictable ones) give theirs, and have it back when there is room. Programs of equal priority that do not
// fit side by side take turns. Pure; one object per device; one thread.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/clock.h"

namespace xsched::sched {

// The facts about one program's memory on the device.
struct MemoryUser {
    uint32_t client = 0;
    int32_t priority = 0;
    bool evictable = false;
    bool moving = false;     // it is carrying out an order
    uint64_t on_card = 0;    // bytes that it could give
    uint64_t on_host = 0;    // bytes that it has given
    uint64_t free = 0;       // of the device, as it last saw; looked at while some of its memory is on the host
    uint32_t failed = 0;     // how many orders it could not carry out in full
    uint32_t asked = 0;      // number of its newest request
    uint64_t wanted = 0;     // bytes that an allocation misses; 0: none waits
    uint64_t fixed = 0;      // bytes that it has beside, and that stay on the device
    uint64_t guarantee = 0;  // bytes of all that stay on the device, whichever program asks
    bool kept_away = false;  // a person has suspended it with its memory, or it does without it for now
    uint64_t gang = 0;  // number of its gang; 0: none
    bool gang_is_away = false;  // memory of another member is away, on whatever device
    bool gang_waits = false;  // another member whose memory is away cannot have it back yet
};

struct MemoryOrder {
    enum class Answer : uint8_t { kNone, kTryAgain, kNotEnough };
    static constexpr uint64_t all() { return UINT64_MAX; }
    uint64_t away = 0;  // bytes of the program that are to be on the host, or all()
    Answer answer = Answer::kNone;  // the answer to its newest request
};

class MemoryPlanner {
public:
    // Rate at which memory is assumed to move, each way. Measured: 50 to 55 GB/s on an H200, 37 GB/s back on another
    // (docs/memory.md).
    static constexpr uint64_t kSwapBytesPerUs = 40'000;
    // A turn among equals lasts this many times as long as a swap, so that at most a tenth of the time is swapping.
    static constexpr int64_t kSwapsPerTurn = 10;
    // After room was made for a program, no other program's memory comes back for this long: the program allocates at
    // once, and often goes on to allocate more. An order that failed is not repeated for this long either, and the
    // shortest turn lasts twice as long (safety).
    static constexpr int64_t kSettleNs = base::kSecond;
    // Bytes that stay free when memory comes back: the driver takes some for itself (safety).
    static constexpr uint64_t kReserveBytes = 64 << 20;

    // How long a program may take to carry out an order, which others wait for. Measured: 30 GiB take 0.6 s, and 6 s if
    // the host's memory is not prepared.
    static constexpr int64_t patience_ns() { return 60 * kSettleNs; }

    // Returns one order per user, in the order of `users`. Users that left are forgotten.
    std::vector<MemoryOrder> plan(std::span<const MemoryUser> users, int64_t now_ns);
    // Returns when to call plan() again although nothing changes; 0: no need. Found by the last plan().
    int64_t look_ns() const { return look_ns_; }
    // Returns whether the program's memory could come back, but for the other members of its gang. As of the last
    // plan().
    bool is_ready(uint32_t client) const {
        const auto known = known_.find(client);
        return known != known_.end() && known->second.ready;
    }

    static int64_t turn_ns(uint64_t bytes);

private:
    struct Known {
        uint64_t away = 0;  // ordered
        int64_t asks_since_ns = 0;  // begin of its newest request, or of its wish to come back; 0: none
        uint32_t asked = 0;  // the request that the next words are about
        bool victims_chosen = false;
        int64_t on_card_since_ns = 0;  // when its memory was last completely there
        uint32_t failed = 0;
        int64_t retry_ns = 0;
        bool was_on_card = false;  // while it is kept away
        int64_t waited_for_since_ns = 0;  // since when it has an order that it has not carried out; 0: it has none
        bool given_up = false;  // it had a minute for that
        unsigned times_given_up = 0;
        bool ready = false;  // see is_ready
        bool seen = false;
        bool was_on_host = false;
        int64_t back_ns = 0;  // when its memory last came back; 0: it never did
        int64_t taken_ns = 0;  // when memory of it was last ordered away for another program,
        bool taken_soon = false;  // and whether that was soon after it had come back
        int64_t room_since_ns = 0;  // since when there is room for it to come back; 0: there is none
    };

    void meet(std::span<const MemoryUser> users, int64_t now_ns);
    void keep_away(const MemoryUser& user, Known& known, int64_t now_ns);
    void follow_gang(const MemoryUser& user, Known& known, int64_t now_ns);
    static void note_return(const MemoryUser& user, Known& known, int64_t now_ns);
    static bool was_back_for_less(const Known& known, int64_t ns, int64_t now_ns);
    bool lasts(const MemoryUser& user, Known& known, int64_t now_ns);
    static void order_away(Known& known, uint64_t bytes);
    bool has_obeyed(const MemoryUser& user) const;
    void lose_patience(const MemoryUser& user, int64_t now_ns);
    bool settled(std::span<const MemoryUser> users) const;
    uint64_t coming_back(const MemoryUser& user) const;
    bool could_be_served(std::span<const MemoryUser> users, const MemoryUser& asker) const;
    bool may_give(const MemoryUser& giver, const MemoryUser& asker, uint64_t missing, int64_t now_ns,
                  int64_t* turn_ends_ns);
    uint64_t take(std::span<const MemoryUser> users, const MemoryUser& asker, uint64_t missing, int64_t now_ns);
    MemoryOrder::Answer serve(std::span<const MemoryUser> users, const MemoryUser& asker, int64_t now_ns);
    void bring_back(std::span<const MemoryUser> users, const MemoryUser& user, int64_t now_ns);
    void look_at(int64_t ns) { look_ns_ = look_ns_ == 0 || ns < look_ns_ ? ns : look_ns_; }

    std::unordered_map<uint32_t, Known> known_;
    int64_t granted_until_ns_ = 0;
    int64_t left_ns_ = 0;  // when memory of a program that is kept away was last completely gone
    int64_t look_ns_ = 0;
};

}  // namespace xsched::sched
