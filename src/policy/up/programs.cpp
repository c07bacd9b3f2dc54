#include "policy/up/programs.h"

#include <algorithm>
#include <utility>

namespace xsched::policy {

void Programs::see(std::span<const Unit> units, int64_t now_ns) {
    const bool one_process =
        std::all_of(units.begin(), units.end(), [&units](const Unit& unit) { return unit.pid == units[0].pid; });
    programs_.clear();
    program_of_.clear();
    for (Use& use : uses_) use.here = false;
    for (const Unit& unit : units) {
        Program& program = program_of(unit, one_process);
        program_of_.push_back(static_cast<size_t>(&program - programs_.data()));
        const int64_t used_ns = used_by(unit);
        program.used_ns += used_ns;
        program.most_ns = std::max(program.most_ns, used_ns);
    }
    std::erase_if(uses_, [](const Use& use) { return !use.here; });
    // Streams that run side by side use the device once.
    const int64_t passed_ns = now_ns - std::exchange(seen_ns_, now_ns);
    for (Program& program : programs_)
        program.used_ns = std::min(program.used_ns, std::max(program.most_ns, passed_ns));
}

uint64_t Programs::wanting(uint64_t program) const {
    for (const Program& known : programs_)
        if (known.unit.id == program) return known.wanting;
    return program;
}

Program& Programs::program_of(const Unit& unit, bool one_process) {
    const auto known = one_process ? programs_.end()
                                   : std::find_if(programs_.begin(), programs_.end(), [&unit](const Program& program) {
                                         return program.unit.pid == unit.pid;
                                     });
    if (known == programs_.end()) return programs_.emplace_back(Program{.unit = unit, .wanting = unit.id});
    if (unit.wants && !known->unit.wants) known->wanting = unit.id;
    known->unit.wants |= unit.wants;
    known->unit.utilization = std::max(known->unit.utilization, unit.utilization);
    known->unit.timeslice_us = std::max(known->unit.timeslice_us, unit.timeslice_us);
    return *known;
}

// Since the last decision.
int64_t Programs::used_by(const Unit& unit) {
    for (Use& use : uses_) {
        if (use.unit != unit.id) continue;
        use.here = true;
        return std::max<int64_t>(unit.busy_ns - std::exchange(use.busy_ns, unit.busy_ns), 0);
    }
    uses_.push_back({.unit = unit.id, .busy_ns = unit.busy_ns, .here = true});
    return 0;
}

}  // namespace xsched::policy
