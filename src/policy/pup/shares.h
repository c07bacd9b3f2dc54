// The part of a device that each program should get: the part it asks for (share), and the part it may have at most
// (limit). Programs without a share divide what the others leave, in proportion to their utilization. If shares add up
// to more than 100 percent, all are reduced in proportion.
//
// Strict (SPUP): the share is also a limit, and is computed over all programs present, whether they want the device or
// not. Otherwise (PUP) time that a program does not use goes to the others. Pure; any thread.
#pragma once

#include <span>

#include "policy/up/partition.h"

namespace xsched::policy {

class Shares : public Rules {
public:
    explicit Shares(bool strict) : strict_(strict) {}

    Programs::By by() const final { return Programs::By::kAccount; }
    int64_t unit() const final { return kUnit; }
    void weigh(std::span<const Program> programs, std::span<Weight> weights) const final;
    int64_t saved_ns(const Program& program) const final { return kSavedSlices * program.timeslice_ns; }

private:
    static constexpr int64_t kUnit = 10'000;  // a whole device
    static constexpr int64_t kSavedSlices = 4;

    bool strict_;
};

template <bool strict>
struct SharesOf final : Shares {
    SharesOf() : Shares(strict) {}
};

template <bool strict>
using SharesPolicy = PartitionPolicy<SharesOf<strict>>;
inline constexpr uint32_t kShareHints =
    bits_of(base::HintId::share, base::HintId::utilization, base::HintId::timeslice_us);

}  // namespace xsched::policy
