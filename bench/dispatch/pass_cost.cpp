// The cost of a pass of the scheduler, by the number of units and by the part that changed. Prints one JSON object.
//   bench_pass_cost [POLICY [CLIENTS]]
//   bench_pass_cost all     every policy: `one` alone, by the number of units, and what it may cost
//
// one: one urgent client's readiness changes, the others' verdicts stay as they are;
// burst: an urgent unit becomes ready or idle, and all others are suspended or go on;
// whole: everything is read again.
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "dispatch/dispatcher.h"
#include "ipc/slot_hints.h"

using namespace xsched;

namespace {

constexpr int64_t kMeasureNs = 300 * base::kMillisecond;
constexpr size_t kFewest = 21;

// `units` units on one device: so many clients with so many queues, each of another priority where there are several.
class Crowd {
public:
    Crowd(const char* policy, uint32_t clients, uint32_t queues)
        : dispatcher_(sched::Core(policy::find_policy(policy)->make())) {
        for (uint32_t i = 0; i < clients + 2; ++i) {
            regions_.push_back(make_region());
            const uint32_t count = i < clients ? queues : 1;
            for (uint32_t at = 0; at < count; ++at) {
                ipc::QueueSlot& slot = regions_[i]->slots[at];
                slot.handle = (uint64_t{i} << 32) + at + 1;
                slot.device = 1;
                ipc::store_hints(slot, base::Hints{});
                slot.priority = i < clients ? static_cast<int32_t>(at) - 255 : 254 + static_cast<int32_t>(i - clients);
                slot.command_ns = base::kMillisecond;
                slot.gate = ipc::kGateOpen;
                slot.state = static_cast<uint32_t>(ipc::SlotState::kUsed);
            }
            regions_[i]->header.slot_end = count;
            dispatcher_.add_client({.id = i + 1, .pid = static_cast<int32_t>(i + 1), .region = regions_[i].get()});
            if (i < clients && i % 2 == 0) submit(i);
        }
        urgent_ = clients;
        dispatcher_.pass(now_ = base::now_ns());
    }

    void submit(uint32_t client) {
        ipc::QueueSlot& slot = regions_[client]->slots[0];
        slot.ready_since_ns = now_;
        slot.submitted += 1;
    }
    void complete(uint32_t client) {
        ipc::QueueSlot& slot = regions_[client]->slots[0];
        slot.completed = slot.submitted.load();
        slot.idle_since_ns = now_;
    }
    // Returns how long the pass took.
    int64_t pass(std::vector<uint32_t> rung, int64_t later_ns, bool whole = false) {
        now_ += later_ns;
        const int64_t began = base::now_ns();
        if (whole)
            dispatcher_.pass(now_);
        else
            dispatcher_.pass(now_, rung);
        return base::now_ns() - began;
    }
    uint32_t urgent() const { return urgent_; }

private:
    // Clients' memories are anonymous mappings, whose pages the system provides with zeros when they are first
    // touched, as in xserver.
    struct Unmap {
        void operator()(ipc::Region* region) const { munmap(region, sizeof(ipc::Region)); }
    };
    static std::unique_ptr<ipc::Region, Unmap> make_region() {
        void* memory = mmap(nullptr, sizeof(ipc::Region), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) abort();
        return std::unique_ptr<ipc::Region, Unmap>(static_cast<ipc::Region*>(memory));
    }

