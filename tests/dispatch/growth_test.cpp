// How the work of a pass grows with what there is. The comparison is of the processor time of this thread, the least of
// several passes, so that a busy machine changes nothing.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <climits>
#include <ctime>
#include <memory>
#include <vector>

#include "dispatch/fake_client.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

constexpr int kTries = 20;
constexpr int kTurns = 4;
constexpr size_t kTimes = 8;  // as much of everything
// Most growth of the time that is allowed for kTimes as many units: half of quadratic growth. With n log n and slower
// memory, factors of 8 to 18 were seen.
constexpr int64_t kMostGrowth = kTimes * kTimes / 2;

int64_t thread_ns() {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return used.tv_sec * base::kSecond + used.tv_nsec;
}

// Checks how much more work takes. If the larger work took too long, measures again: another program may have used
// the processor's caches meanwhile.
template <typename Some, typename More>
void expect_growth(const char* name, Some some, More more) {
    int64_t some_ns = 0;
    int64_t more_ns = 0;
    for (int i = 0; i < kTurns && (i == 0 || more_ns >= kMostGrowth * some_ns); ++i) {
        some_ns = some();
        more_ns = more();
    }
    printf("%s: %lld us, of %zu times as much %lld us\n", name, static_cast<long long>(some_ns / 1000), kTimes,
           static_cast<long long>(more_ns / 1000));
    EXPECT_LT(more_ns, kMostGrowth * some_ns);
}

struct Mix {
    const char* name;
    uint32_t clients;
    uint32_t queues;  // of each
    uint32_t priorities;
    uint32_t devices;
};

class Growth : public ::testing::TestWithParam<Mix> {
protected:
    // Returns the processor time of a pass that reads and decides all units of the mix, while an urgent unit comes and
    // goes.
    static int64_t cost(const Mix& mix) {
        Dispatcher dispatcher(hpf_core());
        std::vector<std::unique_ptr<FakeClient>> clients;
        for (uint32_t i = 0; i < mix.clients; ++i) {
            clients.push_back(std::make_unique<FakeClient>(i + 1, static_cast<int32_t>(1000 + i)));
            for (uint32_t at = 0; at < mix.queues; ++at) {
                const uint32_t number = i * mix.queues + at;
                const auto priority = static_cast<int32_t>(number * 7 % mix.priorities) - 255;
                clients[i]->make_queue(at, priority, 1 + number % mix.devices);
                if (number % 2 == 0) clients[i]->submit(at, kStart);
            }
            dispatcher.add_client(clients[i]->view());
        }
        FakeClient urgent(mix.clients + 1, 1);
        for (uint32_t device = 0; device < mix.devices; ++device) urgent.make_queue(device, 255, 1 + device);
        dispatcher.add_client(urgent.view());
        int64_t now_ns = kStart;
        dispatcher.pass(now_ns);
        int64_t least_ns = INT64_MAX;
        for (int i = 0; i < 2 * kTries; ++i) {
            now_ns += 10 * kMs;
            for (uint32_t device = 0; device < mix.devices; ++device)
                i % 2 == 0 ? urgent.submit(device, now_ns) : urgent.complete(device, now_ns);
            const int64_t began_ns = thread_ns();
            dispatcher.pass(now_ns);
            if (i % 2 == 0) least_ns = std::min(least_ns, thread_ns() - began_ns);
        }
        return least_ns;
    }
};

TEST_P(Growth, IsNoWorseThanNLogN) {
    const Mix& some = GetParam();
    Mix more = some;
    (some.clients > 1 ? more.clients : more.queues) *= kTimes;
    if (some.priorities > 1) more.priorities = std::min<uint32_t>(some.priorities * kTimes, 511);
    if (some.devices > 1) more.devices *= kTimes;
    expect_growth(some.name, [&] { return cost(some); }, [&] { return cost(more); });
}

INSTANTIATE_TEST_SUITE_P(
    Mixes, Growth,
    ::testing::Values(Mix{"clients", 64, 1, 1, 1}, Mix{"clients of several priorities", 64, 1, 64, 1},
                      Mix{"queues of one client", 1, 128, 64, 1}, Mix{"clients of several queues", 16, 8, 64, 1},
                      Mix{"clients on several devices", 64, 1, 64, 4}, Mix{"queues on several devices", 1, 128, 64, 4}),
    [](const auto& mix) {
        std::string name = mix.param.name;
        std::replace(name.begin(), name.end(), ' ', '_');
        return name;
    });

// A crowd comes and goes, on one device, with memory that was there before: the system's price for new pages is not
// what is looked at, and depends on what else has run.
TEST(CrowdGrowth, ComingAndGoingIsNoWorseThanNLogN) {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    const auto cost = [](uint32_t count) {
        std::vector<std::unique_ptr<FakeClient>> clients;
        Dispatcher dispatcher(hpf_core());
        for (uint32_t i = 0; i < count; ++i) {
            clients.push_back(std::make_unique<FakeClient>(i + 1, static_cast<int32_t>(1000 + i)));
            clients[i]->make_queue(0, 0);
            clients[i]->submit(0, kStart);
        }
        int64_t least_ns = INT64_MAX;
        for (int i = 0; i < kTurns; ++i) {
            const int64_t began_ns = thread_ns();
            for (const auto& client : clients) dispatcher.add_client(client->view());
            dispatcher.pass(kStart + 2 * i * kMs);
            for (uint32_t at = 0; at < count; ++at) dispatcher.remove_client(at + 1);
            dispatcher.pass(kStart + (2 * i + 1) * kMs);
            least_ns = std::min(least_ns, thread_ns() - began_ns);
        }
        return least_ns;
    };
    expect_growth("coming and going", [&] { return cost(64); }, [&] { return cost(64 * kTimes); });
}

}  // namespace
}  // namespace xsched::dispatch
