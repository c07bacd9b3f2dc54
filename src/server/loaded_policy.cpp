#include "server/loaded_policy.h"

#include <dlfcn.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "policy/expr/expr.h"

namespace xsched::server {
namespace {

// A policy is thrown out if one decision takes more processor time than this.
constexpr int64_t kLongestDecisionNs = 10 * base::kMillisecond;
// A policy is thrown out if one decision takes longer than this in elapsed time. The bound is larger than the one above
// since the thread may have waited for a processor.
constexpr int64_t kLongestWaitNs = 100 * base::kMillisecond;
// A policy is thrown out after this many decisions in a row that took longer than kLongestDecisionNs in elapsed time
// and blocked: it sleeps, waits for a lock or reads a file.
constexpr int kMostWaits = 3;
constexpr int64_t kStarvedNs = 10 * base::kSecond;
constexpr size_t kMostGone = 1000;  // most units that are remembered although they may have gone

int64_t processor_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * base::kSecond + time.tv_nsec;
}

// Returns how often this thread has blocked: slept, waited for a lock or read a file.
int64_t waits() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

XPolicyUnit describe(const policy::Unit& unit) {
    return {.id = unit.id,
            .device = unit.device,
            .process = unit.process,
            .account = policy::account_of(unit),
            .ready_since_ns = unit.ready_since_ns,
            .command_ns = unit.command_ns,
            .busy_ns = unit.busy_ns,
            .deadline_us = unit.deadline_us,
            .laxity_us = unit.laxity_us,
            .period_us = unit.period_us,
            .timeslice_us = unit.timeslice_us,
            .pid = unit.pid,
            .priority = unit.priority,
            .lax_priority = unit.lax_priority,
            .critical_priority = unit.critical_priority,
            .utilization = unit.utilization,
            .share = unit.share,
            .limit = unit.limit,
            .k_deadline = unit.k_deadline,
            .window = unit.window,
            .wants = unit.wants ? 1 : 0,
            .ready = unit.ready ? 1 : 0,
            .reserved = 0,
            .memory = unit.memory,
            .memory_away = unit.memory_away,
            .memory_wanted = unit.memory_wanted};
}

class LoadedPolicy final : public policy::Policy {
public:
    LoadedPolicy(const XPolicyModule& module, std::atomic<uint32_t>* inside) : module_(module), inside_(inside) {
        if (module_.create != nullptr) call([this] { state_ = module_.create(); });
    }
    ~LoadedPolicy() override {
        if (module_.destroy != nullptr) call([this] { module_.destroy(state_); });
    }

    int64_t choose(std::span<const policy::Unit> units, int64_t now_ns, std::span<policy::Choice> choices) override {
        if (breach_ != nullptr || units.empty()) return 0;
        lay_out(units);
        int64_t again_ns = 0;
        const int64_t began_ns = base::now_ns();
        const int64_t worked_ns = processor_ns();
        const int64_t waited = waits();
        call([&] {
            const auto* given = reinterpret_cast<const XPolicyUnit*>(given_.data());
            again_ns = module_.choose(state_, given, units.size(), now_ns, answers_.data());
        });
        const int64_t took_ns = base::now_ns() - began_ns;
        waits_ = took_ns > kLongestDecisionNs && waits() > waited ? waits_ + 1 : 0;
        if (processor_ns() - worked_ns > kLongestDecisionNs || took_ns > kLongestWaitNs || waits_ >= kMostWaits)
            breach_ = "took longer than 10 ms to decide";
        else if (again_ns < 0 || (again_ns != 0 && again_ns <= now_ns))
            breach_ = "asked to decide again at a time that had passed";
        for (size_t i = 0; i < units.size(); ++i) {
            const XPolicyChoice& answer = answers_[i];
            if (answer.run != 0 && answer.run != 1) breach_ = "gave an answer that is neither 0 nor 1";
            choices[i] = {.run = answer.run != 0, .by = answer.by};
        }
        if (starves(units, choices, now_ns)) breach_ = "let a unit with work wait for 10 s";
        return breach_ == nullptr ? again_ns : 0;
    }

    void forget(uint64_t device) override {
        std::erase_if(suspended_, [device](const auto& one) { return one.second.device == device; });
        if (module_.forget != nullptr && breach_ == nullptr) call([&] { module_.forget(state_, device); });
    }

    const char* breach() const override { return breach_; }

private:
    // A unit that the policy suspends, and for how long it has had work since the policy suspended it. A turn that the
    // starvation limit gives the unit does not set this back, even if the unit completes all its work in it.
    struct Suspended {
        uint64_t device;
        int64_t seen_ns;
        bool has_work = false;
        int64_t waited_ns = 0;
    };

    template <typename Work>
    void call(Work work) {
        if (inside_ != nullptr) inside_->store(1);
        work();
        if (inside_ != nullptr) inside_->store(0);
    }

