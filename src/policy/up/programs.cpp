#include "policy/up/programs.h"

#include <algorithm>

namespace xsched::policy {

bool Programs::see(std::span<const Unit> units, int64_t now_ns) {
    const int64_t passed_ns = now_ns - std::exchange(seen_ns_, now_ns);
    const bool regrouped = !same_members(units);
    if (regrouped) regroup(units);
    for (Program& program : programs_) program.id = 0;  // invalid until its first unit has come
    for (size_t i = 0; i < units.size(); ++i) join(units[i], members_[i]);
    for (size_t i = 0; i < programs_.size(); ++i) {
        if (!regrouped && (let_ == kAll || let_ == i)) uses_[i].could(passed_ns);
        programs_[i].used_ns = uses_[i].take();
        if (!programs_[i].ready) uses_[i].restart();
    }
    return regrouped;
}

bool Programs::same_members(std::span<const Unit> units) const {
    if (units.size() != members_.size()) return false;
    for (size_t i = 0; i < units.size(); ++i)
        if (units[i].id != members_[i].unit || key_of(units[i]) != members_[i].key) return false;
    return true;
}

void Programs::regroup(std::span<const Unit> units) {
    std::vector<std::pair<uint64_t, int64_t>> busy;
    for (const Member& member : members_) busy.emplace_back(member.unit, member.busy_ns);
    std::sort(busy.begin(), busy.end());
    const bool apart = by_ == By::kProgram && std::all_of(units.begin(), units.end(), [&units](const Unit& unit) {
                           return unit.process == units[0].process;
                       });
    members_.clear();
    std::vector<std::pair<uint64_t, size_t>> order;  // by program
    for (size_t i = 0; i < units.size(); ++i) {
        const auto known = std::lower_bound(busy.begin(), busy.end(), std::pair{units[i].id, INT64_MIN});
        const bool is_known = known != busy.end() && known->first == units[i].id;
        members_.push_back({units[i].id, key_of(units[i]), 0, is_known ? known->second : units[i].busy_ns, {}});
        order.emplace_back(apart ? i : key_of(units[i]), i);
    }
    std::sort(order.begin(), order.end());
    size_t count = 0;
    for (size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || order[i].first != order[i - 1].first) ++count;
        members_[order[i].second].program = count - 1;
    }
    programs_.assign(count, Program{});
    uses_.assign(count, base::SideBySide{});
    let_ = kAll;
}

// Adds a unit to its program, with the device time that it used since the last decision.
void Programs::join(const Unit& unit, Member& member) {
    Program& program = programs_[member.program];
    const int64_t used_ns =
        std::clamp<int64_t>(unit.busy_ns - std::exchange(member.busy_ns, unit.busy_ns), 0, kMostUsedNs);
    if (used_ns > 0) uses_[member.program].had(member.part, used_ns);
    if (program.id == 0) {
        program.id = program.wanting = unit.id;
        program.account = account_of(unit);
        program.process = unit.process;
        program.utilization = unit.utilization;
        program.priority = unit.priority;
        program.share = unit.share;
        program.limit = unit.limit;
        program.process_limit = unit.process_limit;
        program.command_ns = unit.command_ns;
        program.timeslice_ns = unit.timeslice_us * 1000;
        program.slo_p99 = unit.slo_p99;
        program.wants = unit.wants;
        program.ready = unit.ready;
        program.ready_since_ns = unit.ready_since_ns;
        return;
    }
    if (unit.wants && !program.wants) program.wanting = unit.id;
    program.id = std::min(program.id, unit.id);  // whatever their order
    program.wants |= unit.wants;
    if (unit.ready && (!program.ready || unit.ready_since_ns < program.ready_since_ns))
        program.ready_since_ns = unit.ready_since_ns;
    program.ready |= unit.ready;
    program.command_ns = std::max(program.command_ns, unit.command_ns);
    program.utilization = std::max(program.utilization, unit.utilization);
    program.priority = std::max(program.priority, unit.priority);
    program.share = std::max(program.share, unit.share);
    program.limit = base::merged<base::HintMerge::kTighter>(program.limit, unit.limit);
    program.process_limit = base::merged<base::HintMerge::kTighter>(program.process_limit, unit.process_limit);
    program.slo_p99 = base::merged<base::HintMerge::kTighter>(program.slo_p99, unit.slo_p99);
    program.timeslice_ns = std::max(program.timeslice_ns, unit.timeslice_us * 1000);
}

}  // namespace xsched::policy
