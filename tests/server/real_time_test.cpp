// The real-time class of the deciding thread, and that whoever keeps it busy does not keep it real-time.
#include "server/real_time.h"

#include <dirent.h>
#include <sched.h>
#include <sys/prctl.h>

#include <fstream>
#include <string>

#include "server/hostile.h"
#include "server/real_time_rights.h"

namespace xsched::test {
namespace {

constexpr int64_t kWindow = server::RealTimeBudget::kWindowNs;

TEST(RealTimeBudget, AThreadThatRestsKeepsTheClass) {
    server::RealTimeBudget budget(0);
    EXPECT_FALSE(budget.due(kWindow - 1));
    EXPECT_TRUE(budget.due(kWindow));
    for (int64_t turn = 1; turn < 100; ++turn) EXPECT_TRUE(budget.may(turn * kWindow, turn * kWindow / 2));
}

TEST(RealTimeBudget, AThreadWithoutRestLosesItForASecond) {
    server::RealTimeBudget budget(0);
    const int64_t used = kWindow / 2 + 1;
    EXPECT_FALSE(budget.may(kWindow, used));
    const int64_t until = kWindow + server::RealTimeBudget::kRestNs;
    EXPECT_FALSE(budget.may(until - 1, used));
    EXPECT_TRUE(budget.may(until, used));
}

// The thread of process `pid` with this name, 0 if there is none.
pid_t thread_named(pid_t pid, const std::string& name) {
    const std::string folder = "/proc/" + std::to_string(pid) + "/task";
    DIR* list = opendir(folder.c_str());
    pid_t found = 0;
    while (const dirent* entry = list != nullptr ? readdir(list) : nullptr) {
        std::string comm;
        std::getline(std::ifstream(folder + "/" + entry->d_name + "/comm"), comm);
        if (comm == name) found = atoi(entry->d_name);
    }
    if (list != nullptr) closedir(list);
    return found;
}

bool is_real_time(pid_t thread) { return (sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK) == SCHED_RR; }

// Beside a client that rings now and then.
bool becomes_real_time(const std::string& path, pid_t thread) {
    TestClient client(path, "rings");
    return client.connected() && eventually([&client, thread] {
               usleep(10'000);
               ring_doorbell(client.header());
               return is_real_time(thread);
           });
}

class RealTimeAttack : public UnderAttack {};

TEST_F(RealTimeAttack, AClientThatRingsWithoutRest) {
    if (!may_be_real_time()) GTEST_SKIP() << "this user may not have threads of the real-time class";
    const pid_t thread = thread_named(server->pid(), "xserver-sched");
    ASSERT_NE(thread, 0);
    const std::string path = socket();
    ASSERT_TRUE(becomes_real_time(path, thread)) << "a slow start may have been too much work";
    {
        Attacker attacker(kAttackerUid, [path] {
            static TestClient client(path, "rings");
            if (!client.connected()) return false;
            client.add_queue(0, 0, 0x99);
            if (fork() == 0) {  // after its parent has said that it is ready; the parent ends it
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                for (;;) ring_doorbell(client.header());
            }
            return true;
        });
        ASSERT_TRUE(attacker.ready());
        EXPECT_TRUE(eventually([thread] { return !is_real_time(thread); }));
        expect_scheduling();
    }
    EXPECT_TRUE(becomes_real_time(path, thread));
}

}  // namespace
}  // namespace xsched::test
