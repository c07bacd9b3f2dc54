// Programs that load a Vulkan device, for measure.py. Each prints one line of JSON.
//
//   vulkan_load cost SECONDS             what a submit costs: alone with a wait, and many behind one another
//   vulkan_load busy SECONDS MS [ROUNDS [WIDTH]]  commands of so many milliseconds, two in flight; how many, and all
//                                        exact? WIDTH times as many workgroups (1), each of so many ROUNDS
//   vulkan_load frames SECONDS MS        60 frames a second of so many milliseconds each; how long each took
//   vulkan_load bursts SECONDS MS        the same at random, 5 to 30 ms after the one before
//   vulkan_load exact COMMANDS [ROUNDS]  commands of random steps, each of up to so many rounds (50), against a
//                                        sequential reference
//   vulkan_load forked COMMANDS          the same in a child, forked while the parent has a device, and in the parent
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <thread>
#include <vector>

#include "compute.h"

namespace {

using compute::Device;
using compute::Numbers;
using compute::Step;
using Clock = std::chrono::steady_clock;

constexpr double kAwakeMs = 300;
constexpr double kFrameMs = 1000.0 / 60;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double quantile(std::vector<double>& values, double part) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, static_cast<size_t>(part * static_cast<double>(values.size())))];
}

// Submits command buffers one at a time, and waits for each by a fence.
class Commands {
public:
    explicit Commands(uint32_t count) : numbers_(device_, count, 1), fence_(device_.fence()) {}
    ~Commands() { device_.destroy(fence_); }

    double run(VkCommandBuffer commands) {
        const auto begin = Clock::now();
        compute::submit(device_.queue(0), commands, fence_);
        device_.wait(fence_);
        return ms_since(begin);
    }
    // Returns how many rounds take so many milliseconds, once the device is awake: an idle H200 has a sixth of its
    // clock.
    uint32_t rounds_for(double ms) {
        const VkCommandBuffer wakes = numbers_.record({1, 0, 1024});
        for (const auto begin = Clock::now(); ms_since(begin) < kAwakeMs;) run(wakes);
        uint32_t rounds = 1024;
        for (;;) {
            const VkCommandBuffer commands = numbers_.record({1, 0, rounds});
            run(commands);
            const double took = std::min(run(commands), run(commands));
            if (took > ms / 4 || rounds > 1U << 28)
                return std::max(1U, static_cast<uint32_t>(rounds * std::max(ms, 0.01) / took));
            rounds *= 2;
        }
    }
    Device& device() { return device_; }
    Numbers& numbers() { return numbers_; }

private:
    Device device_;
    Numbers numbers_;
    VkFence fence_;
};

constexpr uint32_t kWide = 1 << 20;  // numbers of a command that fills a GPU

int cost(double seconds) {
    Commands all(64);
    const VkCommandBuffer commands = all.numbers().record({1, 0, 1});
    const VkQueue queue = all.device().queue(0);
    std::vector<double> call_us;
    std::vector<double> alone_us;
    std::vector<double> each_us;
    constexpr int kTogether = 200;
    const VkFence fence = all.device().fence();
    for (const auto begin = Clock::now(); ms_since(begin) < seconds * 1000;) {
        for (int i = 0; i < 50; ++i) alone_us.push_back(all.run(commands) * 1000);
        const auto first = Clock::now();
        for (int i = 0; i < kTogether; ++i) {
            const auto before = Clock::now();
            compute::submit(queue, commands, nullptr);
            call_us.push_back(ms_since(before) * 1000);
        }
        compute::submit(queue, nullptr, fence);
        all.device().wait(fence);
        each_us.push_back(ms_since(first) * 1000 / kTogether);
    }
    all.device().destroy(fence);
    printf("{\"device\": \"%s\", \"call_us\": %.3f, \"call_p99_us\": %.3f, \"alone_us\": %.3f, \"each_us\": %.3f}\n",
           all.device().name().c_str(), quantile(call_us, 0.5), quantile(call_us, 0.99), quantile(alone_us, 0.5),
           quantile(each_us, 0.5));
    return 0;
}

constexpr uint64_t kMostRounds = 1'000'000'000;  // that the host does again to check; it takes a second or two

int busy(double seconds, double ms, uint32_t rounds, uint32_t times_as_wide) {
    Commands all(kWide * times_as_wide);
    Step step{1664525, 1013904223, rounds != 0 ? rounds : all.rounds_for(ms)};
    const VkCommandBuffer commands = all.numbers().record(step);
    uint32_t value = all.numbers().values()[0];
    const VkFence fences[2] = {all.device().fence(), all.device().fence()};
    std::vector<double> took;
    uint32_t count = 0;
    const auto begin = Clock::now();
    compute::submit(all.device().queue(0), commands, fences[0]);
    while (ms_since(begin) < seconds * 1000) {
        compute::submit(all.device().queue(0), commands, fences[++count % 2]);
        all.device().wait(fences[(count + 1) % 2]);
    }
    all.device().wait(fences[count++ % 2]);
    const double lasted = ms_since(begin);
    const bool checked = uint64_t{count} * step.rounds <= kMostRounds;
    for (uint32_t i = 0; checked && i < count; ++i) value = compute::after(value, step);
    printf("{\"commands\": %u, \"per_second\": %.2f, \"rounds\": %u, \"wrong\": %d}\n", count, count * 1000 / lasted,
           step.rounds, checked ? static_cast<int>(all.numbers().wrong(value)) : -1);
    for (const VkFence fence : fences) all.device().destroy(fence);
    return 0;
}

