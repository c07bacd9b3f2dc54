#include "sim/property_memory.h"

#include <algorithm>
#include <vector>

#include "base/clock.h"

namespace xsched::sim {
namespace {

// The planner keeps memory away for a turn at most (2 s, sched/memory/memory_planner.h), and room for a second.
constexpr int64_t kWaitsForNs = 10 * base::kSecond;

std::string text_of(uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

void check_program(Program& program, const TellFailure& tell) {
    const base::Hints& hints = program.spec().hints;
    const ProcessMemory& memory = program.process().memory();
    const uint64_t all = memory.on_card() + memory.on_host();
    const auto guarantee = static_cast<uint64_t>(hints.memory_guarantee);
    const auto limit = static_cast<uint64_t>(hints.memory_limit);
    if (hints.evictable == 0 && memory.on_host() != 0)
        tell(program, "may not be moved, and has " + text_of(memory.on_host()) + " on the host");
    if (memory.on_card() < std::min(guarantee, all))
        tell(program, "has only " + text_of(memory.on_card()) + " of what it was guaranteed on the device");
    if (limit != 0 && all > limit) tell(program, "has " + text_of(all) + ", more than its limit");
}

}  // namespace

void check_memory(World& world, const TellFailure& tell) {
    std::vector<uint64_t> there(world.cards().size(), 0);
    std::vector<uint64_t> all(world.cards().size(), 0);
    for (const auto& program : world.programs()) {
        check_program(*program, tell);
        const ProcessMemory& memory = program->process().memory();
        there[program->spec().device] += memory.on_card();
        all[program->spec().device] += memory.on_card() + memory.on_host();
    }
    for (const auto& program : world.programs()) {
        const size_t at = program->spec().device;
        const uint64_t used = world.cards()[at].bytes() - world.cards()[at].free_bytes();
        if (used < there[at] || used > all[at])
            tell(*program, "is on a device that has " + text_of(used) + " in use, of programs with " +
                               text_of(there[at]) + " there");
    }
}

void check_waits_for_memory(World& world, const TellFailure& tell) {
    const auto waits = [](const auto& program) { return program->waits_for_memory(); };
    if (std::none_of(world.programs().begin(), world.programs().end(), waits)) return;
    world.run_until(world.now_ns() + kWaitsForNs);
    std::vector<uint64_t> wanted(world.cards().size(), 0);
    for (const auto& program : world.programs()) {
        const ProcessMemory& memory = program->process().memory();
        const uint64_t has = memory.on_card() + memory.on_host();
        const uint64_t most = program->spec().memory + program->spec().burst_memory;
        wanted[program->spec().device] += program->waits_for_memory() ? most : has;
    }
    for (const auto& program : world.programs())
        if (waits(program) && wanted[program->spec().device] <= world.cards()[program->spec().device].bytes())
            tell(*program, "waits for memory, and there is room");
}

}  // namespace xsched::sim
