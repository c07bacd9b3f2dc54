// Ordinary CUDA programs on the fake driver under the real xserver: what the tests of several processes share.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <memory>

#include "support/environment.h"
#include "support/server_rig.h"
#include "system/cuda_program.h"

namespace xsched::test {

constexpr int kTwoSecondsMs = 2000;

// A CUDA program with the shim preloaded; `starter`: what starts it, such as xcli run.
class CudaProgram {
public:
    CudaProgram(const PrivateDirectory& directory, const std::string& name, const Environment& more,
                const std::vector<std::string>& arguments = {}, const std::vector<std::string>& starter = {})
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
        for (const char* library : {"XSCHED_CUDA_LIB", "XSCHED_HIP_LIB"})
            environment[library] = driver != nullptr ? driver : "";
        environment["XSCHED_SCHEDULER"] = "global";
        for (const auto& [variable, value] : more) environment[variable] = value;
        std::vector<std::string> words = starter;
        words.insert(words.end(), {built_file(XSCHED_CUDA_PROGRAM), path_});
        words.insert(words.end(), arguments.begin(), arguments.end());
        process_ = std::make_unique<Process>(words, environment);
    }
    ~CudaProgram() { munmap(board_, sizeof(Board)); }
    CudaProgram(const CudaProgram&) = delete;
    CudaProgram& operator=(const CudaProgram&) = delete;

    void work() { board_->order = Board::kWork; }
    void rest() { board_->order = Board::kRest; }
    // Launches a few kernels, and calls nothing from then on.
    void be_silent() { board_->order = Board::kSilent; }
    bool silent_ended() const { return board_->ended != 0; }
    void become() { board_->order = Board::kBecome; }
    // Makes the program work in bursts of `burst` batches, with pauses of `us` in between; 0: without pauses.
    void pause(uint32_t burst, uint32_t us) {
        board_->pause_us = us;
        board_->burst = burst;
    }
    // Makes the program create or destroy contexts before its next batch, until it has `count` besides its own.
    // Returns whether it did in time.
    bool has_contexts(uint32_t count) {
        board_->contexts = count;
        return eventually([&] { return board_->contexts_there == count; });
    }
    int end() {
        board_->order = Board::kEnd;
        return process_->wait();
    }
    uint64_t done() const { return board_->done.load(); }
    uint64_t recorded() const { return board_->recorded.load(); }
    const std::string& board() const { return path_; }
    uint64_t done_on(int device) const { return board_->done_on[device].load(); }
    bool advances(int within_ms = kPatienceMs) {
        const uint64_t before = done();
        return eventually([&] { return done() > before + 40; }, within_ms);
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
                                               const std::vector<std::string>& arguments = {},
                                               const std::vector<std::string>& starter = {}) {
        if (priority != 0) more["XSCHED_AUTO_XQUEUE_PRIORITY"] = std::to_string(priority);
        return std::make_unique<CudaProgram>(directory, name, more, arguments, starter);
    }
    // Returns the queues of a process, as the server knows them.
    Json queues_of(pid_t pid) {
        Json found = Json::array();
        for (const Json& queue : answer_of_server(socket(), {{"cmd", "list"}}).value("queues", Json::array()))
            if (queue.value("pid", 0) == pid) found.push_back(queue);
        return found;
    }
    // Returns whether at least one queue of the process is suspended (or is not, if `suspended` is false).
    bool is_suspended(pid_t pid, bool suspended = true) {
        const Json queues = queues_of(pid);
        return std::any_of(queues.begin(), queues.end(),
                           [&](const Json& it) { return it.value("suspended", !suspended) == suspended; });
    }
    bool becomes_suspended(pid_t pid, bool suspended) {
        return eventually([&] { return is_suspended(pid, suspended); });
    }
    // Waits for a period in which `on` advances and `off` completes at most one batch, and at whose end `off` is
    // suspended. (The starvation limit gives it a turn now and then.) The period is 200 ms, or with few processors
    // long enough for several batches of `on`.
    static constexpr uint64_t kStray = 8;  // commands that may still end; a sanitized program on a busy machine has few
    ::testing::AssertionResult is_kept_off(CudaProgram& off, CudaProgram& on) {
        constexpr uint64_t kSeveral = 4 * kStray;
        uint64_t off_did = 0, on_did = 0;
        const bool kept_off = eventually([&] {
            const uint64_t off_before = off.done(), on_before = on.done();
            usleep(200'000);
            eventually([&] { return on.done() >= on_before + kSeveral || off.done() > off_before + kStray; });
            off_did = off.done() - off_before;
            on_did = on.done() - on_before;
            return off_did <= kStray && on_did >= kSeveral && is_suspended(off.pid());
        });
        if (kept_off) return ::testing::AssertionSuccess();
        return ::testing::AssertionFailure()
               << "at last the one to be kept off did " << off_did << " and the other " << on_did << '\n'
               << off.process().err() << on.process().err();
    }
    // Starts `low` and then `high`, with work, and waits until `high` keeps `low` off. `lows`: words before the command
    // line of `low`.
    void start_both(const std::vector<std::string>& lows = {}) {
        low = start_program("low", 0, {}, {}, lows);
        low->work();
        ASSERT_TRUE(low->advances()) << low->process().err();
        high = start_program("high", 10);
        high->work();
        ASSERT_TRUE(high->advances()) << high->process().err();
        ASSERT_TRUE(is_kept_off(*low, *high));
    }

    std::unique_ptr<CudaProgram> low, high;
};

}  // namespace xsched::test
