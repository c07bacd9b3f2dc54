// Gangs: units that run and stop together, on one device or several, so that what they do in common (a collective) is
// never half suspended. Plain data, and what follows from it; not thread-safe.
//
// The policy is asked about each device as ever and knows nothing of gangs. Its answer about the members on a device is
// a vote. Where a more urgent unit keeps a member off, the gang is suspended everywhere. If it is only another unit's
// turn, one device decides for all of them, the gang's lead: the one where most others want to run, of equals
// the first. So all members have their turns at once (coscheduling: Ousterhout, 1982). The others have the time that a
// gang cannot use meanwhile. A suspended gang keeps no device, so that two gangs never wait for each other. Of several
// gangs with different leads that need one device, one goes before the others. Which one it is changes by chance every
// 50 ms.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "sched/facts/times.h"

namespace xsched::sched {

struct GangKey {
    uint64_t user = 0;
    int64_t name = 0;
    auto operator<=>(const GangKey&) const = default;
};

enum class Vote : uint8_t {
    kAbsent,  // the members there have had nothing to do for a while: they keep no other unit off
    kRuns,  // one may run
    kNotItsTurn,
    kNo,  // a member makes room for a more urgent unit
    kStopped,  // a member is suspended by a person, or has used up its limit
};

// The order to a gang's members on a device, because of other devices.
struct GangOrder {
    bool suspended = false;
    bool by_will = false;  // a person or the program itself suspended a member: this does not count as starvation
    bool runs = false;  // they run even if it is another unit's turn
    bool preemptible = false;  // another unit competes with the gang on some device
    int32_t priority = 0;
    int64_t turn_until_ns = 0;  // end of a starved gang's turn; 0: it has none
    bool operator==(const GangOrder&) const = default;
};

// How many other units want a device, averaged over about the last tenth of a second.
class Crowd {
public:
    static constexpr double kSomebody = 0.05;  // an average above this means that some unit wants the device

    void observe(uint32_t others, int64_t now_ns) {
        mean_ = mean_at(now_ns);
        others_ = others;
        seen_ns_ = now_ns;
    }
    double at(int64_t now_ns) const { return others_ != 0 ? std::max(mean_at(now_ns), kSomebody) : mean_at(now_ns); }

private:
    double mean_at(int64_t now_ns) const {
        const auto passed_ns = static_cast<double>(now_ns - seen_ns_);
        return mean_ + (others_ - mean_) * passed_ns / (passed_ns + static_cast<double>(kMostGuessNs));
    }

    double mean_ = 0;
    uint32_t others_ = 0;
    int64_t seen_ns_ = 0;
};

// A gang's members on one device.
struct GangPlace {
    uint64_t device = 0;
    Vote vote = Vote::kAbsent;
    uint32_t members = 0;
    bool strangers = false;  // units outside the gang use the device
    int32_t priority = 0;  // priority of the most urgent member
    Crowd crowd;
    GangOrder given;  // order in force at the last decision about the device
};

struct Gang {
    GangKey key;
    std::vector<GangPlace> places;  // sorted by device
    std::optional<size_t> lead;  // position in places
    int64_t turn_until_ns = 0;

    GangPlace* find(uint64_t device) {
        for (GangPlace& place : places)
            if (place.device == device) return &place;
        return nullptr;
    }
    // Returns whether the gang has several members; a single member is treated as if in no gang.
    bool has_several() const { return places.size() > 1 || (places.size() == 1 && places[0].members > 1); }
    void follow_lead(uint64_t device) {
        lead.reset();
        for (size_t at = 0; at < places.size(); ++at)
            if (places[at].device == device) lead = at;
    }
    uint64_t lead_device() const { return lead ? places[*lead].device : UINT64_MAX; }
    void choose_lead(int64_t now_ns);
    GangOrder order_for(const GangPlace& place, int64_t now_ns) const;
};

// A unit of one device that belongs to a gang.
struct GangMember {
    GangKey key;
    uint32_t at = 0;  // its position
    auto operator<=>(const GangMember&) const = default;
};

// A gang's part on one device.
struct GangHere {
    Gang* gang = nullptr;
    uint32_t begin = 0;  // its members are DeviceHistory::gang_members[begin .. end)
    uint32_t end = 0;
    GangOrder order;  // order in force for this decision
};

// How the gang changes a unit's verdict.
enum class InGang : uint8_t {
    kAsAnswered,
    kSuspended,  // suspended together with its gang
    kStopped,  // likewise, because a person or a program said so
    kTurn,  // its gang starved
};

// Returns a pseudo-random number by which gangs are ordered: the gang with the smallest number goes first. The number
// changes every kLookAtAllNs, so that each gang goes first at times. Two gangs have the same number with a chance of
// 2^-64.
uint64_t precedence(const Gang& gang, int64_t now_ns);

}  // namespace xsched::sched
