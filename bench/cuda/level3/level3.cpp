// Measurements of level 3 on a real GPU, one mode per process (bench/cuda/level3.py runs them):
//
//   level3 victim --board FILE --kernel-ms X [--seconds S]
//       keeps kernels of that length on the device, 4 deep, until told to end; then says whether its state is right
//   level3 self --board FILE --kernel-ms X --preemptions N [--seconds S]
//       the same, and suspends and resumes its own queue through the C interface, N times
//   level3 urgent --board FILE --bursts N --gap-ms G [--kernels K] [--sync-every M] [--seconds S]
//       bursts of short kernels; how long after each began the victim on the same board still ran
//   level3 hog --board FILE [--seconds S]
//       short kernels without a pause until told to end
//
// Each prints one line of JSON, times in microseconds. Exit status 3: CUDA fails.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "victim.h"

namespace {

using level3::Board;
using level3::now_ns;
using level3::Victim;

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kQuietNs = 100'000;       // the kernel's clock comes every few microseconds
constexpr int64_t kPatienceNs = 300 * kMs;  // for a preemption
constexpr int kDepth = 4;
constexpr double kShortKernelMs = 0.007;

struct Arguments {
    std::map<std::string, std::string> values;
    double number(const char* name, double otherwise) const {
        const auto found = values.find(name);
        return found != values.end() ? atof(found->second.c_str()) : otherwise;
    }
};

// "name": {"p50": ..., "p90": ..., "p99": ..., "max": ..., "n": ...}
void print_times(const char* name, std::vector<int64_t> times) {
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) {
        return times.empty()
                   ? -1.0
                   : static_cast<double>(times[static_cast<size_t>(share * static_cast<double>(times.size() - 1))]) /
                         1e3;
    };
    printf(", \"%s\": {\"p50\": %.1f, \"p90\": %.1f, \"p99\": %.1f, \"max\": %.1f, \"n\": %zu}", name, at(0.5), at(0.9),
           at(0.99), at(1.0), times.size());
}

// The end of a line of JSON.
void print_all_times(std::initializer_list<std::pair<const char*, std::vector<int64_t>>> all) {
    for (const auto& [name, times] : all) print_times(name, times);
    printf("}\n");
}

void sleep_ns(int64_t ns) {
    const timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
    nanosleep(&time, nullptr);
}

// Keeps kernels on the device on a thread of its own.
class Feeder {
public:
    Feeder(Victim& victim, Board& board, uint32_t rounds) {
        thread_ = std::thread([this, &victim, &board, rounds] {
            victim.attach_thread();
            while (!stop_.load()) {
                for (int i = 0; i < kDepth; ++i) victim.launch(rounds);
                victim.synchronize();
                board.kernels.fetch_add(kDepth);
            }
        });
    }
    ~Feeder() {
        stop_ = true;
        thread_.join();
    }

private:
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

int run_victim(const Arguments& arguments, Board& board) {
    Victim victim(board);
    const uint32_t rounds = victim.rounds_for(arguments.number("--kernel-ms", 10));
    const int64_t end = now_ns() + static_cast<int64_t>(arguments.number("--seconds", 60) * 1e9);
    {
        const Feeder feeder(victim, board, rounds);
        level3::wait_moving(board, 5000 * kMs);
        board.ready = 1;
        while (board.order.load() == 0 && now_ns() < end) sleep_ns(kMs);
    }
    printf("{\"rounds\": %u, \"kernels\": %llu, \"exact\": %s}\n", rounds,
           static_cast<unsigned long long>(board.kernels.load()), victim.state_is_right() ? "true" : "false");
    return 0;
}

// Notes how long after `since_ns` something was seen at `seen_ns`; if `seen_ns` is 0, counts that it was never seen.
void note(int64_t seen_ns, int64_t since_ns, std::vector<int64_t>& after_ns, long& never) {
    if (seen_ns != 0)
        after_ns.push_back(std::max<int64_t>(seen_ns - since_ns, 0));
    else
        ++never;
}

// A function of XSched's C interface.
template <typename Function>
Function* ours(const char* library, const char* name) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    if (handle == nullptr) handle = dlopen(library, RTLD_NOW);
    void* function = handle != nullptr ? dlsym(handle, name) : nullptr;
    if (function != nullptr) return reinterpret_cast<Function*>(function);
    fprintf(stderr, "level3: no %s in %s: preload the shim\n", name, library);
    exit(3);
}