    // Lays the units out as the library was built: an older library knows fewer members.
    void lay_out(std::span<const policy::Unit> units) {
        const size_t bytes = module_.unit_bytes;
        given_.resize((units.size() * bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
        answers_.assign(units.size(), XPolicyChoice{.by = 0, .run = 1, .reserved = 0});
        auto* to = reinterpret_cast<char*>(given_.data());
        for (size_t i = 0; i < units.size(); ++i) {
            const XPolicyUnit unit = describe(units[i]);
            memcpy(to + i * bytes, &unit, bytes);
        }
    }

    bool starves(std::span<const policy::Unit> units, std::span<const policy::Choice> choices, int64_t now_ns) {
        bool starves = false;
        for (size_t i = 0; i < units.size(); ++i) {
            const policy::Unit& unit = units[i];
            if (choices[i].run) {
                suspended_.erase(unit.id);
                continue;
            }
            Suspended& one = suspended_.try_emplace(unit.id, Suspended{unit.device, now_ns}).first->second;
            if (one.has_work) one.waited_ns += now_ns - one.seen_ns;
            one.seen_ns = now_ns;
            one.has_work = unit.ready && unit.wants;
            starves |= one.waited_ns >= kStarvedNs;
        }
        if (suspended_.size() > kMostGone + units.size()) forget_gone(units);
        return starves;
    }

    // Forgets units that have gone. Ids are not used twice.
    void forget_gone(std::span<const policy::Unit> units) {
        const auto is_here = [units](uint64_t id) {
            return std::any_of(units.begin(), units.end(), [id](const policy::Unit& unit) { return unit.id == id; });
        };
        std::erase_if(suspended_,
                      [&](const auto& one) { return one.second.device == units[0].device && !is_here(one.first); });
    }

    const XPolicyModule& module_;
    std::atomic<uint32_t>* inside_;
    void* state_ = nullptr;
    const char* breach_ = nullptr;
    int waits_ = 0;  // decisions in a row that blocked
    std::vector<uint64_t> given_;
    std::vector<XPolicyChoice> answers_;
    std::unordered_map<uint64_t, Suspended> suspended_;  // by id
};

// The module, for functions that the registry calls and that take no argument.
const XPolicyModule* g_module = nullptr;
std::atomic<uint32_t>* g_inside = nullptr;
std::string g_line;  // NOLINT

std::unique_ptr<policy::Policy> make_of_module() {
    auto made = make_loaded(*g_module, g_inside);
    made->set_name(g_module->name);
    return made;
}

std::unique_ptr<policy::Policy> make_of_line() {
    std::string error;
    auto made = policy::make_expression(g_line, &error);
    made->set_name("EXPR");
    return made;
}

// Adds the policy to the registry, where it stays until the process ends.
std::string enlist(const policy::PolicyInfo& info) {
    if (policy::find_policy(info.name) != nullptr)
        throw std::runtime_error("there is a policy " + std::string(info.name) + " already: give yours another name");
    new policy::detail::Registration(info);  // NOLINT
    return info.name;
}

}  // namespace

std::unique_ptr<policy::Policy> make_loaded(const XPolicyModule& module, std::atomic<uint32_t>* inside) {
    return std::make_unique<LoadedPolicy>(module, inside);
}

std::string load_policy(const std::string& path, std::atomic<uint32_t>* inside) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error("the policy cannot be loaded: " + std::string(dlerror()));
    const auto describe_itself = reinterpret_cast<const XPolicyModule* (*)()>(dlsym(library, "XSchedPolicy"));
    const XPolicyModule* module = describe_itself != nullptr ? describe_itself() : nullptr;
    if (module == nullptr) throw std::runtime_error(path + " has no function XSchedPolicy: see xsched/policy.h");
    if (module->abi != XSCHED_POLICY_ABI)
        throw std::runtime_error(path + " is for version " + std::to_string(module->abi) +
                                 " of xsched/policy.h, and this is " + std::to_string(XSCHED_POLICY_ABI) +
                                 ": build it again");
    if (module->unit_bytes > sizeof(XPolicyUnit) || module->unit_bytes % alignof(XPolicyUnit) != 0 ||
        module->unit_bytes == 0)
        throw std::runtime_error(path + " is for a later xserver: build it with this one's xsched/policy.h");
    if (module->name == nullptr || module->name[0] == '\0' || module->summary == nullptr || module->choose == nullptr)
        throw std::runtime_error(path + " has no name, summary or function to choose: see xsched/policy.h");
    g_module = module;
    g_inside = inside;
    return enlist({module->name, kPolicyUnknown, policy::kAnyHint, module->summary, make_of_module});
}

std::string register_expression(const std::string& line) {
    std::string error;
    if (policy::make_expression(line, &error) == nullptr) throw std::runtime_error(error);
    g_line = line;
    return enlist({"EXPR", kPolicyUnknown, policy::kAnyHint, g_line.c_str(), make_of_line});
}

}  // namespace xsched::server
