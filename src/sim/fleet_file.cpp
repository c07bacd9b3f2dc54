// Reads fleets from TOML files.
#include "base/clock.h"
#include "sim/fleet.h"
#include "sim/toml_keys.h"

namespace xsched::sim {
namespace {

JobKind read_kind(TomlKeys keys) {
    JobKind kind;
    kind.name = keys.text("name", "job");
    kind.weight = keys.number("weight", 1);
    const std::string role = keys.text("role", "batch");
    if (role != "batch" && role != "urgent") keys.fail("role \"" + role + "\": there are urgent and batch");
    kind.urgent = role == "urgent";
    kind.gpus = static_cast<uint32_t>(keys.whole("gpus", 1, 1, 64));
    kind.lasts_ns = keys.times_ns("lasts", {base::kSecond * 600, base::kSecond * 7200});
    kind.memory_gb = keys.number("memory_gb", kind.memory_gb);
    kind.load = keys.number(kind.urgent ? "load" : "least_share", kind.load);
    kind.request_ms = keys.number("request_ms", kind.request_ms);
    kind.works_s = keys.number("works_s", kind.works_s);
    kind.rests_s = keys.number("rests_s", kind.rests_s);
    if (kind.weight <= 0 || kind.load < 0 || kind.load >= 1 || kind.request_ms <= 0 || kind.works_s <= 0 ||
        kind.rests_s < 0 || kind.memory_gb < 0)
        keys.fail("a job has a weight, a load from 0 to 1, and times above 0");
    if (kind.urgent && kind.gpus != 1) keys.fail("an urgent job has one GPU: write several jobs");
    keys.nothing_else();
    return kind;
}

FleetSpec fleet_of(const toml::table& root, const std::string& file) {
    TomlKeys keys(root, file);
    FleetSpec spec;
    spec.name = keys.text("name", file);
    spec.seed = static_cast<uint64_t>(keys.whole("seed", 1, 0, INT64_C(1) << 53));
    spec.lasts_ns = keys.time_ns("lasts", spec.lasts_ns);
    spec.jobs = static_cast<uint64_t>(keys.whole("jobs", 1000, 1, 100'000'000));
    spec.gpus_per_node = static_cast<uint32_t>(keys.whole("gpus_per_node", 8, 1, 64));
    spec.memory_gb = keys.number("memory_gb", spec.memory_gb);
    spec.day_swing = keys.number("day_swing", spec.day_swing);
    spec.p99_times = keys.number("p99_times", spec.p99_times);
    spec.within = keys.number("within", spec.within);
    spec.preempt_us = keys.number("preempt_us", spec.preempt_us);
    if (spec.p99_times < 1 || spec.within <= 0 || spec.within >= 1 || spec.day_swing < 0 || spec.day_swing > 1)
        keys.fail("p99_times is 1 or more, within and day_swing lie between 0 and 1");
    for (const TomlKeys& kind : keys.tables("job", "a fleet")) {
        spec.kinds.push_back(read_kind(kind));
        if (spec.kinds.back().gpus > spec.gpus_per_node) keys.fail("a job's GPUs are those of one node");
        if (spec.kinds.back().memory_gb > spec.memory_gb) keys.fail("a job needs more memory than a GPU has");
    }
    keys.nothing_else();
    return spec;
}

}  // namespace

FleetSpec read_fleet(const std::string& path) { return fleet_of(parse_toml_file(path), path); }

FleetSpec parse_fleet(const std::string& text, const std::string& name) {
    return fleet_of(parse_toml(text, name), name);
}

}  // namespace xsched::sim
