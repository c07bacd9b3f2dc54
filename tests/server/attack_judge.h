// The effect of one attack on others, and its cost for the server: measured on the server that is attacked, and in
// turns on a twin beside it that is not attacked. So a busy machine is as busy for both. The test's thread; one child
// looks at the servers' threads.
#pragma once

#include <array>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "server/attacking.h"
#include "server/file_attacks.h"

namespace xsched::test {

// Returns whether the long form of the tests is wanted (XSCHED_LONG=1, set by `make test-all`): as many looks as
// docs/SECURITY.md states, instead of some hundred.
inline bool judges_for_long() {
    const char* const value = getenv("XSCHED_LONG");
    return value != nullptr && *value != '\0' && *value != '0';
}

inline int64_t median(std::vector<int64_t> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// The effect at one server.
struct Noticed {
    std::vector<int64_t> decisions_ns;  // medians of rounds: from an urgent queue's readiness to the other's directive
    std::vector<int64_t> answers_ms;  // of another user's tool
    uint32_t looks = 0;
    uint32_t blocked = 0;  // of these: the front or the deciding thread stood in the kernel
};

// Watches from a separate process whether threads of two servers stand blocked. `at` says for which of the two it
// counts.
class Watcher {
public:
    static constexpr uint32_t kNowhere = 2;
    Watcher(pid_t attacked, pid_t twin)
        : shared_(static_cast<Shared*>(
              mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
        new (shared_) Shared;
        child_ = child_of(0, [this, attacked, twin] { watch({attacked, twin}); });
    }
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;
    ~Watcher() {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
        munmap(shared_, sizeof(Shared));
    }
    void look_at(uint32_t server) { shared_->at = server; }
    void take(uint32_t server, Noticed& into) {
        into.looks += shared_->looks[server].exchange(0);
        into.blocked += shared_->blocked[server].exchange(0);
    }
    const char* where() const { return shared_->where; }

private:
    struct Shared {
        std::atomic<uint32_t> at{kNowhere};
        std::atomic<uint32_t> looks[2] = {};
        std::atomic<uint32_t> blocked[2] = {};
        char where[1024] = {};  // the last stack
    };
    void watch(const std::array<pid_t, 2>& servers) {
        std::vector<ThreadState> threads;
        for (const pid_t server : servers) {
            threads.emplace_back(server, server);
            threads.emplace_back(server, thread_named(server, "xserver-sched"));
        }
        for (;; usleep(1000)) {
            const uint32_t at = shared_->at;
            if (at == kNowhere) continue;
            ++shared_->looks[at];
            for (const ThreadState* thread : {&threads[2 * at], &threads[2 * at + 1]}) {
                if (!thread->blocked()) continue;
                ++shared_->blocked[at];
                snprintf(shared_->where, sizeof(shared_->where), "%s", thread->stack().c_str());
            }
        }
    }
    Shared* shared_;
    pid_t child_ = -1;
};

// Programs of root's on one device, of which one keeps the other off.
class Victims {
public:
    explicit Victims(const std::string& path) : pair_(path) {
        if (!pair_.connected()) return;
        pair_.low.slot(0).priority = 150;  // above all that an ordinary user may have
        pair_.high.slot(0).priority = 200;
        for (TestClient* client : {&pair_.low, &pair_.high})
            client->slot(0).command_ns = 1;  // so short that the server anticipates nothing
        pair_.low.submit(0);
    }
    bool connected() const { return pair_.connected(); }
    // From an urgent queue's readiness to the directive for the other one; 0: there was none.
    int64_t decision_ns() {
        auto& [low, high] = pair_;
        if (!becomes(0)) return 0;
        usleep(200);
        const int64_t began_ns = base::now_ns();
        high.submit(0);
        if (!becomes(1)) return 0;
        const int64_t ns = base::now_ns() - began_ns;
        high.complete(0);
        low.complete(0);  // it gets something done
        low.submit(0);
        return ns;
    }

private:
    static constexpr int64_t kGiveUpNs = kSlower * 5 * base::kSecond;
    bool becomes(uint32_t suspended) {
        const int64_t give_up_ns = base::now_ns() + kGiveUpNs;
        while (pair_.low.slot(0).suspended.load() != suspended)
            if (base::now_ns() > give_up_ns) return false;
        return true;
    }
    LowAndHigh pair_;
};

}  // namespace xsched::test
