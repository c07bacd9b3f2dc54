// Completely fair scheduler: see README.md.
#include <algorithm>
#include <array>

#include "policy/policy.h"
#include "policy/up/partition.h"

namespace xsched::policy {
namespace {

constexpr int kMostPriority = 30;  // higher priorities count as this one
constexpr int64_t kUnit = 1 << 16;  // the weight of priority 0
constexpr int64_t kSlicesOfTurn = 5;  // with these a turn takes 1 ms, unless a timeslice is set

// Returns 1.2 to the power of each priority.
constexpr std::array<int64_t, 2 * kMostPriority + 1> make_weights() {
    std::array<int64_t, 2 * kMostPriority + 1> weights{};
    double up = 1;
    double down = 1;
    for (int i = 0; i <= kMostPriority; ++i, up *= 1.2, down /= 1.2) {
        weights[static_cast<size_t>(kMostPriority) + static_cast<size_t>(i)] = static_cast<int64_t>(up * kUnit);
        weights[static_cast<size_t>(kMostPriority) - static_cast<size_t>(i)] = static_cast<int64_t>(down * kUnit);
    }
    return weights;
}
constexpr auto kWeights = make_weights();

constexpr int counted(int32_t priority) { return std::clamp(priority, -kMostPriority, kMostPriority); }

class Fair final : public Rules {
public:
    Programs::By by() const override { return Programs::By::kProcess; }
    int64_t unit() const override { return kUnit; }
    void weigh(std::span<const Program> programs, std::span<Weight> weights) const override {
        for (size_t i = 0; i < programs.size(); ++i) {
            const int above_least = counted(programs[i].priority) + kMostPriority;
            weights[i].weight = kWeights[static_cast<size_t>(above_least)];
        }
    }
    int64_t turn_ns(const Program& program) const override { return program.timeslice_ns / kSlicesOfTurn; }
    // A program that has slept goes first for one turn, but is not repaid all the time that it slept.
    int64_t saved_ns(const Program& program) const override { return turn_ns(program); }
};

class Cfs final : public PartitionPolicy<Fair> {
public:
    bool tell(std::span<const Unit> units, std::span<Note> notes) const override {
        for (size_t i = 0; i < units.size(); ++i)
            if (const int32_t counts = counted(units[i].priority); counts != units[i].priority)
                notes[i] = {.code = NoteCode::kCappedPriority, .first = counts};
        return true;
    }
};

}  // namespace

XSCHED_POLICY(
    Cfs, "CFS", kPolicyCompletelyFairScheduler, bits_of(base::HintId::priority, base::HintId::timeslice_us),
    "completely fair: on each device the unit that has had least of it runs; each priority weighs 1.2 times the one "
    "below");

}  // namespace xsched::policy
