#include "victim.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

namespace level3 {
namespace {

constexpr uint32_t kMultiplier = 1664525, kIncrement = 1013904223;
constexpr uint32_t kStepsPerRound = 1000;
constexpr unsigned kBlockThreads = 256;
constexpr unsigned kRegisterPortableMapped = 3;

// The kernel is text, so that any driver compiles it for the device it finds. One thread of each warp in every
// p_every-th block writes the time, so that some thread does as long as the kernel runs: a processor prefers its oldest
// warps, which end long before the others.
constexpr const char* kSource = R"(
.version 6.0
.target sm_30
.address_size 64
.visible .entry tick(.param .u64 p_state, .param .u64 p_tick, .param .u32 p_rounds, .param .u32 p_every)
{
    .reg .pred %p<4>;
    .reg .b32 %r<13>;
    .reg .b64 %rd<9>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.s32 %r4, %r2, %r3, %r1;
    ld.param.u64 %rd1, [p_state];
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.u32 %rd3, %r4, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.u32 %r5, [%rd4];
    ld.param.u64 %rd5, [p_tick];
    cvta.to.global.u64 %rd6, %rd5;
    ld.param.u32 %r6, [p_rounds];
    mov.u32 %r7, 0;
    ld.param.u32 %r9, [p_every];
    rem.u32 %r10, %r2, %r9;
    and.b32 %r11, %r1, 31;
    or.b32 %r12, %r10, %r11;
    setp.eq.u32 %p1, %r12, 0;
ROUND:
    setp.ge.u32 %p2, %r7, %r6;
    @%p2 bra DONE;
    mov.u32 %r8, 0;
STEP:
    mad.lo.s32 %r5, %r5, 1664525, 1013904223;
    add.u32 %r8, %r8, 1;
    setp.lt.u32 %p3, %r8, 1000;
    @%p3 bra STEP;
    add.u32 %r7, %r7, 1;
    @!%p1 bra ROUND;
    mov.u64 %rd7, %globaltimer;
    st.volatile.global.u64 [%rd6], %rd7;
    bra ROUND;
DONE:
    st.global.u32 [%rd4], %r5;
    ret;
}
)";

[[noreturn]] void fail(const char* what, long code) {
    fprintf(stderr, "level3: %s failed (%ld)\n", what, code);
    exit(3);
}

// A function of the driver by name, from the library that a program finds under the driver's name.
template <typename... Arguments>
int call(const char* name, Arguments... arguments) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) fail("opening libcuda.so.1", 0);
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
    if (function == nullptr) fail(name, -1);
    return function(arguments...);
}
template <typename... Arguments>
void must(const char* name, Arguments... arguments) {
    if (const int code = call(name, arguments...); code != 0) fail(name, code);
}

// Returns the generator's state `steps` steps after x, by repeated squaring of the step.
uint32_t advance(uint32_t x, uint64_t steps) {
    uint32_t multiplier = kMultiplier, increment = kIncrement;
    for (; steps != 0; steps >>= 1) {
        if ((steps & 1) != 0) x = x * multiplier + increment;
        increment *= multiplier + 1;
        multiplier *= multiplier;
    }
    return x;
}

}  // namespace

int64_t now_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

Board* open_board(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    // The file has one whole page, which the driver registers.
    if (file < 0 || ftruncate(file, sysconf(_SC_PAGESIZE)) != 0) fail(path.c_str(), 0);
    void* memory =
        mmap(nullptr, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) fail(path.c_str(), 1);
    close(file);
    return static_cast<Board*>(memory);
}

int64_t wait_quiet(const Board& board, int64_t quiet_ns, int64_t patience_ns) {
    const int64_t began = now_ns();
    uint64_t seen = board.tick.load();
    int64_t moved = began;
    for (;;) {
        const int64_t now = now_ns();
        const uint64_t tick = board.tick.load();
        if (tick != seen) {
            seen = tick;
            moved = now;
        }
        if (now - moved >= quiet_ns) return moved;
        if (now - began >= patience_ns) return 0;
    }
}

int64_t wait_moving(const Board& board, int64_t patience_ns) {
    const int64_t began = now_ns();
    const uint64_t seen = board.tick.load();
    for (;;) {
        const int64_t now = now_ns();
        if (board.tick.load() != seen) return now;
        if (now - began >= patience_ns) return 0;
    }
}

Victim::Victim(Board& board) {
    int device = 0, threads = 0;
    void* module = nullptr;
    must("cuInit", 0u);
    must("cuDeviceGet", &device, 0);
    must("cuDevicePrimaryCtxRetain", &context_, device);
    attach_thread();
    must("cuModuleLoadData", &module, kSource);
    must("cuModuleGetFunction", &kernel_, module, "tick");
    must("cuDeviceGetAttribute", &processors_, 16, device);
    if (call("cuDeviceGetAttribute", &threads, 39, device) != 0 || threads == 0) threads = kBlockThreads;
    blocks_ = static_cast<unsigned>(processors_ * threads) / kBlockThreads;
    const size_t bytes = size_t{blocks_} * kBlockThreads * sizeof(uint32_t);
    must("cuMemAlloc_v2", &state_, bytes);
    std::vector<uint32_t> start(bytes / sizeof(uint32_t));
    for (size_t i = 0; i < start.size(); ++i) start[i] = static_cast<uint32_t>(i);
    must("cuMemcpyHtoD_v2", state_, static_cast<const void*>(start.data()), bytes);
    must("cuCtxSynchronize");  // a non-blocking stream does not wait for the copy
    must("cuMemHostRegister_v2", static_cast<void*>(&board), static_cast<size_t>(sysconf(_SC_PAGESIZE)),
         kRegisterPortableMapped);
    must("cuMemHostGetDevicePointer_v2", &tick_, static_cast<void*>(&board.tick), 0u);
    must("cuStreamCreate", &stream_, 1u);
}

void Victim::attach_thread() { must("cuCtxSetCurrent", context_); }

void Victim::launch(uint32_t rounds) {
    void* parameters[] = {&state_, &tick_, &rounds, &processors_};
    must("cuLaunchKernel", kernel_, blocks_, 1u, 1u, kBlockThreads, 1u, 1u, 0u, stream_,
         static_cast<void**>(parameters), static_cast<void**>(nullptr));
    steps_.fetch_add(uint64_t{rounds} * kStepsPerRound);
}

void Victim::synchronize() { must("cuStreamSynchronize", stream_); }

uint32_t Victim::rounds_for(double milliseconds) {
    uint32_t rounds = 200;
    for (int i = 0; i < 6; ++i) {
        const int64_t began = now_ns();
        launch(rounds);
        synchronize();
        const double took = static_cast<double>(now_ns() - began) / 1e6;
        // A kernel too short or too long to time well is calibrated at 5 or 50 ms, and the last step scales its
        // rounds.
        const double wanted = milliseconds < 5 ? 5 : milliseconds > 50 ? 50 : milliseconds;
        rounds = static_cast<uint32_t>(rounds * wanted / (took > 0.01 ? took : 0.01)) + 1;
        if (i == 5) rounds = static_cast<uint32_t>(rounds * (milliseconds / wanted)) + 1;
    }
    return rounds;
}

bool Victim::state_is_right() {
    synchronize();
    std::vector<uint32_t> state(size_t{blocks_} * kBlockThreads);
    must("cuMemcpyDtoH_v2", static_cast<void*>(state.data()), state_, state.size() * sizeof(uint32_t));
    for (size_t i = 0; i < state.size(); ++i)
        if (state[i] != advance(static_cast<uint32_t>(i), steps_.load())) return false;
    return true;
}

}  // namespace level3
