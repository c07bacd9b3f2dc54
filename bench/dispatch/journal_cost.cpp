// The cost of the flight recorder and the histograms for the scheduling thread. Prints one JSON object.
//   bench_journal_cost
//
// entry: one entry written, of many in a row, so that each goes to memory that no cache has; as for one user alone, and
// where several have their parts.
// pass: an urgent unit becomes ready or idle and another is suspended or goes on, with the recorder and without it, in
// turns; and how many entries that makes. Decisions: two for each pass.
// histogram: one length added, of many between 1 us and 1 s.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/histogram.h"
#include "dispatch/dispatcher.h"
#include "ipc/slot_hints.h"

using namespace xsched;

namespace {

constexpr int kRounds = 41;

double median(std::vector<double> numbers) {
    std::sort(numbers.begin(), numbers.end());
    return numbers[numbers.size() / 2];
}

double entry_ns(uint32_t users) {
    constexpr int kEach = 100'000;
    const auto journal = std::make_unique<dispatch::Journal>();
    journal->want_until(INT64_MAX);
    journal->share(users);
    dispatch::UserLimits user;
    std::vector<double> times;
    int64_t now_ns = base::now_ns();
    for (int round = 0; round < kRounds; ++round) {
        const int64_t began_ns = base::now_ns();
        for (int i = 0; i < kEach; ++i) {
            now_ns += base::kMillisecond;  // so that nothing is left out
            journal->add({.at_ns = now_ns, .client = 1, .by_client = 2, .completed = static_cast<uint64_t>(i)}, &user,
                         now_ns);
        }
        times.push_back(static_cast<double>(base::now_ns() - began_ns) / kEach);
    }
    return median(times);
}

double histogram_ns() {
    constexpr int kEach = 100'000;
    base::Histogram histogram;
    std::vector<double> times;
    uint64_t random = 1;
    for (int round = 0; round < kRounds; ++round) {
        const int64_t began_ns = base::now_ns();
        for (int i = 0; i < kEach; ++i) {
            random = random * 6364136223846793005 + 1442695040888963407;
            histogram.add(int64_t{1000} << (random >> 59) % 20);
        }
        times.push_back(static_cast<double>(base::now_ns() - began_ns) / kEach);
    }
    return median(times);
}

class Pair {
public:
    explicit Pair(dispatch::Journal* journal)
        : journal_(journal), dispatcher_(sched::Core(policy::find_policy("HPF")->make())) {
        for (uint32_t i = 0; i < 2; ++i) {
            ipc::QueueSlot& slot = regions_[i]->slots[0];
            slot.handle = i + 1;
            slot.device = 1;
            ipc::store_hints(slot, base::Hints{});
            slot.priority = static_cast<int32_t>(i);
            slot.command_ns = base::kMillisecond;
            slot.gate = ipc::kGateOpen;
            slot.state = static_cast<uint32_t>(ipc::SlotState::kUsed);
            regions_[i]->header.slot_end = 1;
            dispatcher_.add_client(
                {.id = i + 1, .pid = static_cast<int32_t>(i + 1), .region = regions_[i].get(), .journal = journal_});
        }
        regions_[0]->slots[0].submitted = 1;
        dispatcher_.pass(now_ns_);
    }
    // Changes the urgent unit `count` times, with a pass after each change. Returns ns per pass.
    double step(int count) {
        int64_t ns = 0;
        ipc::QueueSlot& slot = regions_[1]->slots[0];
        const std::vector<uint32_t> rung{2};
        for (int i = 0; i < count; ++i) {
            now_ns_ += 10 * base::kMillisecond;  // past anticipation
            if (slot.submitted == slot.completed) {
                slot.ready_since_ns = now_ns_;
                slot.submitted += 1;
            } else {
                slot.completed += 1;
                slot.idle_since_ns = now_ns_;
            }
            const int64_t began_ns = base::now_ns();
            dispatcher_.pass(now_ns_, rung);
            ns += base::now_ns() - began_ns;
        }
        return static_cast<double>(ns) / count;
    }

private:
    dispatch::Journal* journal_;
    std::unique_ptr<ipc::Region> regions_[2] = {std::make_unique<ipc::Region>(), std::make_unique<ipc::Region>()};
    dispatch::Dispatcher dispatcher_;
    int64_t now_ns_ = base::now_ns();
};

}  // namespace

int main() {
    constexpr int kSteps = 5000;
    const auto journal = std::make_unique<dispatch::Journal>();
    journal->want_until(INT64_MAX);
    Pair with(journal.get());
    Pair without(nullptr);
    std::vector<double> with_ns;
    std::vector<double> without_ns;
    const uint64_t before = journal->end();
    for (int round = 0; round < kRounds; ++round) {
        with_ns.push_back(with.step(kSteps));
        without_ns.push_back(without.step(kSteps));
    }
    const double entries = static_cast<double>(journal->end() - before) / (kRounds * kSteps);
    printf(
        "{\"rounds\": %d, \"entry_ns\": %.1f, \"entry_of_two_users_ns\": %.1f, \"pass_ns\": %.1f, "
        "\"pass_without_ns\": %.1f, \"entries_per_pass\": %.2f, \"decisions_per_s\": %.0f, "
        "\"decisions_per_s_without\": %.0f, \"histogram_ns\": %.1f}\n",
        kRounds, entry_ns(1), entry_ns(2), median(with_ns), median(without_ns), entries, 2e9 / median(with_ns),
        2e9 / median(without_ns), histogram_ns());
}
