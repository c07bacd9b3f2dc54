// Ordinary CUDA programs on the fake driver under the real xserver: who keeps whom off, and what comes of it when a
// process is killed.
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <memory>

#include "server/rig.h"
#include "system/cuda_program.h"

namespace xsched::test {
namespace {

constexpr int kTwoSecondsMs = 2000;

// A CUDA program with the shim preloaded.
class CudaProgram {
public:
    CudaProgram(const PrivateDirectory& directory, const std::string& name, const Environment& more,
                const std::vector<std::string>& arguments = {})
        : path_(directory.path() + "/" + name) {
        const base::UniqueFd file(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        if (!file || ftruncate(file.get(), sizeof(Board)) != 0) abort();
        void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
        if (memory == MAP_FAILED) abort();
        board_ = static_cast<Board*>(memory);
        Environment environment = directory.environment();
        const char* preload = getenv("TEST_SHIM");
        const char* driver = getenv("TEST_DRIVER");
        environment["LD_PRELOAD"] = preload != nullptr ? preload : "";
        environment["XSCHED_CUDA_LIB"] = driver != nullptr ? driver : "";
        environment["XSCHED_SCHEDULER"] = "global";
        for (const auto& [variable, value] : more) environment[variable] = value;
        std::vector<std::string> words{XSCHED_CUDA_PROGRAM, path_};
        words.insert(words.end(), arguments.begin(), arguments.end());
        process_ = std::make_unique<Process>(words, environment);
    }
    ~CudaProgram() { munmap(board_, sizeof(Board)); }
    CudaProgram(const CudaProgram&) = delete;
    CudaProgram& operator=(const CudaProgram&) = delete;

    void work() { board_->order = Board::kWork; }
    void rest() { board_->order = Board::kRest; }
    int end() {
        board_->order = Board::kEnd;
        return process_->wait();
    }
    uint64_t done() const { return board_->done.load(); }
    bool advances(int within_ms = kPatienceMs) {
        const uint64_t before = done();
        return wait_until([&] { return done() > before + 40; }, within_ms);
    }
    Process& process() { return *process_; }
    pid_t pid() const { return process_->pid(); }

private:
    std::string path_;
    Board* board_ = nullptr;
    std::unique_ptr<Process> process_;
};

class CudaProcesses : public WithServer {
protected:
    std::unique_ptr<CudaProgram> start_program(const std::string& name, int priority, Environment more = {},
                                               const std::vector<std::string>& arguments = {}) {
        if (priority != 0) more["XSCHED_AUTO_XQUEUE_PRIORITY"] = std::to_string(priority);
        return std::make_unique<CudaProgram>(directory, name, more, arguments);
    }
    // The queues of a process, as the server knows them.
    Json queues_of(pid_t pid) {
        TestTool tool(socket());
        Json found = Json::array();
        if (!tool.accepted()) return found;
        const Json answer = tool.ask({{"cmd", "list"}});
        for (const Json& queue : answer.value("queues", Json::array()))
            if (queue.value("pid", 0) == pid) found.push_back(queue);
        return found;
    }
    bool becomes_suspended(pid_t pid, bool suspended) {
        return wait_until([&] {
            const Json queues = queues_of(pid);
            return std::any_of(queues.begin(), queues.end(),
                               [&](const Json& it) { return it.value("suspended", !suspended) == suspended; });
        });
    }
    // There comes a time of 200 ms in which `off` does at most one batch while `on` goes on. (The starvation limit
    // gives it a turn now and then.)
    static bool is_kept_off(CudaProgram& off, CudaProgram& on) {
        return wait_until([&] {
            const uint64_t off_before = off.done(), on_before = on.done();
            usleep(200'000);
            return off.done() <= off_before + 8 && on.done() > on_before + 40;
        });
    }
    // Both at work, the more urgent one keeping the other off.
    void start_both() {
        low = start_program("low", 0);
        low->work();
        ASSERT_TRUE(low->advances()) << low->process().err();
        high = start_program("high", 10);
        high->work();
        ASSERT_TRUE(high->advances()) << high->process().err();
        ASSERT_TRUE(is_kept_off(*low, *high));
    }

    std::unique_ptr<CudaProgram> low, high;
};

TEST_F(CudaProcesses, TheMoreUrgentOneKeepsTheOtherOffWhileItHasWork) {
    start_both();
    EXPECT_TRUE(becomes_suspended(low->pid(), true));
    for (int round = 0; round < 3; ++round) {
        high->rest();
        EXPECT_TRUE(low->advances()) << "round " << round << ": its gate does not open again";
        high->work();
        EXPECT_TRUE(is_kept_off(*low, *high)) << "round " << round;
    }
    EXPECT_EQ(high->end(), 0) << high->process().err();
    EXPECT_TRUE(low->advances());
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

TEST_F(CudaProcesses, KillingTheServerLetsEverybodyRun) {
    start_both();
    server->stop(SIGKILL);
    EXPECT_TRUE(low->advances(kTwoSecondsMs)) << "still kept off by a dead server";
    EXPECT_TRUE(high->advances(kTwoSecondsMs));
    EXPECT_EQ(low->end(), 0) << low->process().err();
    EXPECT_NE(low->process().err().find("xserver is lost"), std::string::npos) << low->process().err();
    EXPECT_EQ(high->end(), 0);
}

TEST_F(CudaProcesses, KillingTheMoreUrgentOneLetsTheOtherRun) {
    start_both();
    ASSERT_EQ(kill(high->pid(), SIGKILL), 0);
    EXPECT_TRUE(low->advances(kTwoSecondsMs));
    EXPECT_TRUE(becomes_suspended(low->pid(), false));
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

TEST_F(CudaProcesses, WithoutValueOperationsItIsLevelOneAndOneLineSaysSo) {
    const Environment without{{"FAKE_CUDA_NO_MEMOPS", "1"}};
    low = start_program("low", 0, without);
    high = start_program("high", 10, without);
    low->work();
    ASSERT_TRUE(low->advances()) << low->process().err();
    high->work();
    EXPECT_TRUE(is_kept_off(*low, *high));
    const Json queues = queues_of(low->pid());
    ASSERT_FALSE(queues.empty());
    EXPECT_EQ(queues[0].value("level", 0), kPreemptLevelBlock);
    EXPECT_EQ(high->end(), 0);
    EXPECT_TRUE(low->advances());
    EXPECT_EQ(low->end(), 0);
    const std::string log = low->process().err();
    size_t lines = 0;
    for (size_t at = log.find("preempt level 1"); at != std::string::npos; at = log.find("preempt level 1", at + 1))
        ++lines;
    EXPECT_EQ(lines, 1u) << log;
}

TEST_F(CudaProcesses, StreamPrioritiesAreTheQueues) {
    auto urgent = start_program("urgent", 0, {}, {"-3"});
    auto ordinary = start_program("ordinary", 0, {}, {"0"});
    auto set = start_program("set", 7, {}, {"-3"});
    const std::vector<std::pair<CudaProgram*, int>> expected{{urgent.get(), 3}, {ordinary.get(), 0}, {set.get(), 7}};
    for (const auto& [program, priority] : expected) {
        program->work();
        ASSERT_TRUE(wait_until([&] { return !queues_of(program->pid()).empty(); })) << program->process().err();
        EXPECT_EQ(queues_of(program->pid())[0].value("priority", -1000), priority);
        EXPECT_EQ(program->end(), 0);
    }
}

}  // namespace
}  // namespace xsched::test