int rounds(double ms) {
    printf("{\"rounds\": %u}\n", Commands(kWide).rounds_for(ms));
    return 0;
}

// Prints the times of frames or bursts, and the end of the line.
void print_times(std::vector<double>& took) {
    printf("\"p50_ms\": %.2f, \"p99_ms\": %.2f, \"most_ms\": %.2f}\n", quantile(took, 0.5), quantile(took, 0.99),
           quantile(took, 1));
}

int frames(double seconds, double ms, uint32_t rounds) {
    Commands all(kWide);
    const VkCommandBuffer commands = all.numbers().record({1, 0, rounds != 0 ? rounds : all.rounds_for(ms)});
    std::vector<double> took;
    uint32_t late = 0;
    const auto begin = Clock::now();
    int missed = 0;  // frames that were not even begun, since the one before was not finished
    for (int frame = 0; frame * kFrameMs < seconds * 1000; ++frame) {
        for (; ms_since(begin) > (frame + 1) * kFrameMs; ++frame) ++missed;
        std::this_thread::sleep_until(begin + std::chrono::duration_cast<Clock::duration>(
                                                  std::chrono::duration<double, std::milli>(frame * kFrameMs)));
        all.run(commands);
        const double since_due = ms_since(begin) - frame * kFrameMs;
        took.push_back(since_due);
        late += since_due > kFrameMs ? 1 : 0;
    }
    printf("{\"frames\": %zu, \"missed\": %d, \"late\": %u, ", took.size(), missed, late);
    print_times(took);
    return 0;
}

int bursts(double seconds, double ms, uint32_t rounds) {
    Commands all(kWide);
    const VkCommandBuffer commands = all.numbers().record({1, 0, rounds != 0 ? rounds : all.rounds_for(ms)});
    std::mt19937 random(11);
    std::uniform_real_distribution<double> pause_ms(5, 30);
    std::vector<double> took;
    for (const auto begin = Clock::now(); ms_since(begin) < seconds * 1000;) {
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(pause_ms(random)));
        took.push_back(all.run(commands));
    }
    printf("{\"bursts\": %zu, ", took.size());
    print_times(took);
    return 0;
}

int exact(uint32_t commands, uint32_t most_rounds = 50) {
    Commands all(4096);
    std::mt19937 random(7);
    uint32_t value = 1;
    const VkFence fence = all.device().fence();
    for (uint32_t i = 0; i < commands; ++i) {
        const auto drawn = [&random] { return static_cast<uint32_t>(random()); };
        const Step step{drawn() | 1, drawn(), 1 + drawn() % most_rounds};
        compute::submit(all.device().queue(0), all.numbers().record(step), nullptr);
        value = compute::after(value, step);
        if (i % 64 != 63 && i + 1 != commands) continue;
        compute::submit(all.device().queue(0), nullptr, fence);
        all.device().wait(fence);
        all.numbers().reset();
    }
    const uint32_t wrong = all.numbers().wrong(value);
    all.device().destroy(fence);
    printf("{\"commands\": %u, \"wrong\": %u}\n", commands, wrong);
    return wrong == 0 ? 0 : 1;
}

// Vulkan's objects must not be used in a forked child, so the child creates its own.
int forked(uint32_t commands) {
    Commands parents(64);
    parents.run(parents.numbers().record({1, 0, 1}));
    const pid_t child = fork();
    if (child == 0) {
        const int status = exact(commands);
        fflush(stdout);
        _exit(status);
    }
    int status = 0;
    if (exact(commands) != 0 || waitpid(child, &status, 0) != child) return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int run(int count, char** words) {
    const std::string what = count > 1 ? words[1] : "";
    const double first = count > 2 ? atof(words[2]) : 0;
    const double second = count > 3 ? atof(words[3]) : 0;
    if (what == "cost" && count == 3) return cost(first);
    const auto third = static_cast<uint32_t>(count > 4 ? atof(words[4]) : 0);
    if (what == "rounds" && count == 3) return rounds(first);
    if (what == "busy" && count >= 4)
        return busy(first, second, third, static_cast<uint32_t>(count > 5 ? atof(words[5]) : 1));
    if (what == "frames" && count >= 4) return frames(first, second, third);
    if (what == "bursts" && count >= 4) return bursts(first, second, third);
    if (what == "exact" && count == 3) return exact(static_cast<uint32_t>(first));
    if (what == "exact" && count == 4) return exact(static_cast<uint32_t>(first), static_cast<uint32_t>(second));
    if (what == "forked" && count == 3) return forked(static_cast<uint32_t>(first));
    fprintf(stderr,
            "vulkan_load: say cost SECONDS, rounds MS, busy, frames or bursts SECONDS MS [ROUNDS [WIDTH]], exact "
            "COMMANDS [ROUNDS], or forked COMMANDS\n");
    return 2;
}

}  // namespace

int main(int count, char** words) {
    try {
        return run(count, words);
    } catch (const std::exception& error) {
        fprintf(stderr, "vulkan_load: %s\n", error.what());
        return 1;
    }
}