// The XQueues of the victim's stream and of the NULL stream, which copies use: level 3 acts when all of a program's
// queues are suspended. False: it has said what is missing.
bool find_xqueues(const Victim& victim, uint64_t (&xqueues)[2]) {
    auto* queue_get = ours<int(uint64_t*, void*)>("libhalcuda.so.1", "CudaQueueGet");
    auto* xqueue_get = ours<int(uint64_t*, uint64_t)>("libpreempt.so.1", "XQueueGet");
    auto* set_level = ours<int(uint64_t, int64_t)>("libpreempt.so.1", "XQueueSetPreemptLevel");
    void* const streams[2] = {victim.stream(), nullptr};
    for (int i = 0; i < 2; ++i) {
        uint64_t hwq = 0;
        const int got = queue_get(&hwq, streams[i]), made = xqueue_get(&xqueues[i], hwq),
                  level = set_level(xqueues[i], 3);
        if (got == 0 && made == 0 && level == 0) continue;
        printf("{\"error\": \"stream %d: CudaQueueGet %d, XQueueGet %d, XQueueSetPreemptLevel(3) %d\"}\n", i, got, made,
               level);
        return false;
    }
    return true;
}

int run_self(const Arguments& arguments, Board& board) {
    auto* suspend = ours<int(uint64_t, int64_t)>("libpreempt.so.1", "XQueueSuspend");
    auto* resume = ours<int(uint64_t, int64_t)>("libpreempt.so.1", "XQueueResume");
    Victim victim(board);
    const uint32_t rounds = victim.rounds_for(arguments.number("--kernel-ms", 50));
    uint64_t xqueues[2] = {};
    if (!find_xqueues(victim, xqueues)) return 1;
    const auto wanted = static_cast<long>(arguments.number("--preemptions", 100));
    const int64_t end = now_ns() + static_cast<int64_t>(arguments.number("--seconds", 60) * 1e9);
    std::vector<int64_t> suspends, offs, resumes, ons;
    long done = 0, never_off = 0, moved = 0, never_on = 0;
    {
        const Feeder feeder(victim, board, rounds);
        level3::wait_moving(board, 5000 * kMs);
        for (; done < wanted && now_ns() < end; ++done) {
            sleep_ns((done * 7919) % 3000 * 1000);  // not in step with the kernels
            if (level3::wait_moving(board, 1000 * kMs) == 0) ++never_on;
            const int64_t t0 = now_ns();
            for (const uint64_t xqueue : xqueues) suspend(xqueue, 0);
            const int64_t t1 = now_ns();
            const int64_t last = level3::wait_quiet(board, kQuietNs, kPatienceNs);
            const uint64_t tick = board.tick.load();
            sleep_ns(200'000);
            moved += board.tick.load() != tick ? 1 : 0;
            const int64_t t2 = now_ns();
            for (const uint64_t xqueue : xqueues) resume(xqueue, 0);
            const int64_t t3 = now_ns();
            const int64_t first = level3::wait_moving(board, 1000 * kMs);
            suspends.push_back(t1 - t0);
            resumes.push_back(t3 - t2);
            note(last, t0, offs, never_off);
            note(first, t2, ons, never_on);
        }
    }
    printf(
        "{\"rounds\": %u, \"preemptions\": %ld, \"never_off\": %ld, \"moved_while_off\": %ld, \"never_on\": %ld, "
        "\"exact\": %s",
        rounds, done, never_off, moved, never_on, victim.state_is_right() ? "true" : "false");
    print_all_times(
        {{"suspend_call_us", suspends}, {"off_after_us", offs}, {"resume_call_us", resumes}, {"on_after_us", ons}});
    return 0;
}

int run_urgent(const Arguments& arguments, Board& board) {
    Board* own = level3::open_board(arguments.values.at("--board") + ".urgent");
    Victim urgent(*own);
    const uint32_t rounds = urgent.rounds_for(kShortKernelMs);
    const auto bursts = static_cast<long>(arguments.number("--bursts", 200));
    const auto kernels = static_cast<long>(arguments.number("--kernels", 100));
    const auto sync_every = static_cast<long>(arguments.number("--sync-every", 0));
    const auto gap_ns = static_cast<int64_t>(arguments.number("--gap-ms", 15) * 1e6);
    const bool alone = arguments.number("--alone", 0) != 0;
    const int64_t end = now_ns() + static_cast<int64_t>(arguments.number("--seconds", 60) * 1e9);
    std::vector<int64_t> offs, lengths, backs;
    long never_off = 0, not_running = 0;
    for (long i = 0; i < bursts && now_ns() < end; ++i) {
        sleep_ns(gap_ns + (i * 7919) % 3000 * 1000);
        if (!alone && level3::wait_moving(board, 200 * kMs) == 0) ++not_running;
        int64_t last = 0;
        std::atomic<int64_t> t0{0};
        // Another thread watches the victim's clock, so that the burst is launched as without a measurement.
        std::thread watcher([&] {
            while (t0.load() == 0) {
            }
            if (!alone) last = level3::wait_quiet(board, kQuietNs, kPatienceNs);
        });
        const int64_t began = now_ns();
        t0 = began;
        for (long k = 1; k <= kernels; ++k) {
            urgent.launch(rounds);
            if (sync_every != 0 && k % sync_every == 0) urgent.synchronize();
        }
        urgent.synchronize();
        const int64_t finished = now_ns();
        watcher.join();
        lengths.push_back(finished - began);
        if (alone) continue;
        note(last < finished ? last : 0, began, offs, never_off);
        const int64_t back = level3::wait_moving(board, 1000 * kMs);
        if (back != 0) backs.push_back(std::max<int64_t>(back - finished, 0));
    }
    printf("{\"bursts\": %zu, \"never_off\": %ld, \"victim_not_running\": %ld, \"exact\": %s", lengths.size(),
           never_off, not_running, urgent.state_is_right() ? "true" : "false");
    print_all_times({{"off_after_us", offs}, {"burst_us", lengths}, {"back_after_us", backs}});
    return 0;
}

int run_hog(const Arguments& arguments, Board& board) {
    Board* own = level3::open_board(arguments.values.at("--board") + ".hog");
    Victim hog(*own);
    const uint32_t rounds = hog.rounds_for(kShortKernelMs);
    const int64_t end = now_ns() + static_cast<int64_t>(arguments.number("--seconds", 60) * 1e9);
    while (board.order.load() == 0 && now_ns() < end) {
        for (int i = 0; i < 20; ++i) hog.launch(rounds);
        hog.synchronize();
        own->kernels.fetch_add(20);
    }
    printf("{\"kernels\": %llu}\n", static_cast<unsigned long long>(own->kernels.load()));
    return 0;
}

}  // namespace

int main(int count, char** values) {
    const std::string mode = count > 1 ? values[1] : "";
    Arguments arguments;
    for (int i = 2; i + 1 < count; i += 2) arguments.values[values[i]] = values[i + 1];
    int (*run)(const Arguments&, Board&) = mode == "victim"   ? run_victim
                                           : mode == "self"   ? run_self
                                           : mode == "urgent" ? run_urgent
                                           : mode == "hog"    ? run_hog
                                                              : nullptr;
    if (run == nullptr || arguments.values.count("--board") == 0) {
        fprintf(stderr, "usage: level3 victim|self|urgent|hog --board FILE ...\n");
        return 2;
    }
    return run(arguments, *level3::open_board(arguments.values["--board"]));
}
