#include "sim/property.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/clock.h"
#include "policy/policy.h"
#include "sim/property_memory.h"
#include "sim/world.h"

namespace xsched::sim {
namespace {

constexpr int64_t kLookEveryNs = 5 * base::kMillisecond;
constexpr int64_t kLookSeldomNs = 50 * base::kMillisecond;
constexpr int64_t kLookOftenNs = base::kMillisecond;
constexpr int64_t kDrainNs = 600 * base::kSecond;
constexpr int64_t kTurnLooks = 6;  // looks: within so many a process must get something from a turn beside others
constexpr char kLimitsByShare[] = "SPUP";  // a policy that limits programs although they have no limit
// Of brief runs.
constexpr uint64_t kChangesOneIn = 4;
constexpr uint64_t kAgainOneIn = 7;

// One run. Time goes on in steps; between them this object changes the policy, and holds and releases programs.
class Run {
public:
    Run(PropertyRun& result, const std::string& policy, uint64_t seed, Density density)
        : result_(result),
          random_(seed ^ 0x5eed),
          brief_(density == Density::kBrief),
          changes_(policy.empty() || (brief_ && seed % kChangesOneIn == 0)),
          step_ns_(step_ns(density)) {
        for (const policy::PolicyInfo& info : policy::policies()) names_.emplace_back(info.name);
        result.workload.policy = policy.empty() ? names_[static_cast<size_t>(random_.below(count()))] : policy;
    }
    void go() {
        World world(result_.workload, Scheduling::kServer);
        limits_ = result_.workload.policy == kLimitsByShare;
        held_.assign(world.programs().size(), false);
        free_since_ns_.assign(world.programs().size(), world.begin_ns());
        used_.assign(world.programs().size(), 0);
        served_ns_.assign(world.programs().size(), 0);
        const int64_t end_ns = world.begin_ns() + result_.workload.duration_ns;
        for (int64_t at_ns = world.begin_ns(); at_ns < end_ns;) {
            at_ns = std::min(at_ns + step_ns_, end_ns);
            world.run_until(at_ns);
            look(world);
            meddle(world);
        }
        drain(world);
        result_.simulated.events = world.events();
        result_.hash = world.server()->decisions_hash();
        const double hours = static_cast<double>(result_.workload.duration_ns) / 3.6e12;
        result_.simulated.client_hours = hours * static_cast<double>(world.programs().size());
    }

private:
    static int64_t step_ns(Density density) {
        if (density == Density::kBrief) return kLookOftenNs;
        return density == Density::kDense ? kLookEveryNs : kLookSeldomNs;
    }
    int64_t count() const { return static_cast<int64_t>(names_.size()); }

