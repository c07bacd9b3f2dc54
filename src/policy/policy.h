// A policy: which of the units that want a device may use it now. Pure: no clock, thread, environment or memory of
// anything outside its own object. One folder per policy with a README (what, when to use, limits) and one
// XSCHED_POLICY line that registers it; adding one edits no other file.
//
// Threads: the registry is complete once the program is loaded and may be read from any thread; one Policy object
// is used by one caller at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/hints.h"
#include "policy/note.h"

namespace xsched::policy {

// A policy's view of the queues of one process that have the same priority on one device: they run or are suspended
// together, so that siblings which wait for each other's events cannot deadlock.
struct Unit : base::Hints {  // `priority` counts what its queues inherit
    uint64_t id = 0;
    uint64_t device = 0;
    uint64_t process = 0;      // equal for the units of one process, whatever its number
    int32_t pid = 0;           // for people; several processes may show the same one
    uint64_t account = 0;  // equal for units that share as one, whoever they belong to; 0: its process does alone
    int32_t cpu_priority = 0;  // of its process's main thread, larger is more urgent (see kCpuPriority)
    bool wants = false;  // has work and is believed, or had some so recently that the device is kept for it
    bool ready = false;  // has work; wants without it: the device is kept for it
    int64_t ready_since_ns = 0;  // of its oldest unfinished burst; if it has none, of its last one
    int64_t command_ns = 0;  // mean command length
    int64_t busy_ns = 0;  // device time used so far

    bool operator==(const Unit&) const = default;
};

// Units of one account share as one.
constexpr uint64_t account_of(const Unit& unit) { return unit.account != 0 ? unit.account : unit.process; }

// Why a unit does not run, beyond whom it makes room for.
enum class Why : uint8_t {
    kTurn,  // it is another one's turn
    kLimited,  // it has had what its limit allows: the device may be idle meanwhile
    kLate,  // it has missed its deadline, and goes behind those that can still meet theirs
};

// One unit's answer, in the order of the units given.
struct Choice {
    bool run = true;
    Why why = Why::kTurn;
    uint64_t by = 0;  // if not: the unit it makes room for

    bool operator==(const Choice&) const = default;
};

// The time of the device that a sharer has had beyond its part, compared with the sharer that has had the least.
struct Ahead {
    uint64_t device = 0;
    uint64_t account = 0;  // account_of
    int64_t ns = 0;

    bool operator==(const Ahead&) const = default;
};

// The facts that cost something to find out, and that a policy must ask for.
enum class Fact : uint8_t { kNothing, kCpuPriority };

class Policy {
public:
    virtual ~Policy() = default;
    // As it was registered (XSCHED_POLICY sets it). The text must outlive the policy.
    const char* name() const { return name_; }
    void set_name(const char* name) { name_ = name; }
    // All units share one device, and none is suspended by a person or has PRIORITY_NO_EXECUTE; `choices` comes with
    // one default entry per unit (an entry left alone runs). `now_ns` only moves forward. Units that want nothing get
    // an answer too: it holds from the moment they submit. Returns the time at which the answer may change by itself
    // (a turn ends), or 0. A policy that lets nobody with work run for a second is replaced by HPF.
    virtual int64_t choose(std::span<const Unit> units, int64_t now_ns, std::span<Choice> choices) = 0;
    // No unit uses the device any more.
    virtual void forget([[maybe_unused]] uint64_t device) {}
    // Which of these `units` (all of one device) the policy can ever suspend to make room for another of them; `marks`
    // comes with zeros. Their processes keep little work in flight, and all of them report each ready and idle change.
    virtual void mark_preemptible(std::span<const Unit> units, std::span<uint8_t> marks) const {
        if (units.size() > 1) std::fill(marks.begin(), marks.end(), uint8_t{1});
    }

    // Which of these `units` (all of one device) may have others suspended for their sake: `urgency` gets a number for
    // each, and what is less urgent makes room for what is more so. For those the device is made ready beforehand
    // (short timeslices for the others) and kept through short pauses. Asked now and then, after choose. False:
    // priorities say it. A policy under which all run side by side, or in turns, has them all alike.
    virtual bool rank([[maybe_unused]] std::span<const Unit> units, [[maybe_unused]] std::span<int32_t> urgency) const {
        return false;
    }

    // Tells people about each unit beyond why it runs or is suspended: `notes` comes empty. Asked now and then, after
    // choose. False: it says nothing.
    virtual bool tell([[maybe_unused]] std::span<const Unit> units, [[maybe_unused]] std::span<Note> notes) const {
        return false;
    }

    // A policy that weighs devices against one another remembers what it saw of each. Then all report each ready and
    // idle change. A device may be idle for the sake of another one, and `by` may be a unit of another device.
    virtual bool spans_devices() const { return false; }
    // Of such a policy: another number once the answers about other devices may be others. All are then asked about.
    virtual uint64_t across() const { return 0; }

    // Hands over the accounts on which its shares rest, for the policy that follows. False: it keeps no accounts, and
    // those before it stay.
    virtual bool hand_over([[maybe_unused]] std::vector<Ahead>& accounts) const { return false; }
    // Before the first choice: what another policy has handed over. Some of it may be of units that are gone.
    virtual void take_over([[maybe_unused]] std::span<const Ahead> accounts) {}
    // The hints that its answers depend on, as bits (bits_of). A person who gives another one is told that it has no
    // effect. Hints that count under every policy (kUnderEveryPolicy) need not be among them.
    virtual uint32_t hints() const { return ~0U; }
    virtual Fact needs() const { return Fact::kNothing; }
    // Returns the act of its that no policy may do: then HPF replaces it at once. nullptr: none. The text outlives it.
    virtual const char* breach() const { return nullptr; }

private:
    const char* name_ = "unnamed";
};

template <typename... Ids>
constexpr uint32_t bits_of(Ids... ids) {
    return ((1U << static_cast<unsigned>(ids)) | ... | 0U);
}
// The core itself makes room for what is announced, keeps gangs together and holds limits, whatever the policy.
inline constexpr uint32_t kUnderEveryPolicy =
    bits_of(base::HintId::expect_ns, base::HintId::period_us, base::HintId::gang, base::HintId::limit);

struct PolicyInfo {
    const char* name;  // "HPF", as in XSCHED_POLICY; compared without case
    XPolicyType type;  // kPolicyUnknown: the interface has no number for it, it is found by name
    const char* summary;  // one line for xcli policy
    std::unique_ptr<Policy> (*make)();
};

const PolicyInfo* find_policy(const char* name);  // nullptr: no such policy in this build; also for a null name
const PolicyInfo* find_policy(XPolicyType type);  // nullptr too for kPolicyUnknown, which several policies may have

// Every registered policy, by name: for (const PolicyInfo& info : policies()) ...
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

// A link in the list of policies. Made while the library is loaded, perhaps into somebody else's program: it links
// one pointer and does nothing else.
struct Registration {
    explicit Registration(const PolicyInfo& policy_info) noexcept;
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

    PolicyInfo info;
    const Registration* next;
};

}  // namespace detail
}  // namespace xsched::policy

// In the policy's .cpp, at namespace scope: XSCHED_POLICY(Class, "NAME", XPolicyType value, "one line").
#define XSCHED_POLICY(class_name, policy_name, policy_type, policy_summary)                            \
    static const ::xsched::policy::detail::Registration xsched_registration_##class_name(              \
        {policy_name, policy_type, policy_summary, []() -> std::unique_ptr<::xsched::policy::Policy> { \
             auto made = std::make_unique<class_name>();                                               \
             made->set_name(policy_name);                                                              \
             return made;                                                                              \
         }})
