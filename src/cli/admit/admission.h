// Judges a simulation of the programs of a device: are all promises kept with the one to be admitted? Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/admit/situation.h"

namespace xsched::cli {

struct Prediction {
    std::string program;
    int64_t pid = 0;
    double target_us = 0;
    double p99_us = 0;  // 0: it would hardly get the device
    bool keeps = false;
};

struct Admission {
    enum class Kind : uint8_t { kAdmitted, kRefused, kUnknown };
    Kind kind = Kind::kUnknown;
    std::string sentence;
    std::vector<Prediction> predictions;  // of programs with targets
    std::string advice = "";  // what to do if too little is known
    bool waiting_helps = true;  // false: no other program's end can change the verdict

    std::string with_advice() const { return advice.empty() ? sentence : sentence + ": " + advice; }
};
const char* word_of(Admission::Kind kind);

// Returns a verdict if nothing needs to be simulated: too little is known, or no program has a target.
std::optional<Admission> judge_without_simulation(const Situation& situation);
// `simulated`: what `xsim run --json` printed for the situation's workload.
Admission judge(const Situation& situation, const Json& simulated);

}  // namespace xsched::cli
