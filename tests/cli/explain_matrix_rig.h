// Pairs of programs, each on a device of its own, in processes of their own: xcli explain is asked about all of them at
// once.
#pragma once

#include <sys/mman.h>

#include <map>
#include <optional>

#include "base/hints.h"
#include "cli/advised.h"
#include "cli/staged_rig.h"

namespace xsched::test {

using Given = std::vector<std::pair<base::HintId, int64_t>>;

// Two programs on one device, and the hints that each was given. The second one works for 20 ms and rests for 20 ms.
struct Pair {
    const char* name;
    Given first, second;
};

class ExplainedPairs : public WithCli {
protected:
    // Orders of the test to its programs.
    struct Orders {
        std::atomic<bool> seconds_work{true};
    };

    ExplainedPairs() {
        void* memory = mmap(nullptr, sizeof(Orders), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        orders = new (memory) Orders;
    }
    ~ExplainedPairs() override { munmap(orders, sizeof(Orders)); }
    void SetUp() override { start(); }
    void TearDown() override {
        for (const auto& [name, pid] : pids) kill(pid, SIGKILL);
        for (const auto& [name, pid] : pids) waitpid(pid, nullptr, 0);
        WithCli::TearDown();
    }
    void begin(const std::vector<Pair>& pairs) {
        uint64_t device = TestClient::kFirstDevice;
        for (const Pair& pair : pairs) {
            begin_one(std::string(pair.name) + ".1", device, false);
            begin_one(std::string(pair.name) + ".2", device++, true);
        }
        ASSERT_TRUE(eventually([&] { return programs().size() == pids.size(); }));
    }
    // Sets all hints of the program: to what is given, and otherwise to what counts unless said.
    void set_hints(const std::string& program, const Given& given) {
        Json request{{"cmd", "hint"}, {"pid", pids.at(program)}};
        for (const base::HintInfo& hint : base::kHints)
            if (hint.request != nullptr) request[hint.request] = hint.fallback;
        for (const auto& [id, value] : given) request[base::hint_info(id).request] = value;
        const Json answer = answer_of_server(socket(), request);
        ASSERT_EQ(answer.value("ok", false), true) << answer;
    }
    // Returns what xcli explain tells of each program, by its name.
    std::map<std::string, Json> told() {
        std::map<std::string, Json> all;
        const Json answer = xcli({"explain", "--json"}).json();
        for (const Json& one : answer["programs"]) all[one["program"]] = one;
        return all;
    }
    Json programs() { return answer_of_server(socket(), {{"cmd", "programs"}}).value("programs", Json::array()); }

    Orders* orders;
    std::map<std::string, pid_t> pids;

private:
    void begin_one(const std::string& name, uint64_t device, bool is_second) {
        const pid_t pid = fork();
        if (pid == 0) live(name, device, is_second);
        pids[name] = pid;
    }
    [[noreturn]] void live(const std::string& name, uint64_t device, bool is_second) {
        TestClient client(socket(), name.c_str());
        if (!client.connected()) _exit(1);
        client.add_queue(0, 0, 0xab1, device);
        for (;;) {
            {
                const Work work(client, 0, 100, is_second ? 20 : 0);
                while (!is_second || orders->seconds_work) usleep(20'000);
            }
            client.complete(0);
            while (!orders->seconds_work) usleep(20'000);
        }
    }
};

}  // namespace xsched::test
