// The options that srun, sbatch and salloc get: --xsched-priority and its like, each of which is a hint. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/hints.h"

namespace xsched::slurm {

struct JobOption {
    const char* name;  // after "--xsched-"
    base::HintId hint;
    const char* value;  // the word for its value in --help; null: it has none
    const char* help;
};

inline constexpr JobOption kJobOptions[] = {
    {"priority", base::HintId::priority, "N", "XSched: larger is more urgent, -255 to 255"},
    {"share", base::HintId::share, "PERCENT", "XSched: percent of each device that the job gets when it asks"},
    {"limit", base::HintId::limit, "PERCENT", "XSched: percent of each device that the job gets at most"},
    {"latency", base::HintId::slo_p99, "TARGET", "XSched: what 99 of 100 bursts may take: 5ms, or 1.3x of alone"},
    {"memory-limit", base::HintId::memory_limit, "SIZE", "XSched: memory of each device at most, such as 20GiB"},
    {"evictable", base::HintId::evictable, nullptr, "XSched: device memory may be moved to the host"},
};
inline constexpr size_t kJobOptionCount = sizeof(kJobOptions) / sizeof(kJobOptions[0]);

// The options of one job, as its user has written them.
class JobOptions {
public:
    // Takes an option's text; null for one without a value. Returns "", or a sentence for its user.
    std::string take(size_t option, const char* text);
    bool is_given(size_t option) const { return given_[option].has_value(); }
    bool is_given(base::HintId hint) const;
    // Sets the share of a job that asks for shards of devices, of which each device has 100. A share given by an
    // option takes precedence.
    void take_shards(const std::string& shards, const std::string& devices);
    void turn_off() { off_ = true; }
    bool is_off() const { return off_; }
    // Returns the words that start a program with these hints: xcli run ... -- PROGRAM.
    std::vector<std::string> command(const std::string& xcli, const std::vector<std::string>& program) const;

private:
    std::optional<int64_t> given_[kJobOptionCount];
    bool off_ = false;
};

}  // namespace xsched::slurm
