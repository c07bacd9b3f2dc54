#include "policy/pup/shares.h"

#include <algorithm>

namespace xsched::policy {

void Shares::weigh(std::span<const Program> programs, std::span<Weight> weights) const {
    int64_t asked = 0;
    int64_t others = 0;
    for (const Program& program : programs) {
        asked += program.share;
        if (program.share == 0) others += std::max(program.utilization, 1);
    }
    // Programs without a share keep at least this much together.
    const int64_t rest = std::max(kUnit - asked * (kUnit / 100), kUnit / 100);
    const int64_t whole = asked * (kUnit / 100) + (others != 0 ? rest : 0);
    for (size_t i = 0; i < programs.size(); ++i) {
        const Program& program = programs[i];
        const int64_t share =
            program.share != 0 ? program.share * (kUnit / 100) : rest * std::max(program.utilization, 1) / others;
        weights[i].weight = std::max<int64_t>(share, 1);
        if (!strict_) continue;
        const int64_t fair = whole > kUnit ? share * kUnit / whole : share;
        weights[i].limit = std::clamp<int64_t>(fair, 1, Weight::kNoLimit);
    }
}

}  // namespace xsched::policy
