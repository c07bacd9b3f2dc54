// A policy decides which of the units that want a device may use it now. It is pure: no clock, thread, environment or
// memory outside its own object. Each policy has a folder with a README (what, when to use, limits) and one
// XSCHED_POLICY line that registers it; adding one edits no other file.
//
// Threads: the registry is complete once the program is loaded and may be read from any thread. One Policy object is
// used by one caller at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/hints.h"
#include "base/no_copies.h"
#include "policy/note.h"

namespace xsched::policy {

// A policy's view of the queues of one process that have the same priority on one device. They run or are suspended
// together, so that queues which wait for each other's events cannot deadlock.
struct Unit : base::Hints {  // `priority` includes what its queues inherit
    uint64_t id = 0;
    uint64_t device = 0;
    uint64_t process = 0;      // equal for all units of one process
    int32_t pid = 0;           // for people; processes in different pid namespaces may have the same one
    uint64_t account = 0;  // equal for units that share as one, of whatever process; 0: the process is its own account
    int32_t process_limit = 0;  // the limit of its process alone, beside the account's (`limit`); 0: the process has no
                                // other
    int32_t cpu_priority = 0;  // of its process's main thread; larger is more urgent (see kCpuPriority)
    bool wants = false;  // has work that the scheduler believes, or had some so recently that the device is kept for it
    bool ready = false;  // has work; if only `wants` is set, the device is kept for it
    int64_t ready_since_ns = 0;  // begin of its oldest unfinished burst; without one, of its last burst
    int64_t command_ns = 0;  // mean command length
    int64_t busy_ns = 0;  // device time used so far
    // Bytes of the whole process on this device: what it has there, what was moved to the host, and what an allocation
    // of it waits for. Programs whose memory is away have no work until it is back.
    uint64_t memory = 0;
    uint64_t memory_away = 0;
    uint64_t memory_wanted = 0;

    bool operator==(const Unit&) const = default;
};

// Returns the account of a unit: units of one account share as one.
constexpr uint64_t account_of(const Unit& unit) { return unit.account != 0 ? unit.account : unit.process; }

// Why a unit does not run, other than to make room for another one.
enum class Why : uint8_t {
    kTurn,  // another unit has its turn
    kLimited,  // it has used what its limit allows; the device may be idle meanwhile
    kLate,  // it has missed its deadline, and comes after units that can still meet theirs
};

// The decision for one unit, in the order of the units given.
struct Choice {
    bool run = true;
    Why why = Why::kTurn;
    uint64_t by = 0;  // if it does not run: the unit that it makes room for

    bool operator==(const Choice&) const = default;
};

// How much more of the device a sharer has had than its share, compared with the sharer that has had the least.
struct Ahead {
    uint64_t device = 0;
    uint64_t account = 0;  // account_of
    int64_t ns = 0;

    bool operator==(const Ahead&) const = default;
};

// Facts that are costly to find out, so a policy must ask for them.
enum class Fact : uint8_t { kNothing, kCpuPriority };

class Policy {
public:
    virtual ~Policy() = default;
    // Returns the name under which it was registered (XSCHED_POLICY sets it). The text must outlive the policy.
    const char* name() const { return name_; }
    void set_name(const char* name) { name_ = name; }
    // Decides for units that share one device; none is suspended by a person or has PRIORITY_NO_EXECUTE. `choices` has
    // one default entry per unit; an entry left alone means that the unit runs. `now_ns` never goes back. A unit that
    // wants nothing gets a decision too: it holds from the moment it submits. Returns the time at which the decision
    // may change by itself (a turn ends), or 0. A policy that for a second lets no unit with work run is replaced by
    // HPF.
    virtual int64_t choose(std::span<const Unit> units, int64_t now_ns, std::span<Choice> choices) = 0;
    // Forgets a device: it has no units any more, or none that may run.
    virtual void forget([[maybe_unused]] uint64_t device) {}
    // Marks those of `units` (all of one device) that the policy may ever suspend to make room for another of them;
    // `marks` comes with zeros. Their processes keep little work in flight, and all units report each change between
    // ready and idle.
    virtual void mark_preemptible(std::span<const Unit> units, std::span<uint8_t> marks) const {
        if (units.size() > 1) std::fill(marks.begin(), marks.end(), uint8_t{1});
    }

    // Writes to `urgency` a number for each of `units` (all of one device): a less urgent unit makes room for a more
    // urgent one. The device is prepared for the more urgent ones (short timeslices for the others) and kept for them
    // through short pauses. Asked now and then, after choose. Returns false if priorities tell it. A policy under which
    // all units run side by side, or in turns, gives all the same number.
    virtual bool rank([[maybe_unused]] std::span<const Unit> units, [[maybe_unused]] std::span<int32_t> urgency) const {
        return false;
    }

