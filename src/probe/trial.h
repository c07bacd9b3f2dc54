// The building blocks of a probe. A probe is a program that xcli doctor --run starts, one for each platform; each of
// its trials tries one thing of the vendor's runtime and prints what it found as one line of JSON. Trials may hang or
// crash: xcli bounds their time, and only this process is lost. One thread, but for what a trial starts itself.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace xsched::probe {

using Json = nlohmann::json;

// The settings of a probe: --name VALUE pairs.
struct Settings {
    double seconds = 1;        // --seconds: length of a measurement
    double steps_per_ms = 0;   // --steps-per-ms: speed of the kernel; 0: measure it now
    std::string way;           // --way: one of the ways that the trial knows
};

struct Trial {
    const char* name;
    Json (*run)(const Settings& settings);  // throws std::exception with a sentence
};

// The platform's trials; the last one has no name.
extern const Trial kTrials[];

// Says on standard error which call is about to be made. If the probe hangs, xcli names that call.
void doing(const char* what);

inline void sleep_ms(double ms) { std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms)); }
inline double ms_between(int64_t begin_ns, int64_t end_ns) { return static_cast<double>(end_ns - begin_ns) / 1e6; }

// Returns the median of at least one value.
inline double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// The trials that every platform has (over its BusyDevice).
Json try_device(const Settings& settings);
Json try_suspension(const Settings& settings);
Json try_job(const Settings& settings);
Json try_switch(const Settings& settings);
Json run_other(const Settings& settings);
Json run_urgent(const Settings& settings);
Json run_victim(const Settings& settings);

}  // namespace xsched::probe
