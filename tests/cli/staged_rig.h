// Programs made by hand that bring about each cause on a real server, so that xcli explain names it. No case depends on
// how long a look takes: what goes on goes on until it is named.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "cli/cli_rig.h"

namespace xsched::test {

inline constexpr uint64_t kSecondDevice = uint64_t{kDeviceTypeCPU} << 32 | 2;

// A program's work with one queue while this exists: it always has work, completes a command every 2 ms unless it is
// suspended, and uses the device for `percent` of the time. With `on_ms` it does so now and then alone. `copies`: its
// commands are copies of so many bytes.
class Work {
public:
    explicit Work(TestClient& client, unsigned at = 0, int64_t percent = 100, int64_t on_ms = 0, uint64_t copies = 0)
        : copies_(copies), thread_([this, &client, at, percent, on_ms] { go_on(client, at, percent, on_ms); }) {}
    ~Work() {
        over_ = true;
        thread_.join();
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

private:
    void go_on(TestClient& client, unsigned at, int64_t percent, int64_t on_ms) {
        ipc::QueueSlot& slot = client.slot(at);
        int64_t then_ns = base::now_ns();
        client.submit(at);
        while (!over_) {
            for (int64_t ms = 0; !over_ && (on_ms == 0 || ms < on_ms); ms += 2) {
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
                const int64_t now_ns = base::now_ns();
                if (slot.suspended.load() == 0) {
                    slot.busy_ns.fetch_add((now_ns - then_ns) * percent / 100);
                    slot.submitted.fetch_add(1);
                    slot.copies.fetch_add(copies_ != 0 ? 1 : 0);
                    slot.copied_bytes.fetch_add(copies_);
                    slot.launched.fetch_add(1);
                    slot.completed.fetch_add(1);
                }
                then_ns = now_ns;
            }
            if (over_ || on_ms == 0) continue;
            client.complete(at);
            std::this_thread::sleep_for(std::chrono::milliseconds(on_ms));
            then_ns = base::now_ns();
            client.submit(at);
        }
    }

    std::atomic<bool> over_{false};
    const uint64_t copies_;
    std::thread thread_;
};

class StagedCause : public WithCli {
protected:
    void SetUp() override { start(); }
    void one() {
        ASSERT_TRUE(slow.connect(socket(), "slow"));
        slow.add_queue(0, 0, 0xab1);
    }
    // Starts two programs on one device, one of them with `priority`.
    void two(int32_t priority, uint64_t others_device = TestClient::kFirstDevice) {
        one();
        ASSERT_TRUE(other.connect(socket(), "rival"));
        other.add_queue(0, priority, 0xab2, others_device);
    }
    // Starts the rival with work in a process of its own: policies that give turns or shares take each process as one
    // unit.
    void two_processes(int32_t priority = 0, uint64_t copies = 0, int64_t on_ms = 0) {
        child = fork();
        if (child == 0) {
            TestClient client(socket(), "rival");
            if (!client.connected()) _exit(1);
            client.add_queue(0, priority, 0xab2);
            const Work work(client, 0, 100, on_ms, copies);
            for (;;) pause();
        }
        ASSERT_TRUE(eventually([&] { return client_count() == 1; }));
        one();
    }
    // The same under a policy, with hints to queues.
    void two_under(const char* name, const std::vector<std::pair<std::string, std::vector<std::string>>>& hints = {}) {
        two_processes();
        policy(name);
        for (const auto& [queue, words] : hints) hint(queue, words);
    }
    void TearDown() override {
        if (child > 0) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
        WithCli::TearDown();
    }
    void policy(const char* name) { ASSERT_EQ(xcli({"policy", name}).status, 0); }
    void hint(const std::string& queue, std::vector<std::string> words) {
        words.insert(words.begin(), {"hint", "-x", queue});
        const Outcome outcome = xcli(words);
        ASSERT_EQ(outcome.status, 0) << outcome.err;
    }
    // Asks xcli explain until it finds this cause for the program.
    void expect_cause(const std::string& finding, const std::string& sentence = "",
                      const std::string& program = "slow") {
        Json told;
        EXPECT_TRUE(eventually([&] {
            const Json answer = xcli({"explain", program, "--json"}).json();
            if (!answer.is_object() || !answer.contains("programs")) return false;
            told = answer["programs"][0];
            advice = told.value("advice", "");
            return told.value("finding", "") == finding && has(told.value("headline", ""), sentence);
        })) << "not "
            << finding << " but " << told.dump(2);
    }
    TestClient slow, other;
    pid_t child = 0;
    std::string advice;  // of the cause that was found last
};

}  // namespace xsched::test