    // Writes notes for people about units, beyond why they run or are suspended; `notes` comes empty. Asked now and
    // then, after choose. Returns false if it has none.
    virtual bool tell([[maybe_unused]] std::span<const Unit> units, [[maybe_unused]] std::span<Note> notes) const {
        return false;
    }

    // Returns whether the policy weighs devices against one another. It remembers what it saw of each; all units then
    // report each change between ready and idle. A device may be idle for the sake of another one, and Choice::by may
    // be a unit of another device.
    virtual bool spans_devices() const { return false; }
    // For a policy that spans devices: returns a number that changes when decisions about other devices may change. All
    // devices are then decided again.
    virtual uint64_t across() const { return 0; }

    // Hands over the accounts on which its shares rest, for the policy that follows. Returns false if it keeps no
    // accounts: then the older ones are kept.
    virtual bool hand_over([[maybe_unused]] std::vector<Ahead>& accounts) const { return false; }
    // Takes over the accounts of another policy, before the first choice. Some may be of units that are gone.
    virtual void take_over([[maybe_unused]] std::span<const Ahead> accounts) {}
    virtual Fact needs() const { return Fact::kNothing; }
    // Returns a sentence if the policy has broken its contract: then HPF replaces it at once. nullptr: it has not. The
    // text outlives the policy.
    virtual const char* breach() const { return nullptr; }

private:
    const char* name_ = "unnamed";
};

template <typename... Ids>
constexpr uint32_t bits_of(Ids... ids) {
    return ((1U << static_cast<unsigned>(ids)) | ... | 0U);
}
// Hints that count under every policy: the core makes room for announced bursts, keeps gangs together and enforces
// limits; memory is planned apart from time (sched/memory).
inline constexpr uint32_t kUnderEveryPolicy = bits_of(
    base::HintId::expect_ns, base::HintId::period_us, base::HintId::gang, base::HintId::limit, base::HintId::evictable,
    base::HintId::memory_limit, base::HintId::memory_guarantee, base::HintId::background, base::HintId::side_by_side);

// The hints of a policy that does not tell which ones it reads: one from a library or a line.
inline constexpr uint32_t kAnyHint = ~0U;

struct PolicyInfo {
    const char* name;  // "HPF", as in XSCHED_POLICY; compared without case
    XPolicyType type;  // kPolicyUnknown: the C interface has no number for it; it is found by name
    // The hints that its decisions depend on (bits_of). A person who gives another hint is told that it has no effect.
    // Hints that count under every policy (kUnderEveryPolicy) need not be among them.
    uint32_t hints;
    const char* summary;  // one line for xcli policy
    std::unique_ptr<Policy> (*make)();
    // Advice that makes a program come first, with PID for its process. nullptr: to raise its priority, if the policy
    // reads that.
    const char* sooner = nullptr;
};

const PolicyInfo* find_policy(const char* name);  // nullptr: this build has no such policy, or the name is null
const PolicyInfo* find_policy(XPolicyType type);  // nullptr also for kPolicyUnknown, which several policies may have

// All registered policies in alphabetical order: for (const PolicyInfo& info : policies()) ...
class PolicyList {
public:
    class Iterator {
    public:
        explicit Iterator(const PolicyInfo* info) : info_(info) {}
        const PolicyInfo& operator*() const { return *info_; }
        const PolicyInfo* operator->() const { return info_; }
        Iterator& operator++();
        bool operator==(const Iterator& other) const { return info_ == other.info_; }

    private:
        const PolicyInfo* info_;
    };
    Iterator begin() const;
    Iterator end() const { return Iterator(nullptr); }
};
inline PolicyList policies() { return {}; }

namespace detail {

// An entry in the list of policies. It is made while the library is loaded, perhaps into a user's program, so it only
// links one pointer.
struct Registration : base::NoCopies {
    explicit Registration(const PolicyInfo& policy_info) noexcept;

    PolicyInfo info;
    const Registration* next;
};

}  // namespace detail
}  // namespace xsched::policy

// Registers a policy. Use in its .cpp at namespace scope: XSCHED_POLICY(Class, "NAME", XPolicyType value,
// bits_of(the hints that it reads), "one line"), with PolicyInfo::sooner behind if it has one.
#define XSCHED_POLICY(class_name, policy_name, policy_type, policy_hints, policy_summary, ...)                       \
    static const ::xsched::policy::detail::Registration xsched_registration_##class_name(                            \
        {policy_name, policy_type, policy_hints, policy_summary, []() -> std::unique_ptr<::xsched::policy::Policy> { \
             auto made = std::make_unique<class_name>();                                                             \
             made->set_name(policy_name);                                                                            \
             return made;                                                                                            \
         } __VA_OPT__(, ) __VA_ARGS__})
