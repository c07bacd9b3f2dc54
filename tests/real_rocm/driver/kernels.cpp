#include "kernels.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "device.h"
#include "memory.h"
#include "names.h"

namespace kfd {
namespace {

constexpr int64_t kSliceNs = 200'000;  // after which a suspension is noticed, at the latest
constexpr int64_t kLookNs = 5'000;     // how often a wait for a value looks
constexpr int64_t kShortNs = 2'000;    // what an empty kernel takes
constexpr int64_t kUsNs = 1000;
constexpr int64_t kStepNs = 4;         // of `busy`, whatever its grid

// Simulates a running kernel: takes the queue's GPU for `ns` in slices, and stands still while the queue is off. The
// kernel's results are stored after that.
void take_time(Queue& queue, int64_t ns) {
    while (ns > 0 && !queue.ends) {
        queue.works = true;
        if (queue.is_off()) {
            queue.works = false;
            wait_ns(kLookNs);
            continue;
        }
        const int64_t slice = ns < kSliceNs ? ns : kSliceNs;
        use_gpu(queue.gpu, slice);
        ns -= slice;
    }
}

bool has(const std::string& name, const char* part) { return name.find(part) != std::string::npos; }

// Arguments of the kernels for values in streams (hipStreamWaitValue32 and its like): the address of a 32-bit word or
// of a 64-bit word, and the value.
struct ValueArguments {
    uint64_t narrow, wide;
    uint64_t value;
    uint64_t condition;
    uint64_t mask;
};

bool is_reached(const ValueArguments& wait) {
    const uint64_t now = wait.narrow != 0 ? __atomic_load_n(at<uint32_t>(wait.narrow), __ATOMIC_ACQUIRE)
                                          : __atomic_load_n(at<uint64_t>(wait.wide), __ATOMIC_ACQUIRE);
    const uint64_t value = now & wait.mask;
    switch (wait.condition) {
        case 0: return static_cast<int64_t>(value - wait.value) >= 0;
        case 1: return value == wait.value;
        case 2: return (value & wait.value) != 0;
        default: return ~(value | wait.value) != 0;
    }
}

void wait_for_value(Queue& queue, const ValueArguments& wait) {
    while (!queue.ends && (queue.is_off() || !is_reached(wait))) wait_ns(kLookNs);
}

void write_value(const ValueArguments& write) {
    if (write.narrow != 0)
        __atomic_store_n(at<uint32_t>(write.narrow), static_cast<uint32_t>(write.value), __ATOMIC_RELEASE);
    else
        __atomic_store_n(at<uint64_t>(write.wide), write.value, __ATOMIC_RELEASE);
}

// The HIP runtime's parameters of an operation in hipStreamBatchMemOp; the value has 32 or 64 bits.
struct BatchOperation {
    uint32_t what, unused;
    uint64_t address, value;
    uint32_t flags;
    uint32_t rest[5];
};
enum : uint32_t { kWait32 = 1, kWrite32 = 2, kWait64 = 4, kWrite64 = 5 };

void batch(Queue& queue, const uint64_t* a) {
    const auto* each = at<BatchOperation>(a[0]);
    for (const auto* end = each + static_cast<uint32_t>(a[1]); each != end && !queue.ends; ++each) {
        const bool narrow = each->what == kWait32 || each->what == kWrite32;
        const uint64_t value = narrow ? static_cast<uint32_t>(each->value) : each->value;
        const ValueArguments one{narrow ? each->address : 0, narrow ? 0 : each->address, value, each->flags,
                                 narrow ? UINT32_MAX : UINT64_MAX};
        if (each->what == kWait32 || each->what == kWait64) wait_for_value(queue, one);
        if (each->what == kWrite32 || each->what == kWrite64) write_value(one);
    }
}

// --- the HIP runtime's copies and fills
void copy(const uint64_t* a, bool aligned) {
    say(2, "copy of %llu bytes from %llx (%p) to %llx (%p)", static_cast<unsigned long long>(a[aligned ? 4 : 2]),
        static_cast<unsigned long long>(a[0]), at<void>(a[0]), static_cast<unsigned long long>(a[1]), at<void>(a[1]));
    if (aligned)
        std::memcpy(at<char>(a[1]) + a[3], at<char>(a[0]) + a[2], a[4]);
    else
        std::memcpy(at<char>(a[1]), at<char>(a[0]), a[2]);
}

struct FillArguments {
    uint64_t begin, pattern;
    uint32_t pattern_bytes, alignment;
    uint64_t end;
};

void fill(const FillArguments& asked) {
    const uint64_t unit = uint64_t{asked.pattern_bytes} * asked.alignment;
    const char* pattern = at<char>(asked.pattern);
    char* place = at<char>(asked.begin);
    if (unit == 0) return;
    for (uint64_t i = 0; i + unit <= asked.end - asked.begin; i += unit) std::memcpy(place + i, pattern, unit);
}

// Copy kernels of the HSA runtime have no name. Their arguments are ends of stretches, source and destination in
// turn; the last ones are the ends of the whole copy.
void copy_unnamed(const uint64_t* a) {
    const auto fits = [a](int last) { return a[last] >= a[0] && a[last] - a[0] == a[last + 1] - a[1]; };
    const bool misaligned = fits(8) && a[6] >= a[0] && a[6] <= a[8];
    const int last = misaligned ? 8 : 4;
    if (!fits(last)) return say(0, "a copy without a name whose arguments are not known: nothing is copied");
    std::memcpy(at<char>(a[1]), at<char>(a[0]), a[last] - a[0]);
}

// --- of tests and benchmarks
// The kernel of tests and benchmarks computes x * 1664525 + 1013904223 again and again. This is the result of a number
// of such steps in one: x * factor + summand.
struct Steps {
    uint32_t factor = 1, summand = 0;
};
Steps composed(uint32_t steps) {
    Steps all, some{1664525u, 1013904223u};
    for (; steps != 0; steps >>= 1) {
        if ((steps & 1) != 0) all = {all.factor * some.factor, all.summand * some.factor + some.summand};
        some = {some.factor * some.factor, some.summand * some.factor + some.summand};
    }
    return all;
}

void busy(Queue& queue, const DispatchPacket& packet, const uint64_t* a) {
    const auto steps = static_cast<uint32_t>(a[1]);
    take_time(queue, steps * kStepNs);
    if (queue.ends) return;
    auto* state = at<uint32_t>(a[0]);
    const Steps all = composed(steps);  // not for each: a processor would be busy for longer than the GPU is to be
    for (uint32_t i = 0; i < packet.grid[0]; ++i) state[i] = state[i] * all.factor + all.summand;
}

// spin_and_count(ns, count): takes that long, then counts itself.
void spin_and_count(Queue& queue, const uint64_t* a) {
    take_time(queue, static_cast<int64_t>(a[0]));
    if (!queue.ends && a[1] != 0) __atomic_fetch_add(at<uint64_t>(a[1]), 1, __ATOMIC_ACQ_REL);
}

// add_one(values, count), of the documents' test 1.3.
void add_one(const DispatchPacket& packet, const uint64_t* a) {
    auto* values = at<int32_t>(a[0]);
    for (uint32_t i = 0; i < std::min(packet.grid[0], static_cast<uint32_t>(a[1])); ++i) ++values[i];
}

// Runs the order checker's kernels (tests/fake/cuda/builtin_kernels.cpp): words, a value or eight, or words to add, how
// many.
bool order(const std::string& name, const DispatchPacket& packet, const uint64_t* a) {
    const auto* lanes = reinterpret_cast<const uint32_t*>(a + 1);
    auto* words = at<uint32_t>(a[0]);
    if (name.starts_with("append_wide")) {
        const uint32_t sum = std::accumulate(lanes, lanes + 8, 0U);
        for (uint32_t i = 0; i < std::min(packet.grid[0], lanes[8]); ++i) words[i] = words[i] * 31 + sum;
    } else if (name.starts_with("append")) {
        for (uint32_t i = 0; i < std::min(packet.grid[0], lanes[1]); ++i) words[i] = words[i] * 31 + lanes[0];
    } else if (name.starts_with("mix")) {
        const auto* from = at<uint32_t>(a[1]);
        for (uint32_t i = 0; i < std::min(packet.grid[0], lanes[3]); ++i) words[i] = words[i] * 31 + from[i] + lanes[2];
    } else {
        return false;
    }
    return true;
}

bool run_own(Queue& queue, const std::string& name, const uint64_t* a) {
    if (has(name, "streamOpsWait")) return wait_for_value(queue, *reinterpret_cast<const ValueArguments*>(a)), true;
    if (has(name, "streamOpsWrite")) return write_value(*reinterpret_cast<const ValueArguments*>(a)), true;
    if (has(name, "batchMemOp")) return batch(queue, a), true;
    if (has(name, "copyBuffer") && !has(name, "Rect") && !has(name, "Image"))
        return copy(a, has(name, "Aligned")), true;
    if (has(name, "fillBufferAligned") && !has(name, "2D"))
        return fill(*reinterpret_cast<const FillArguments*>(a)), true;
    return has(name, "rocclr");
}

}  // namespace

namespace {
void run(Queue& queue, const DispatchPacket& packet) {
    const std::string name = name_of_kernel(packet.kernel);
    const auto* a = packet.arguments != 0 ? at<uint64_t>(packet.arguments) : nullptr;
    say(2, "queue %u: kernel %s", queue.id, name.empty() ? "without a name" : name.c_str());
    if (a == nullptr) return;
    if (name.empty()) return copy_unnamed(a);
    if (run_own(queue, name, a)) return;
    if (has(name, "busy")) return busy(queue, packet, a);
    if (has(name, "spin_and_count")) return spin_and_count(queue, a);
    if (has(name, "spin")) return take_time(queue, static_cast<uint32_t>(a[0]) * kUsNs);
    if (has(name, "add_one")) return add_one(packet, a);
    take_time(queue, kShortNs);  // the order checker's before they begin: what an interrupt may stop
    if (!queue.ends) order(name, packet, a);
}
}  // namespace

void run_kernel(Queue& queue, const DispatchPacket& packet) {
    run(queue, packet);
    queue.works = false;
}

}  // namespace kfd