    std::vector<std::unique_ptr<ipc::Region, Unmap>> regions_;
    dispatch::Dispatcher dispatcher_;
    uint32_t urgent_ = 0;
    int64_t now_ = base::now_ns();
};

template <typename Step>
std::vector<int64_t> times_of(Step step) {
    std::vector<int64_t> times;
    const int64_t until = base::now_ns() + kMeasureNs;
    for (size_t i = 0; base::now_ns() < until || times.size() < kFewest; ++i) {
        const int64_t ns = step(i);
        if (i >= 4) times.push_back(ns);
    }
    std::sort(times.begin(), times.end());
    return times;
}

template <typename Step>
void report(const char* name, const char* end, Step step) {
    const std::vector<int64_t> times = times_of(step);
    const auto at = [&](double part) {
        return static_cast<double>(times[static_cast<size_t>(part * static_cast<double>(times.size() - 1))]) / 1e3;
    };
    printf("\"%s\": {\"n\": %zu, \"p50_us\": %.2f, \"p99_us\": %.2f, \"max_us\": %.2f}%s", name, times.size(), at(0.5),
           at(0.99), at(1), end);
}

void measure(const char* policy, uint32_t clients, uint32_t queues, const char* end) {
    Crowd crowd(policy, clients, queues);
    printf("  {\"clients\": %u, \"queues\": %u, \"units\": %u, ", clients, queues, clients * queues);
    // Gives the more urgent of two units work, so that all others are kept off during the following measurements.
    constexpr int64_t kSoon = 100 * base::kMicrosecond;
    constexpr int64_t kPastAnticipation = 3 * base::kMillisecond;
    crowd.submit(crowd.urgent() + 1);
    crowd.pass({crowd.urgent() + 2}, kSoon);
    report("one", ", ", [&](size_t i) {
        if (i % 2 == 0)
            crowd.submit(crowd.urgent());
        else
            crowd.complete(crowd.urgent());
        crowd.complete(crowd.urgent() + 1);
        crowd.submit(crowd.urgent() + 1);
        return crowd.pass({crowd.urgent() + 1}, kSoon);
    });
    crowd.complete(crowd.urgent() + 1);
    crowd.complete(crowd.urgent());
    crowd.pass({crowd.urgent() + 1, crowd.urgent() + 2}, kPastAnticipation);
    report("burst", ", ", [&](size_t i) {
        if (i % 2 == 0)
            crowd.submit(crowd.urgent());
        else
            crowd.complete(crowd.urgent());
        return crowd.pass({crowd.urgent() + 1}, kPastAnticipation);
    });
    report("whole", "}", [&](size_t) { return crowd.pass({}, kSoon, true); });
    printf("%s\n", end);
}

// One unit becomes ready or idle, while half of all have work.
int64_t median_of_one(const char* policy, uint32_t clients) {
    Crowd crowd(policy, clients, 1);
    const std::vector<int64_t> times = times_of([&](size_t i) {
        if (i % 2 == 0)
            crowd.submit(crowd.urgent());
        else
            crowd.complete(crowd.urgent());
        return crowd.pass({crowd.urgent() + 1}, 100 * base::kMicrosecond);
    });
    return times[times.size() / 2];
}

void measure_all() {
    struct Size {
        uint32_t units;
        double most_us;
    };
    constexpr Size kSizes[] = {{10, 2}, {100, 5}, {1000, 30}, {10000, 400}};
    printf("{\"policies\": [\n");
    const char* before = "";
    for (const policy::PolicyInfo& info : policy::policies()) {
        printf("%s  {\"policy\": \"%s\"", before, info.name);
        for (const Size& size : kSizes)
            printf(", \"%u\": {\"p50_us\": %.2f, \"most_us\": %.0f}", size.units,
                   static_cast<double>(median_of_one(info.name, size.units)) / 1e3, size.most_us);
        printf("}");
        fflush(stdout);
        before = ",\n";
    }
    printf("\n]}\n");
}

}  // namespace

int main(int argc, char** argv) {
    const char* policy = argc > 1 ? argv[1] : "HPF";
    if (strcmp(policy, "all") == 0) {
        measure_all();
        return 0;
    }
    if (policy::find_policy(policy) == nullptr) {
        fprintf(stderr, "there is no policy %s: use all, or one that 'xcli policy -n' lists\n", policy);
        return 2;
    }
    printf("{\"policy\": \"%s\", \"passes\": [\n", policy);
    if (argc > 2) {
        measure(policy, static_cast<uint32_t>(atoi(argv[2])), 1, "]}");
        return 0;
    }
    for (const uint32_t clients : {10U, 100U, 1000U, 10000U}) measure(policy, clients, 1, ",");
    measure(policy, 1, 511, ",");
    measure(policy, 20, 500, "");
    printf("]}\n");
    return 0;
}
