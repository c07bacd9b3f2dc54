// Urgent programs: bursts of work at fixed times, each with its result checked.
#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "common.h"

namespace neighbours {
namespace {

constexpr double kKernelUs = 7;
constexpr uint32_t kStreams = 4;
constexpr int64_t kHostNs = 60'000;  // of work after each kernel

// An allocating burst is timed in six parts: allocations, kernels and releases, the first of each and the other three
// of each.
constexpr size_t kAllocatingParts = 6;

// Streams, events and memory of the urgent program: the device's words, and pinned host memory for the copies to and
// from the device.
struct Urgent {
    uint32_t steps = 0;
    Handle streams[kStreams];
    Handle began = make_event(true);
    Handle copied = make_event(true);
    Handle computed = make_event(true);
    Handle order[kStreams];
    Pointer words = allocate(kBurstWords * 4);
    uint32_t* in = host_memory(kBurstWords * 4, true);
    uint32_t* out = host_memory(kBurstWords * 4, true);
    mutable std::vector<int64_t> parts_ns;  // the last burst's parts: its rounds, or kinds of calls
    mutable int64_t launches_ns = 0;        // in the last burst, where nothing else is done beside them

    explicit Urgent(uint32_t wanted) : steps(wanted) {
        for (Handle& stream : streams) stream = make_stream();
        for (Handle& event : order) event = make_event(false);
    }
    Handle stream() const { return streams[0]; }
    void launch() const { launch_steps(words, kBurstWords, steps, stream()); }
    void launch(uint32_t count) const {
        for (uint32_t i = 0; i < count; ++i) launch();
    }
};

uint32_t calibrated() {
    Urgent work(1000);
    double steps = work.steps;
    for (int round = 0; round < 8; ++round) {
        work.steps = static_cast<uint32_t>(steps);
        work.launch(3);
        record(work.began, work.stream());
        work.launch(500);
        record(work.copied, work.stream());
        wait_stream(work.stream());
        steps = std::max(1.0, steps * std::clamp(kKernelUs * 500 / elapsed_us(work.began, work.copied), 0.05, 20.0));
    }
    return static_cast<uint32_t>(steps);
}

void work_on_host(int64_t ns) {
    for (const int64_t end = now_ns() + ns; now_ns() < end;) {
    }
}

// Each returns how many kernels have stepped the words.
uint32_t burst_copying(const Urgent& work) {
    record(work.began, work.stream());
    copy_in(work.words, work.in, kBurstWords * 4, work.stream());
    record(work.copied, work.stream());
    work.launch(20);
    record(work.computed, work.stream());
    copy_out(work.out, work.words, kBurstWords * 4, work.stream());
    wait_stream(work.stream());
    return 20;
}

// Launches so many kernels, and adds the time that the launches themselves took.
void launch_timed(const Urgent& work, uint32_t count) {
    const int64_t began = now_ns();
    work.launch(count);
    work.launches_ns += now_ns() - began;
}

uint32_t burst_kernels(const Urgent& work) {
    work.launches_ns = 0;
    launch_timed(work, 100);
    wait_stream(work.stream());
    return 100;
}

uint32_t burst_steps(const Urgent& work) {
    work.parts_ns.clear();
    work.launches_ns = 0;
    for (int i = 0; i < 20; ++i) {
        const int64_t began = now_ns();
        launch_timed(work, 5);
        wait_stream(work.stream());
        work.parts_ns.push_back(now_ns() - began);
    }
    return 100;
}

uint32_t burst_host(const Urgent& work) {
    for (int i = 0; i < 100; ++i) {
        work.launch();
        work_on_host(kHostNs);
    }
    wait_stream(work.stream());
    return 100;
}

uint32_t burst_allocating(const Urgent& work) {
    work.parts_ns.assign(kAllocatingParts, 0);
    int64_t began = now_ns();
    const auto part = [&](int time, size_t at) {
        const int64_t now = now_ns();
        work.parts_ns[2 * at + (time == 0 ? 0 : 1)] += now - began;
        began = now;
    };
    for (int i = 0; i < 4; ++i) {
        const Pointer words = allocate(kBurstWords * 4);
        part(i, 0);
        for (int k = 0; k < 5; ++k) launch_steps(words, kBurstWords, work.steps, work.stream());
        work.launch(1);
        wait_stream(work.stream());
        part(i, 1);
        release(words);
        part(i, 2);
    }
    return 4;
}

// Does the work of a program that is being set up: pinned memory, a module, the first call of its kernel.
uint32_t burst_setup(const Urgent& work) {
    work.parts_ns.clear();
    int64_t began = now_ns();
    const auto part = [&] {
        const int64_t now = now_ns();
        work.parts_ns.push_back(now - began);
        began = now;
    };
    uint32_t* const pinned = host_memory(kBurstWords * 4, true);
    part();
    const Module module = load_module();
    part();
    for (int k = 0; k < 6; ++k) launch_steps(work.words, kBurstWords, work.steps, work.stream(), module.kernel);
    wait_stream(work.stream());
    part();
    unload(module);
    part();
    release_pinned(pinned);
    part();
    return 6;
}

uint32_t burst_streams(const Urgent& work) {
    for (uint32_t i = 0; i < 40; ++i) {
        launch_steps(work.words, kBurstWords, work.steps, work.streams[i % kStreams]);
        record(work.order[i % kStreams], work.streams[i % kStreams]);
        wait_for(work.streams[(i + 1) % kStreams], work.order[i % kStreams]);
    }
    wait_stream(work.stream());
    return 40;
}

struct Role {
    const char* name;
    uint32_t (*burst)(const Urgent& work);
    bool copies = false;  // in and out are part of the burst
};
constexpr Role kRoles[] = {
    {"copying", burst_copying, true}, {"kernels", burst_kernels}, {"steps", burst_steps},    {"host", burst_host},
    {"allocating", burst_allocating}, {"setup", burst_setup},     {"streams", burst_streams}};

const Role* role_of(const char* name) {
    for (const Role& role : kRoles)
        if (strcmp(role.name, name) == 0) return &role;
    return nullptr;
}

bool right(const Urgent& work, uint64_t kernels) {
    for (size_t i = 0; i < kBurstWords; i += 997)
        if (work.out[i] != stepped(work.in[i], uint64_t{work.steps} * kernels)) return false;
    return true;
}

void prepare(const Urgent& work, const Role& role, uint64_t kernels) {
    // Bursts that do not copy start from the words that the burst before left, so they are filled only once, before the
    // first.
    if (!role.copies && kernels != 0) return;
    for (size_t k = 0; k < kBurstWords; k += 997) work.in[k] = pattern(k, static_cast<uint32_t>(kernels));
    if (role.copies) return;
    copy_in(work.words, work.in, kBurstWords * 4, work.stream());
    wait_stream(work.stream());
}

bool check(const Urgent& work, const Role& role, uint64_t kernels) {
    if (!role.copies) {
        copy_out(work.out, work.words, kBurstWords * 4, work.stream());
        wait_stream(work.stream());
    }
    return right(work, kernels);
}

}  // namespace

bool is_urgent(const char* role) { return role_of(role) != nullptr; }

int urgent(const char* name, const char* path, long bursts, const Period& period, uint32_t steps) {
    if (steps == 0) {
        printf("%u\n", calibrated());
        return 0;
    }
    const Role& role = *role_of(name);
    const Urgent work(steps);
    FILE* rows = opened(path);
    uint64_t kernels = 0;
    if (!role.copies) prepare(work, role, 0);
    say_ready();
    std::mt19937 chance(1);
    std::uniform_real_distribution<double> pause_ms(period.least_ms, period.most_ms);
    int64_t next = now_ns();
    for (long i = 0; i < bursts; ++i) {
        if (role.copies) prepare(work, role, static_cast<uint64_t>(i));
        sleep_until(next += static_cast<int64_t>(pause_ms(chance) * 1e6));
        next = std::max(next, now_ns());
        const int64_t began = now_ns();
        const uint32_t stepped_by = role.burst(work);
        const int64_t ns = now_ns() - began;
        long long in_ns = 0;
        long long kernels_ns = work.launches_ns;
        if (role.copies) {
            in_ns = static_cast<long long>(elapsed_us(work.began, work.copied) * 1000);
            kernels_ns = static_cast<long long>(elapsed_us(work.copied, work.computed) * 1000);
        }
        kernels = role.copies ? stepped_by : kernels + stepped_by;
        fprintf(rows, "%lld %lld %lld %lld", static_cast<long long>(began), static_cast<long long>(ns), in_ns,
                kernels_ns);
        for (const int64_t part_ns : work.parts_ns) fprintf(rows, " %lld", static_cast<long long>(part_ns));
        fputc('\n', rows);
        if ((role.copies || i + 1 == bursts) && !check(work, role, kernels))
            return fprintf(stderr, "neighbours: burst %ld has a wrong result\n", i), 4;
    }
    return fclose(rows);
}

}  // namespace neighbours
