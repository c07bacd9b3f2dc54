// The cost of the hardware's switch from one process to another: how much longer a moment's kernel takes after another
// process has used the device than after that process has only been spoken to. Both processes wait for their kernels,
// so neither stands in the other's way.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "loops.h"
#include "probe/program.h"
#include "probe/trial.h"

namespace xsched::probe {
namespace {

constexpr int kMostRounds = 300;  // of a pair of kernels each; on an H200, 100 settle the median to a few microseconds
constexpr char kUse = 'u', kPass = 'p';
constexpr const char* kOther = "the program that takes turns with this one";

double kernel_us(busy::BusyDevice& device) {
    const int64_t begin = busy::now_ns();
    device.enqueue(1);
    device.finish();
    return static_cast<double>(busy::now_ns() - begin) / 1e3;
}

}  // namespace

// Runs until standard input ends. For each letter it either uses the device for a moment or does nothing, and then
// answers.
Json run_other(const Settings&) {
    busy::BusyDevice device("");
    kernel_us(device);
    busy::say_ready();
    for (int letter = getchar(); letter != EOF; letter = getchar()) {
        if (letter == kUse) kernel_us(device);
        busy::say_ready();
    }
    return {{"exact", device.state_is_right()}};
}

Json try_switch(const Settings& settings) {
    doing("starting a program that takes turns with this one");
    Program other("other", settings);
    other.wait_until_ready(kOther);
    busy::BusyDevice device("");
    kernel_us(device);
    doing("running a kernel after one of the other program");
    std::vector<double> after_other, after_none;
    const int64_t end = busy::now_ns() + static_cast<int64_t>(settings.seconds * 1e9);
    for (int round = 0; round < kMostRounds && (round < 2 || busy::now_ns() < end); ++round) {
        for (const char letter : {kUse, kPass}) {
            other.tell(letter);
            other.wait_until_ready(kOther);
            (letter == kUse ? after_other : after_none).push_back(kernel_us(device));
        }
    }
    const Json said = other.found(kOther);
    const double other_us = median(after_other), none_us = median(after_none);
    return {{"rounds", after_other.size()},
            {"after_other_us", other_us},
            {"after_none_us", none_us},
            {"switch_us", std::max(other_us - none_us, 0.0)},
            {"exact", device.state_is_right() && said.value("exact", false)}};
}

}  // namespace xsched::probe
