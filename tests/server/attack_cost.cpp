// The effect of each attack on an honest program: from its urgent queue's readiness to the directive for its other
// client, and until another user's tool is answered; undisturbed, beside each attack, and beside a process that uses as
// much of the processors as the attacker does and leaves the server alone. All of it in turns. Prints one JSON object;
// bench/attacks.py makes the table and the file of results.
// Usage: attack_cost [--rounds N] [--samples N] [--only ATTACK] [--limit-s SECONDS]
// --limit-s: no round begins that would take longer than that, counted from the start; the first one always does.
#include <sys/mman.h>
#include <sys/resource.h>

#include <climits>
#include <cmath>
#include <fstream>
#include <map>

#include "server/attacking.h"
#include "server/hostile.h"
#include "server/server_threads.h"
#include "support/http_by_hand.h"

namespace xsched::test {
namespace {

constexpr uid_t kOtherUid = 60001;
constexpr int kVictimNice = -5;  // what is measured is the server, not whether the victim loses its processor
constexpr useconds_t kPeriodUs = 1000;
constexpr useconds_t kToolPeriodUs = 20'000;
constexpr useconds_t kLookUs = 1000;
constexpr int64_t kGiveUpNs = 5 * base::kSecond;
constexpr size_t kMostSamples = 1 << 16;

// The samples that a measuring child writes for us.
struct Samples {
    std::atomic<uint32_t> count{0};
    int64_t ns[kMostSamples];
    bool kept[kMostSamples];  // whether the measuring program kept its processor meanwhile
    void add(int64_t one, bool has_kept = true) {
        const uint32_t at = count.load(std::memory_order_relaxed);
        if (at >= kMostSamples) return;
        ns[at] = one;
        kept[at] = has_kept;
        count.store(at + 1);
    }
    std::vector<int64_t> all() const { return {ns, ns + count.load()}; }
    std::vector<int64_t> all_kept() const {
        std::vector<int64_t> found;
        for (uint32_t at = 0; at < count.load(); ++at)
            if (kept[at]) found.push_back(ns[at]);
        return found;
    }
};

struct Unmap {
    void operator()(Samples* samples) const { munmap(samples, sizeof(Samples)); }
};
using SharedSamples = std::unique_ptr<Samples, Unmap>;

SharedSamples make_samples() {
    void* memory = mmap(nullptr, sizeof(Samples), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) abort();
    return SharedSamples(new (memory) Samples);
}

[[noreturn]] void fail(const std::string& what) {
    fprintf(stderr, "attack_cost: %s\n", what.c_str());
    exit(1);
}

// Nanoseconds that the tasks of these processes have run.
int64_t ran_ns(const std::vector<pid_t>& pids) {
    int64_t sum = 0;
    for (const pid_t pid : pids) {
        const std::string folder = "/proc/" + std::to_string(pid) + "/task";
        DIR* list = opendir(folder.c_str());
        for (const dirent* entry = nullptr; list != nullptr && (entry = readdir(list)) != nullptr;) {
            int64_t ns = 0;
            if (entry->d_name[0] == '.') continue;  // ".." is the first thread once more
            if (std::ifstream(folder + "/" + entry->d_name + "/schedstat") >> ns) sum += ns;
        }
        if (list != nullptr) closedir(list);
    }
    return sum;
}

struct Figures {
    std::vector<int64_t> directive_ns;
    std::vector<int64_t> kept_ns;
    std::vector<int64_t> tool_ns;
    std::vector<double> p99_us;  // of each round
    double hostile_share = 0;  // of a processor, the last round's
    double server_share = 0;
    // How often the server's two threads stood in the kernel, uninterruptible.
    uint32_t looks = 0;
    uint32_t looks_in_d = 0;
    int64_t resident_mib = 0;  // most of all rounds
    size_t descriptors = 0;
    unsigned failures = 0;