    void meddle(World& world) {
        Server& server = *world.server();
        if (changes_ && random_.below(brief_ ? 12 : 40) == 0) use_policy(next_policy(), server, world.now_ns());
        if (random_.below(brief_ ? 30 : 80) != 0) return;
        const auto at = static_cast<size_t>(random_.below(static_cast<int64_t>(held_.size())));
        hold(world, at, !held_[at]);
    }
    void use_policy(const std::string& name, Server& server, int64_t now_ns) {
        limits_ |= name == kLimitsByShare;
        server.set_policy(name, now_ns);
    }
    // Returns the policy that comes next. A brief run returns to its own policy every second time.
    std::string next_policy() {
        returns_ = brief_ && !returns_;
        return returns_ ? result_.workload.policy : names_[static_cast<size_t>(random_.below(count()))];
    }
    void hold(World& world, size_t at, bool held) {
        held_[at] = held;
        const int64_t gang = world.programs()[at]->spec().hints.gang;
        for (size_t other = 0; other < held_.size(); ++other)
            if (other == at || (gang != 0 && world.programs()[other]->spec().hints.gang == gang))
                free_since_ns_[other] = world.now_ns();
        world.server()->set_suspended_by_person(world.programs()[at]->process().id(), held, world.now_ns());
    }
    // Returns whether the program is held. A gang is held as long as one of its members is.
    bool is_held(World& world, size_t at) const {
        const int64_t gang = world.programs()[at]->spec().hints.gang;
        for (size_t other = 0; other < held_.size(); ++other)
            if (held_[other] && (other == at || (gang != 0 && world.programs()[other]->spec().hints.gang == gang)))
                return true;
        return false;
    }
    // Returns the starvation bound: after the limit, each rival may still run its longest kernel and turn.
    int64_t bound_ns(const ProgramSpec& waiting) const {
        int64_t longest_ns = 0;
        for (const ProgramSpec& spec : result_.workload.programs) longest_ns += spec.burst.kernel_ns.most;
        const int64_t limit_ns = result_.workload.settings.starvation_limit_ns;
        // In its turn a program shares the device with the others, and each of its queues with the others. So one
        // kernel may need as many turns, and more if it is longer than a turn.
        const int64_t turn_ns = result_.workload.settings.starvation_turn_ns;
        const int64_t of_kernel = (waiting.burst.kernel_ns.most + turn_ns - 1) / turn_ns * waiting.queues;
        const int64_t turns = static_cast<int64_t>(result_.workload.programs.size()) * of_kernel + 1;
        if (brief_) return turns * limit_ns + 3 * longest_ns + 20 * base::kMillisecond;
        return 3 * (limit_ns + most_silence_ns(waiting)) + 10 * longest_ns + 300 * base::kMillisecond;
    }
    // Checks the scheduler's own promises, whatever the kernels are: a starving program gets a turn, and at least
    // every second turn lasts long enough to be of use. The limit is exceeded by the time until the process runs
    // again, and by the time between two looks.
    void look_at_device(World& world, size_t at) {
        Program& program = *world.programs()[at];
        const int64_t now_ns = world.now_ns();
        const int64_t used_ns = world.devices()[program.spec().device]->used_ns(program.process().context(), now_ns);
        if (std::exchange(used_[at], used_ns) != used_ns) served_ns_[at] = now_ns;
        const int64_t free_ns = std::max(program.works_since_ns(), free_since_ns_[at]);
        const int64_t off_ns = program.process().kept_off_since_ns();
        const int64_t limit_ns = result_.workload.settings.starvation_limit_ns + most_debt_ns(program.spec()) +
                                 most_silence_ns(program.spec());
        if (off_ns != 0 && now_ns - std::max(free_ns, off_ns) > limit_ns + step_ns_)
            fail(program, "was kept off for " + milliseconds(now_ns - std::max(free_ns, off_ns)));
        if (now_ns - std::max(free_ns, served_ns_[at]) > 2 * limit_ns + kTurnLooks * step_ns_)
            fail(program, "had nothing of the device for " + milliseconds(now_ns - std::max(free_ns, served_ns_[at])));
    }
    // Returns how much longer than the bound a program may stand under a policy with limits. It has repaid the debt of
    // twice the allowance that can be saved up (policy/up/partition.cpp), and of the work in flight when it was
    // stopped. Launches from before its queue was watched become known only when a whole burst has ended. It goes on
    // only once half a turn's allowance is there. In brief runs both are short.
    int64_t debt_ns(const ProgramSpec& spec) const {
        const int64_t commands = brief_ ? 1 : std::max<int64_t>(spec.burst.kernels.most, spec.depth);
        const int64_t half_turn_ns = brief_ ? 0 : 5 * base::kMillisecond;
        const int64_t in_flight_ns = commands * spec.burst.kernel_ns.most * spec.queues;
        return 40 * base::kMillisecond +
               static_cast<int64_t>(result_.workload.programs.size()) * (in_flight_ns + half_turn_ns);
    }
    // Returns how much longer a program may be kept off before it counts as starving, if it waits by calls that do not
    // report waiting. While it is kept off it is presumed idle, for 20 ms and until the server looks
    // (dispatch/silence.h).
    static int64_t most_silence_ns(const ProgramSpec& spec) { return spec.silent_waits ? 150 * base::kMillisecond : 0; }
    // Returns the largest debt_ns of the program's gang, since a gang stands as long as one of its members does.
    int64_t most_debt_ns(const ProgramSpec& of) const {
        if (!limits_) return 0;
        int64_t most_ns = debt_ns(of);
        for (const ProgramSpec& spec : result_.workload.programs)
            if (of.hints.gang != 0 && spec.hints.gang == of.hints.gang) most_ns = std::max(most_ns, debt_ns(spec));
        return most_ns;
    }
    void look(World& world) {
        if (const char* name = world.server()->thrown_out(); name != nullptr && !std::exchange(thrown_out_, true))
            result_.failures.push_back(std::string("policy ") + name + " was thrown out");
        check_memory(world, [&](Program& program, const std::string& what) { fail(program, what); });
        for (size_t at = 0; at < held_.size(); ++at) {
            Program& program = *world.programs()[at];
            const int64_t since_ns = program.waits_since_ns();
            if (since_ns == 0 || is_held(world, at) || program.spec().hints.priority == PRIORITY_NO_EXECUTE) continue;
            const int64_t waited_ns = world.now_ns() - std::max(since_ns, free_since_ns_[at]);
            look_at_device(world, at);
            result_.simulated.longest_wait_ns = std::max(result_.simulated.longest_wait_ns, waited_ns);
            if (waited_ns > bound_ns(program.spec()))
                fail(program, "had work and completed nothing for " + milliseconds(waited_ns));
        }
    }
    // Releases all queues; then everything that was launched must complete.
    void drain(World& world) {
        for (size_t at = 0; at < held_.size(); ++at)
            if (held_[at]) hold(world, at, false);
        for (const auto& program : world.programs()) program->stop();
        const auto done = [&] {
            return std::all_of(world.programs().begin(), world.programs().end(),
                               [](const auto& program) { return program->settled(); });
        };
        for (const int64_t end_ns = world.now_ns() + kDrainNs; !done() && world.now_ns() < end_ns;)
            world.run_until(world.now_ns() + (brief_ ? kLookOftenNs : 20 * kLookEveryNs));
        for (const auto& program : world.programs()) {
            if (program->settled()) continue;
            fail(*program, "was left with " + std::to_string(program->results().launched) + " kernels launched and " +
                               std::to_string(program->results().kernels) + " complete");
        }
        const TellFailure tell = [&](Program& program, const std::string& what) { fail(program, what); };
        check_memory(world, tell);
        check_waits_for_memory(world, tell);
    }
    void fail(Program& program, const std::string& what) {
        if (!failed_.insert(&program).second) return;  // once of each
        if (result_.failures.size() >= 10) return;
        result_.failures.push_back("process " + std::to_string(program.process().id()) + " " + what);
    }
    static std::string milliseconds(int64_t ns) { return std::to_string(ns / base::kMillisecond) + " ms"; }

    PropertyRun& result_;
    Random random_;
    bool brief_;
    bool changes_;
    bool returns_ = true;
    bool limits_ = false;  // a policy with limits was in force during the run
    int64_t step_ns_;
    std::vector<std::string> names_;
    bool thrown_out_ = false;  // and was told
    std::set<const Program*> failed_;
    std::vector<bool> held_;
    std::vector<int64_t> free_since_ns_;
    std::vector<int64_t> used_;  // each process's device time at the last look,
    std::vector<int64_t> served_ns_;  // and when that time last grew
};

}  // namespace

PropertyRun check_seed(uint64_t seed, const std::string& policy, Density density, int64_t duration_ns) {
    PropertyRun result{.workload = random_workload(seed, density, duration_ns)};
    Run(result, policy, seed, density).go();
    if (density == Density::kSparse || (density == Density::kBrief && seed % kAgainOneIn != 0)) return result;
    PropertyRun again{.workload = random_workload(seed, density, duration_ns)};
    Run(again, policy, seed, density).go();
    if (again.hash != result.hash || again.simulated.events != result.simulated.events)
        result.failures.push_back("a second run of the same seed decided otherwise");
    return result;
}

}  // namespace xsched::sim
