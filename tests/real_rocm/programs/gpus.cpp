// A program with work on two GPUs at once, of which one's stream is suspended at preempt level 3 and resumed, in turns,
// while the other one's goes on. Then copies between them. Needs the shim in the process, and XSCHED_SCHEDULER=app:
// no server decides.
//   gpus CODE TIMES
//   TIMES     suspensions on each GPU
// Exit status 0: a suspended stream stood, the other one and what was resumed went on, every kernel ran once, and
// copies are exact.
#include <cstdlib>
#include <memory>

#include "worker.h"

namespace {

using program::Worker;

constexpr int kGpus = 2;
constexpr int kKernelsMeanwhile = 5;  // of the other GPU: some milliseconds
constexpr int kMostLooks = 50;  // until a suspended stream stands; a busy machine may delay the thread that stops it
constexpr size_t kWords = 1 << 16;

void demand(bool truth, const std::string& text) {
    if (!truth) throw std::runtime_error(text);
}

// Returns whether no kernel of the victim ends while some of the other one do.
bool stands(const Worker& victim, const Worker& other) {
    const uint64_t before = victim.ran();
    demand(other.gets_on(other.ran(), kKernelsMeanwhile), "the other GPU stands as well");
    return victim.ran() == before;
}

// XQueueSuspend does not wait until the stream stands.
void suspend_one(const Worker& victim, const Worker& other) {
    program::suspend(victim.queue());
    for (int i = 0; i < kMostLooks && !stands(victim, other); ++i) {
    }
    const uint64_t stood_at = victim.ran();
    demand(stands(victim, other), "a suspended stream runs on");
    program::resume(victim.queue());
    demand(victim.gets_on(stood_at), "a resumed stream stands");
}

struct Memory {
    explicit Memory(int device) : device(device) {
        CHECK(hipSetDevice(device));
        CHECK(hipMalloc(&words, kWords * sizeof(uint32_t)));
    }
    int device;
    void* words = nullptr;
};

std::vector<uint32_t> contents(uint32_t first) {
    std::vector<uint32_t> all(kWords);
    for (size_t i = 0; i < kWords; ++i) all[i] = first + static_cast<uint32_t>(i);
    return all;
}

enum class How { kPeer, kPeerAsync, kAny };

void copy_between(const Memory& from, const Memory& to, How how) {
    const size_t bytes = kWords * sizeof(uint32_t);
    const auto sent = contents(static_cast<uint32_t>(how) * 1000 + static_cast<uint32_t>(from.device));
    std::vector<uint32_t> got(kWords);
    CHECK(hipSetDevice(from.device));
    CHECK(hipMemcpy(from.words, sent.data(), bytes, hipMemcpyHostToDevice));
    if (how == How::kPeer) CHECK(hipMemcpyPeer(to.words, to.device, from.words, from.device, bytes));
    if (how == How::kAny) CHECK(hipMemcpy(to.words, from.words, bytes, hipMemcpyDeviceToDevice));
    if (how == How::kPeerAsync) {
        hipStream_t stream = nullptr;
        CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
        CHECK(hipMemcpyPeerAsync(to.words, to.device, from.words, from.device, bytes, stream));
        CHECK(hipStreamSynchronize(stream));
        CHECK(hipStreamDestroy(stream));
    }
    CHECK(hipDeviceSynchronize());
    CHECK(hipSetDevice(to.device));
    CHECK(hipMemcpy(got.data(), to.words, bytes, hipMemcpyDeviceToHost));
    demand(got == sent, "a copy from GPU " + std::to_string(from.device) + " is wrong");
}

void copy_all() {
    const Memory one(0), other(1);
    for (const How how : {How::kPeer, How::kPeerAsync, How::kAny}) {
        copy_between(one, other, how);
        copy_between(other, one, how);
    }
}

void run(const char* code, int times) {
    int count = 0;
    CHECK(hipGetDeviceCount(&count));
    demand(count == kGpus, std::to_string(count) + " GPUs");
    std::vector<std::unique_ptr<Worker>> workers;
    for (int device = 0; device < kGpus; ++device) {
        CHECK(hipSetDevice(device));
        workers.push_back(std::make_unique<Worker>(program::kernel(code)));
    }
    for (int i = 0; i < times * kGpus; ++i) suspend_one(*workers[i % kGpus], *workers[(i + 1) % kGpus]);
    for (const auto& worker : workers) worker->end();
    for (const auto& worker : workers) {
        demand(worker->complaint().empty(), worker->complaint());
        demand(worker->ran() == worker->launched(),
               std::to_string(worker->ran()) + " kernels of " + std::to_string(worker->launched()) + " ran");
    }
    copy_all();
    std::printf("gpus: %d suspensions on each of %d\n", times, kGpus);
}

}  // namespace

int main(int count, char** words) {
    if (count != 3) return 2;
    return program::status_of("gpus", [&] { run(words[1], std::atoi(words[2])); });
}
