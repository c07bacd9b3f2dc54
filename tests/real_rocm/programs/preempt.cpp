// A program whose streams are suspended and resumed at preempt level 3, as fast as they get on, while they work. Needs
// the shim in the process, and XSCHED_SCHEDULER=app: nobody else decides.
//   preempt CODE TIMES STREAMS
//   TIMES     suspensions of each stream
// It says whether every kernel ran exactly once, how often a kernel ended on a suspended stream (at level 3 none does),
// and how often none ended within 5 s of being resumed. Exit status 0: every kernel ran once, and no stream got stuck.
#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr unsigned kBlocks = 304, kThreads = 256;
constexpr unsigned long kKernelNs = 1'000'000;  // so long that most suspensions come within a kernel
constexpr int kKernels = 4;  // of a burst
constexpr int kStuckMs = 5000;
constexpr int kLevel = 3;
// A stay off the device: mostly short; every 16th is longer than a kernel.
constexpr int kStayUs = 100, kLongStayUs = 2000, kLongEvery = 16;

void check(hipError_t result, const char* call) {
    if (result != hipSuccess) throw std::runtime_error(std::string(call) + ": " + hipGetErrorString(result));
}
#define CHECK(call) check(call, #call)

// XSched's C interface, of the library that the shim has loaded.
template <typename Function>
Function* of(const char* library, const char* name) {
    void* loaded = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    void* found = loaded != nullptr ? dlsym(loaded, name) : nullptr;
    if (found == nullptr) throw std::runtime_error(std::string(name) + " is missing: is the shim preloaded?");
    return reinterpret_cast<Function*>(found);
}
constexpr const char* kXSched = "libpreempt.so.1";

hipFunction_t load(const char* path) {
    std::vector<char> code(1 << 20);
    std::FILE* file = std::fopen(path, "rb");
    if (file == nullptr) throw std::runtime_error(std::string("cannot read ") + path);
    code.resize(std::fread(code.data(), 1, code.size(), file));
    std::fclose(file);
    hipModule_t module = nullptr;
    hipFunction_t spin = nullptr;
    CHECK(hipModuleLoadData(&module, code.data()));
    CHECK(hipModuleGetFunction(&spin, module, "spin"));
    return spin;
}

// One stream. A thread of its own gives it work until told to stop.
class Worker {
public:
    explicit Worker(hipFunction_t spin) : spin_(spin) {
        CHECK(hipStreamCreateWithFlags(&stream_, hipStreamNonBlocking));
        CHECK(hipHostMalloc(reinterpret_cast<void**>(&ran_), sizeof *ran_, hipHostMallocDefault));
        *ran_ = 0;
        burst();
        uint64_t wrapped = 0;
        const auto result = of<int(uint64_t*, hipStream_t)>("libhalhip.so.1", "HipQueueGet")(&wrapped, stream_);
        if (result != 0 || of<int(uint64_t*, uint64_t)>(kXSched, "XQueueGet")(&queue_, wrapped) != 0)
            throw std::runtime_error("the stream has no XQueue");
        if (of<int(uint64_t, int64_t)>(kXSched, "XQueueSetPreemptLevel")(queue_, kLevel) != 0)
            throw std::runtime_error("its XQueue has no level 3");
        thread_ = std::thread([this] { work(); });
    }
    void end() {
        ends_ = true;
        thread_.join();
    }
    uint64_t queue() const { return queue_; }
    uint64_t ran() const { return __atomic_load_n(ran_, __ATOMIC_ACQUIRE); }
    uint64_t launched() const { return launched_; }
    const std::string& complaint() const { return complaint_; }

private:
    void burst() {
        unsigned long ns = kKernelNs;
        void* arguments[] = {&ns, &ran_};
        for (int i = 0; i < kKernels; ++i, ++launched_)
            CHECK(hipModuleLaunchKernel(spin_, kBlocks, 1, 1, kThreads, 1, 1, 0, stream_, arguments, nullptr));
        CHECK(hipStreamSynchronize(stream_));
    }
    void work() {
        try {
            while (!ends_) burst();
        } catch (const std::exception& error) {
            complaint_ = error.what();
        }
    }

    hipFunction_t spin_;
    hipStream_t stream_ = nullptr;
    uint64_t* ran_ = nullptr;
    uint64_t queue_ = 0;
    uint64_t launched_ = 0;
    std::atomic<bool> ends_{false};
    std::string complaint_;
    std::thread thread_;
};

struct Seen {
    int times = 0, ended_while_off = 0, stuck = 0;
};

bool gets_on(const Worker& worker, uint64_t from) {
    for (int i = 0; i < kStuckMs * 10; ++i) {
        if (worker.ran() != from || !worker.complaint().empty()) return true;
        usleep(100);
    }
    return false;
}

Seen disturb(const Worker& worker, int times) {
    const auto suspend = of<int(uint64_t, int64_t)>(kXSched, "XQueueSuspend");
    const auto resume = of<int(uint64_t, int64_t)>(kXSched, "XQueueResume");
    Seen seen;
    for (; seen.times < times && seen.stuck == 0 && worker.complaint().empty(); ++seen.times) {
        if (suspend(worker.queue(), 0) != 0) throw std::runtime_error("XQueueSuspend failed");
        const uint64_t before = worker.ran();
        usleep(seen.times % kLongEvery == 0 ? kLongStayUs : kStayUs);
        seen.ended_while_off += worker.ran() != before ? 1 : 0;
        if (resume(worker.queue(), 0) != 0) throw std::runtime_error("XQueueResume failed");
        seen.stuck += gets_on(worker, before) ? 0 : 1;
    }
    return seen;
}

int run(const char* code, int times, int streams) {
    const hipFunction_t spin = load(code);
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < streams; ++i) workers.push_back(std::make_unique<Worker>(spin));
    std::mutex mutex;
    Seen all;
    std::vector<std::thread> threads;
    for (const auto& worker : workers)
        threads.emplace_back([&all, &mutex, &worker, times] {
            const Seen seen = disturb(*worker, times);
            const std::lock_guard lock(mutex);
            all.times += seen.times;
            all.ended_while_off += seen.ended_while_off;
            all.stuck += seen.stuck;
        });
    for (std::thread& thread : threads) thread.join();
    uint64_t ran = 0, launched = 0;
    for (const auto& worker : workers) {
        if (all.stuck == 0) worker->end();  // else it would not end
        if (!worker->complaint().empty()) std::printf("preempt: %s\n", worker->complaint().c_str());
        ran += worker->ran();
        launched += worker->launched();
    }
    std::printf("suspended %d times; %d with a kernel that ended meanwhile, %d stuck; kernels %lu of %lu\n", all.times,
                all.ended_while_off, all.stuck, ran, launched);
    std::fflush(stdout);
    if (all.stuck != 0) _exit(6);
    return ran == launched && all.times == times * streams ? 0 : 5;
}

}  // namespace

int main(int count, char** words) {
    if (count != 4) return 2;
    try {
        return run(words[1], std::atoi(words[2]), std::atoi(words[3]));
    } catch (const std::exception& error) {
        std::printf("preempt: %s\n", error.what());
        std::fflush(stdout);
        _exit(3);  // threads may be at work
    }
}
