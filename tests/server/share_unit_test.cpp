// Units that share a device as one: programs, queues, or users (xserver --share-unit), under PUP. Clients that fill
// their slots by hand use the device whenever they may.
#include <sys/mman.h>

#include <array>
#include <string>
#include <vector>

#include "support/child.h"
#include "support/server_rig.h"

namespace xsched::test {
namespace {

constexpr size_t kMostQueues = 4;

// In memory that the processes share.
struct Board {
    std::atomic<bool> stop;
    std::array<std::atomic<int64_t>, kMostQueues> had_ns;
};

// Simulates the device use of a queue that always has work: while it may run it gets 1/parts of the time, since so
// many queues run side by side.
class Use {
public:
    Use(TestClient& client, unsigned at, int parts) : slot_(client.slot(at)), parts_(parts) { client.submit(at); }
    int64_t look() {
        const int64_t now_ns = base::now_ns(), changed_ns = slot_.directed_ns.load();
        const bool runs = slot_.suspended.load() == 0;
        const int64_t from_ns = runs && !ran_ ? changed_ns : looked_ns_, to_ns = runs || !ran_ ? now_ns : changed_ns;
        int64_t used_ns = 0;
        if (runs || ran_) used_ns = std::max<int64_t>(to_ns - from_ns, 0) / parts_;
        ran_ = runs;
        looked_ns_ = now_ns;
        slot_.busy_ns += used_ns;
        if (!runs) return used_ns;
        slot_.submitted += 1;  // it always has more
        slot_.completed += 1;
        return used_ns;
    }

private:
    ipc::QueueSlot& slot_;
    int parts_;
    bool ran_ = true;
    int64_t looked_ns_ = base::now_ns();
};

int use_device(const std::string& path, Board& board, size_t first, size_t count, int parts) {
    TestClient client(path);
    if (!client.connected()) return 1;
    std::vector<Use> uses;
    for (size_t i = 0; i < count; ++i) {
        client.add_queue(static_cast<unsigned>(i), 0, 0x100 + first + i);
        uses.emplace_back(client, static_cast<unsigned>(i), parts);
    }
    while (!board.stop) {
        for (size_t i = 0; i < count; ++i) board.had_ns[first + i] += uses[i].look();
        ring_doorbell(client.header());
        usleep(200);
    }
    return 0;
}

class ShareUnit : public WithServer {
protected:
    void SetUp() override {
        void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(memory, MAP_FAILED);
        board_ = new (memory) Board{};
    }
    void start_sharing(const std::string& unit, bool for_all_users = false) {
        std::vector<std::string> words{"PUP", "--share-unit", unit};
        if (for_all_users) words.emplace_back("--system");
        start(words);
    }
    // Starts a program of that user with `queues` queues. `parts`: how many queues share the device side by side
    // while one of them runs.
    void start_client(uid_t uid, size_t queues, int parts) {
        const pid_t pid = fork();
        if (pid == 0) _exit(uid == getuid() || become(uid) ? use_device(socket(), *board_, queues_, queues, parts) : 2);
        ASSERT_GT(pid, 0);
        children_.push_back(pid);
        first_.push_back(queues_);
        queues_ += queues;
    }
    // Returns the part of the device that each client has had, in percent of all time, once all have begun.
    std::vector<int> parts() {
        EXPECT_TRUE(eventually([&] {
            for (size_t i = 0; i < queues_; ++i)
                if (board_->had_ns[i] == 0) return false;
            return true;
        }));
        std::array<int64_t, kMostQueues> before{};
        for (size_t i = 0; i < queues_; ++i) before[i] = board_->had_ns[i];
        const int64_t begin_ns = base::now_ns();
        usleep(3'000'000);
        std::vector<int> result;
        const int64_t all_ns = base::now_ns() - begin_ns;
        for (size_t client = 0; client < first_.size(); ++client) {
            const size_t end = client + 1 < first_.size() ? first_[client + 1] : queues_;
            int64_t had_ns = 0;
            for (size_t i = first_[client]; i < end; ++i) had_ns += board_->had_ns[i] - before[i];
            result.push_back(static_cast<int>(had_ns * 100 / all_ns));
        }
        return result;
    }
    void TearDown() override {
        if (board_ == nullptr) return;
        board_->stop = true;
        for (const pid_t child : children_) {
            int status = -1;
            EXPECT_EQ(waitpid(child, &status, 0), child);
            EXPECT_EQ(status, 0);
        }
        munmap(board_, sizeof(Board));
    }

    static constexpr int kPoints = 8;  // on a busy machine turns are not exact

private:
    Board* board_ = nullptr;
    size_t queues_ = 0;
    std::vector<size_t> first_;  // of each client's queues
    std::vector<pid_t> children_;
};

TEST_F(ShareUnit, ProgramsUnlessSaid) {
    start_sharing("program");
    start_client(getuid(), 1, 1);
    start_client(getuid(), 3, 3);
    for (const int part : parts()) EXPECT_NEAR(part, 50, kPoints);
}

TEST_F(ShareUnit, QueuesWhereAsked) {
    start_sharing("queue");
    start_client(getuid(), 1, 1);
    start_client(getuid(), 3, 1);
    const std::vector<int> had = parts();
    EXPECT_NEAR(had[0], 25, kPoints);
    EXPECT_NEAR(had[1], 75, kPoints);
}

class ShareOfUsers : public ShareUnit {
protected:
    void SetUp() override {
        NEEDS_ROOT("to become another user");
        ShareUnit::SetUp();
        chmod(directory.path().c_str(), 0755);
    }
};

TEST_F(ShareOfUsers, IsOneWhoeverHasMorePrograms) {
    start_sharing("user", true);
    start_client(getuid(), 1, 1);
    start_client(kNobody, 1, 2);
    start_client(kNobody, 1, 2);
    const std::vector<int> had = parts();
    EXPECT_NEAR(had[0], 50, kPoints);
    EXPECT_NEAR(had[1] + had[2], 50, kPoints);
}

TEST_F(ShareOfUsers, IsThatOfTheirProgramsUnlessSaid) {
    start_sharing("program", true);
    start_client(getuid(), 1, 1);
    start_client(kNobody, 1, 1);
    start_client(kNobody, 1, 1);
    for (const int part : parts()) EXPECT_NEAR(part, 33, kPoints);
}

}  // namespace
}  // namespace xsched::test
