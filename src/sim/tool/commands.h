// The commands of xsim. They throw std::runtime_error with a sentence for people. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace xsched::sim::tool {

struct RunWords {
    std::string file;
    std::vector<std::string> policies;
    bool meters = false;
    std::string device;  // a file of xcli doctor --run with a device's costs; empty: the workload's own costs
    std::optional<uint64_t> seed;
    std::optional<double> duration_s;
    bool native = false;
    bool speed = false;
    std::string trace;
    std::string record;
    bool replay = false;  // `file` is a recording
    bool json = false;
};
int run_command(const RunWords& words);

struct PropertyWords {
    std::optional<uint64_t> seed;  // this one alone
    uint64_t first = 1;
    uint64_t seeds = 100;
    double client_hours = 0;  // simulated client hours to reach, instead of a number of seeds
    bool sparse = false;
    bool brief = false;
    std::string policy;  // empty: the seed chooses
    bool json = false;
};
int property_command(const PropertyWords& words);

struct FitWords {
    std::string file;
    double low_ms = 0.3;  // length of the kernels beside which the costs are fitted
    double within = 0;    // percent; exit with status 1 if an error is larger; 0: never
    bool json = false;
};
int fit_command(const FitWords& words);

struct FleetWords {
    std::vector<std::string> files;  // a fleet, or a recording of each node
    std::string rules;  // write rules by program to this file
    std::optional<uint64_t> seed;
    bool json = false;
};
int fleet_command(const FleetWords& words);
// Answers for recordings.
int recorded_command(const FleetWords& words);

// Prints the work of the programs in a recording as JSON, for xcli admit.
int work_command(const std::string& recording);

struct AblateWords {
    std::vector<std::string> rules;  // these alone
    std::string workload;  // only workloads with this text in their names
    std::optional<uint64_t> seed;
    bool table = false;  // print only the figures of the workloads with all rules
    std::string against;  // compare with this table, which another build wrote
    size_t most = 3;  // most workloads that are printed for each rule
    bool json = false;
};
int ablate_command(const AblateWords& words);

}  // namespace xsched::sim::tool