    void join(const Figures& other) {
        directive_ns.insert(directive_ns.end(), other.directive_ns.begin(), other.directive_ns.end());
        kept_ns.insert(kept_ns.end(), other.kept_ns.begin(), other.kept_ns.end());
        tool_ns.insert(tool_ns.end(), other.tool_ns.begin(), other.tool_ns.end());
        p99_us.insert(p99_us.end(), other.p99_us.begin(), other.p99_us.end());
        server_share = other.server_share;
        looks += other.looks;
        looks_in_d += other.looks_in_d;
        resident_mib = std::max(resident_mib, other.resident_mib);
        descriptors = std::max(descriptors, other.descriptors);
        failures += other.failures;
    }
};

double at(std::vector<int64_t> values, double share) {
    if (values.empty()) return 0;  // JSON has no word for "none"; `samples` and `failures` tell
    std::sort(values.begin(), values.end());
    return static_cast<double>(
        values[static_cast<size_t>(std::lround(share * static_cast<double>(values.size() - 1)))]);
}

// Waits until the client's queue is suspended, or is not. `when_ns`: receives when that was seen. Returns false if it
// does not happen in time.
bool wait_for(TestClient& client, uint32_t suspended, int64_t* when_ns = nullptr) {
    const int64_t give_up = base::now_ns() + kGiveUpNs;
    for (;;) {
        const bool is = client.slot(0).suspended.load() == suspended;
        const int64_t now = base::now_ns();
        if (when_ns != nullptr) *when_ns = now;
        if (is) return true;
        if (now > give_up) return false;
    }
}

// Returns how often this thread was preempted by another one.
long times_displaced() {
    rusage mine{};
    getrusage(RUSAGE_THREAD, &mine);
    return mine.ru_nivcsw;
}

// The honest program: both clients in one process, so that only the server must be given a processor.
void measure_directives(const std::string& path, int samples, Samples& into) {
    TestClient low(path, "low");
    TestClient high(path, "high");
    if (!low.connected() || !high.connected()) _exit(1);
    low.add_queue(0, 150, 0x1);
    high.add_queue(0, 200, 0x2);
    low.slot(0).command_ns = high.slot(0).command_ns = 1;  // so short that the server anticipates nothing
    low.submit(0);
    for (int i = 0; i < samples; ++i) {
        if (!wait_for(low, 0)) _exit(2);
        usleep(kPeriodUs);
        int64_t now = 0;
        const long displaced = times_displaced();
        const int64_t began = base::now_ns();
        high.submit(0);
        if (!wait_for(low, 1, &now)) _exit(3);
        into.add(now - began, times_displaced() == displaced);
        high.complete(0);
        low.complete(0);  // it gets something done
        low.submit(0);
    }
}

// Looks at the front thread and at the one that decides: 1, if one of them stands in the kernel. Says where.
void watch_states(pid_t server, Samples& into) {
    const ThreadState front(server, server);
    const ThreadState decides(server, thread_named(server, "xserver-sched"));
    for (;; usleep(kLookUs)) {
        const ThreadState* const blocked = front.blocked() ? &front : decides.blocked() ? &decides : nullptr;
        if (blocked != nullptr)
            fprintf(stderr, "%s stands in the kernel:\n%s", blocked == &front ? "the front" : "who decides",
                    blocked->stack().c_str());
        into.add(blocked != nullptr ? 1 : 0);
    }
}

void measure_tools(const std::string& path, Samples& into) {
    for (;;) {
        const int64_t began = base::now_ns();
        const bool good = answer_of_server(path, {{"cmd", "status"}}).value("ok", false);
        into.add(good ? base::now_ns() - began : INT64_MAX / 2);
        usleep(kToolPeriodUs);
    }
}

class Bench : public UnderAttack {
public:
    void TestBody() override {}
    void begin() {
        if (geteuid() != 0) fail("it must be root to become other users");
        chmod(directory.path().c_str(), 0755);
        listen_at_any_port(g_web_port).reset();  // which lets go of it
        start_system({"--limit", std::to_string(kVictimUid) + ":highest-priority=255", "--guest-socket",
                      guest_socket(socket()), "HPF", std::to_string(g_web_port)});
        resting_mib_ = resident_mib();
        resting_descriptors_ = descriptors();
    }
    std::string socket_path() const { return socket(); }
    // Until everybody has gone.
    void rest() {
        eventually([this] { return client_count() == 0 && descriptors() <= resting_descriptors_ + 8; });
        server->process().take_output();
        usleep(50'000);
    }
    void measure(const Hostile& hostile, int samples, Figures& figures) {
        usleep(200'000);
        const auto directives = make_samples();
        const auto tools = make_samples();
        const std::string path = socket();
        const std::vector<pid_t> pids = hostile.pids();
        const int64_t began = base::now_ns();
        const int64_t hostile_ran = ran_ns(pids);
        const int64_t server_ran = ran_ns({server->pid()});
        const auto states = make_samples();
        const pid_t watches = child_of(0, [&] { watch_states(server->pid(), *states); }, kVictimNice);
        const pid_t asks = child_of(kOtherUid, [&] { measure_tools(path, *tools); });
        const pid_t honest = child_of(kVictimUid, [&] { measure_directives(path, samples, *directives); }, kVictimNice);
        int status = 0;
        waitpid(honest, &status, 0);
        const auto took = static_cast<double>(base::now_ns() - began);
        figures.hostile_share = static_cast<double>(ran_ns(pids) - hostile_ran) / took;
        figures.server_share = static_cast<double>(ran_ns({server->pid()}) - server_ran) / took;
        const double processors = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
        if (figures.hostile_share + figures.server_share > 1.05 * processors)
            fail("attacker and server used more than there are processors: their time is counted wrongly");
        figures.resident_mib = std::max(figures.resident_mib, resident_mib() - resting_mib_);
        figures.descriptors =
            std::max(figures.descriptors, descriptors() - std::min(descriptors(), resting_descriptors_));
        for (const pid_t child : {asks, watches}) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
        figures.looks += states->count.load();
        for (const int64_t one : states->all()) figures.looks_in_d += static_cast<uint32_t>(one);
        const std::vector<int64_t> found = directives->all();
        if (status != 0 || found.empty()) ++figures.failures;
        figures.directive_ns.insert(figures.directive_ns.end(), found.begin(), found.end());
        const std::vector<int64_t> kept = directives->all_kept();
        figures.kept_ns.insert(figures.kept_ns.end(), kept.begin(), kept.end());
        if (!found.empty()) figures.p99_us.push_back(at(found, 0.99) / 1e3);
        for (const int64_t one : tools->all()) figures.tool_ns.push_back(one);
    }
    // Returns whether the attacker is within its limits; asked during the attack.
    bool within_limits() {
        const Json answer = TestTool(socket()).ask({{"cmd", "limits"}});
        for (const Json& entry : answer["users"])
            for (const Json& one : entry["limits"])
                if (one["name"] != "highest-priority" && one.value("used", int64_t{0}) > one.value("most", int64_t{0}))
                    return false;
        return answer.value("ok", false);
    }

private:
    int64_t resting_mib_ = 0;
    size_t resting_descriptors_ = 0;
};

void print(const Figures& it) {
    printf(
        "\"samples\": %zu, \"p50_us\": %.1f, \"p99_us\": %.1f, \"max_us\": %.1f, \"tools\": %zu, \"tool_p50_ms\": "
        "%.2f, "
        "\"tool_p99_ms\": %.2f, \"tool_max_ms\": %.2f, \"hostile_share\": %.2f, \"server_share\": %.2f, "
        "\"looks\": %u, \"looks_in_d\": %u, \"resident_mib\": %lld, \"descriptors\": %zu, \"failures\": %u, \"kept\": "
        "%zu, \"kept_p99_us\": %.1f, "
        "\"p99_us_of_rounds\": [",
        it.directive_ns.size(), at(it.directive_ns, 0.5) / 1e3, at(it.directive_ns, 0.99) / 1e3,
        at(it.directive_ns, 1) / 1e3, it.tool_ns.size(), at(it.tool_ns, 0.5) / 1e6, at(it.tool_ns, 0.99) / 1e6,
        at(it.tool_ns, 1) / 1e6, it.hostile_share, it.server_share, it.looks, it.looks_in_d,
        static_cast<long long>(it.resident_mib), it.descriptors, it.failures, it.kept_ns.size(),
        at(it.kept_ns, 0.99) / 1e3);
    for (size_t i = 0; i < it.p99_us.size(); ++i) printf("%s%.1f", i == 0 ? "" : ", ", it.p99_us[i]);
    printf("]");
}

// Returns whether one more round, at the mean length of the rounds so far, ends before the time limit.
bool has_time(int done, int64_t began_ns, int64_t limit_ns) {
    return done == 0 || (base::now_ns() - began_ns) / done * (done + 1) <= limit_ns;
}

int run(int rounds, int samples, const std::string& only, int64_t limit_ns) {
    const int64_t began_ns = base::now_ns();
    Bench bench;
    bench.begin();
    Figures undisturbed;
    std::map<std::string, Figures> attacked;
    std::map<std::string, Figures> burnt;
    std::map<std::string, Figures> alone;
    std::map<std::string, bool> within;
    int round = 0;
    for (; round < rounds && has_time(round, began_ns, limit_ns); ++round) {
        for (const Attack& attack : all_attacks()) {
            if (!only.empty() && only != attack.name) continue;
            fprintf(stderr, "round %d of %d: %s\n", round + 1, rounds, attack.name);
            bench.rest();
            bench.measure(Hostile(), samples, alone[attack.name]);
            {
                Hostile hostile;
                if (!hostile.attack(attack, bench.socket_path())) fail(std::string(attack.name) + " could not begin");
                bench.measure(hostile, samples, attacked[attack.name]);
                within[attack.name] = bench.within_limits() && (round == 0 || within[attack.name]);
            }
            bench.rest();
            Hostile hostile;  // the same for the processors, and nothing to the server
            hostile.burn(attacked[attack.name].hostile_share);
            bench.measure(hostile, samples, burnt[attack.name]);
        }
    }
    for (const auto& [name, figures] : alone) undisturbed.join(figures);
    printf("{\"processors\": %ld, \"rounds\": %d, \"undisturbed\": {", sysconf(_SC_NPROCESSORS_ONLN), round);
    print(undisturbed);
    printf("},\n \"attacks\": [");
    bool first = true;
    for (const Attack& attack : all_attacks()) {
        if (!attacked.contains(attack.name)) continue;
        printf("%s\n  {\"name\": \"%s\", \"does\": \"%s\", \"within_limits\": %s, ", first ? "" : ",", attack.name,
               attack.does, within[attack.name] ? "true" : "false");
        print(attacked[attack.name]);
        printf(",\n   \"alone\": {");
        print(alone[attack.name]);
        printf("},\n   \"burner\": {");
        print(burnt[attack.name]);
        printf("}}");
        first = false;
    }
    printf("\n]}\n");
    return 0;
}

}  // namespace
}  // namespace xsched::test

int main(int argc, char** argv) {
    int rounds = 3;
    int samples = 1000;
    std::string only;
    int limit_s = 3600;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i];
        if (name == "--rounds") rounds = std::max(atoi(argv[i + 1]), 1);
        if (name == "--samples") samples = std::max(atoi(argv[i + 1]), 1);
        if (name == "--only") only = argv[i + 1];
        if (name == "--limit-s") limit_s = std::max(atoi(argv[i + 1]), 1);
    }
    return xsched::test::run(rounds, samples, only, limit_s * xsched::base::kSecond);
}
