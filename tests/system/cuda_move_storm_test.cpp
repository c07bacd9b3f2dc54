// Programs whose memory does not fit side by side on one card (cuda_move_storm.cpp), while they and the server are
// killed, stopped and started again at random moments, and memory goes to the host and comes back all the time. Each
// byte is right, no program waits for ever, and nothing is left on the card when all have ended. The fake driver keeps
// the limit of the card: it refuses.
//
// An ordinary run takes XSCHED_TEST_MEMORY_STEPS=30 steps. XSCHED_TEST_SEED repeats the choices:
//   XSCHED_TEST_MEMORY_STEPS=3000 ctest --test-dir build -R cuda_move_storm --verbose
#include "system/cuda_move_storm.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <random>

#include "system/memory_rig.h"

namespace xsched::test {
namespace {

constexpr int kUsualMemorySteps = 30;
constexpr int kCardMiB = 128;
constexpr int kLongestMs = 120'000;  // a program's end: the others' turns lie before it

// One of the programs, and how it is started. Together they want several times what the card has.
struct MemoryGuest {
    const char* name;
    int priority;
    bool evictable;
    const char* mebibytes;
    const char* debug;  // XSCHED_DEBUG
    int limit_mib = 0;  // of its memory; 0: none
    std::unique_ptr<Process> program{};
    MemoryBoard* board = nullptr;
};

class CudaMoveStorm : public WithServer {
protected:
    void SetUp() override {
        WithServer::SetUp();
        for (MemoryGuest& guest : guests_) start_guest(guest);
    }
    void TearDown() override {
        for (MemoryGuest& guest : guests_) munmap(guest.board, sizeof(MemoryBoard));
    }
    void start_guest(MemoryGuest& guest) {
        const std::string path = directory.path() + "/" + guest.name + std::to_string(++started_);
        const base::UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        ASSERT_TRUE(file && ftruncate(file.get(), sizeof(MemoryBoard)) == 0);
        if (guest.board != nullptr) munmap(guest.board, sizeof(MemoryBoard));
        void* memory = mmap(nullptr, sizeof(MemoryBoard), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
        ASSERT_NE(memory, MAP_FAILED);
        guest.board = static_cast<MemoryBoard*>(memory);
        Environment environment = directory.environment();
        environment["LD_PRELOAD"] = getenv("TEST_SHIM");
        use_driver(environment, guest.debug);
        environment["XSCHED_SCHEDULER"] = "global";
        environment["XSCHED_AUTO_XQUEUE_PRIORITY"] = std::to_string(guest.priority);
        environment["XSCHED_EVICTABLE"] = guest.evictable ? "1" : "0";
        if (guest.limit_mib != 0) environment["XSCHED_MEMORY_LIMIT"] = std::to_string(guest.limit_mib << 20);
        environment["FAKE_CUDA_SHARED"] = directory.path() + "/card";
        environment["FAKE_CUDA_MEMORY"] = std::to_string(kCardMiB << 20);
        environment["FAKE_CUDA_DELAY_US"] = "20";
        const std::vector<std::string> words{built_file(XSCHED_CUDA_MOVE_STORM), path, std::to_string(random(1u << 30)),
                                             guest.mebibytes};
        guest.program = std::make_unique<Process>(words, environment);
    }

    unsigned random(unsigned below) { return std::uniform_int_distribution<unsigned>(0, below - 1)(random_); }

    void strike() {
        MemoryGuest& guest = guests_[random(std::size(guests_))];
        switch (random(8)) {
            case 0:
            case 1:
                kill(guest.program->pid(), SIGKILL);
                collect(guest);
                return start_guest(guest);
            case 2: {
                kill(guest.program->pid(), SIGSTOP);
                usleep(random(100'000));
                kill(guest.program->pid(), SIGCONT);
                return;
            }
            case 3:
                server->stop(SIGKILL);
                usleep(random(50'000));
                return start();
            default: return;
        }
    }
    void collect(MemoryGuest& guest) {
        guest.program->wait();
        moves_ += count_in(guest.program->err(), "went to the host");
        returns_ += count_in(guest.program->err(), "came back");
    }
    static size_t count_in(const std::string& text, const std::string& words) {
        size_t count = 0;
        for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
        return count;
    }
    uint64_t steps() const {
        uint64_t sum = 0;
        for (const MemoryGuest& guest : guests_) sum += guest.board->steps.load();
        return sum;
    }
    ::testing::AssertionResult all_live() {
        for (MemoryGuest& guest : guests_) {
            guest.program->take_output();
            siginfo_t ended{};
            waitid(P_PID, static_cast<id_t>(guest.program->pid()), &ended, WEXITED | WNOHANG | WNOWAIT);
            if (ended.si_pid == 0) continue;
            return ::testing::AssertionFailure() << guest.name << " has ended: " << guest.program->err();
        }
        return ::testing::AssertionSuccess();
    }

    const unsigned seed_ =
        static_cast<unsigned>(count_of("XSCHED_TEST_SEED", static_cast<int>(std::random_device{}() >> 1)));
    std::mt19937 random_{seed_};
    unsigned started_ = 0;
    size_t moves_ = 0, returns_ = 0;
    MemoryGuest guests_[4] = {{"low", 0, true, "72", ""},
                              {"equal", 0, true, "72", "memory_pool=64"},
                              {"middle", 5, true, "90", "memory_wait=200", 60},
                              {"urgent", 10, false, "100", ""}};
};

TEST_F(CudaMoveStorm, EachByteIsRightAndNothingIsLeft) {
    const int times = count_of("XSCHED_TEST_MEMORY_STEPS", kUsualMemorySteps);
    std::printf("seed %u\n", seed_);
    std::fflush(stdout);
    for (int i = 0; i < times; ++i) {
        SCOPED_TRACE("seed " + std::to_string(seed_) + ", step " + std::to_string(i));
        usleep(random(200'000));
        ASSERT_TRUE(all_live());
        ASSERT_NO_FATAL_FAILURE(strike());
        const uint64_t before = steps();
        ASSERT_TRUE(eventually([&] { return steps() > before + 20; })) << "nobody goes on";
    }
    for (MemoryGuest& guest : guests_) guest.board->over = 1;
    for (size_t i = std::size(guests_); i-- > 0;) {
        MemoryGuest& guest = guests_[i];
        EXPECT_EQ(guest.program->wait(kLongestMs), 0) << "seed " << seed_ << ", " << guest.name << guest.program->err();
        moves_ += count_in(guest.program->err(), "went to the host");
        returns_ += count_in(guest.program->err(), "came back");
    }
    std::printf("%d steps: memory went to the host %zu times and came back %zu times\n", times, moves_, returns_);
}

}  // namespace
}  // namespace xsched::test
