#include "sim/workload_file.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "ipc/recording.h"
#include "sim/toml_keys.h"

namespace xsched::sim {
namespace {

constexpr uint32_t kMostPrograms = 10'000;
constexpr uint32_t kMostQueues = 64;

CardSpec read_card(TomlKeys& keys) {
    CardSpec card{.bytes = keys.bytes("memory", 0)};
    card.out_gb_per_s = keys.number("memory_out_gb_per_s", card.out_gb_per_s);
    card.back_gb_per_s = keys.number("memory_back_gb_per_s", card.back_gb_per_s);
    if (card.out_gb_per_s <= 0 || card.back_gb_per_s <= 0) keys.fail("memory moves at a rate above 0");
    return card;
}

DeviceCosts read_costs(TomlKeys& keys) {
    DeviceCosts costs;
    const auto read = [&](const char* name, int64_t& cost) {
        cost = static_cast<int64_t>(std::llround(keys.number(name, static_cast<double>(cost) / 1e3) * 1e3));
        if (cost < 0 || cost > base::kSecond) keys.fail(std::string("\"") + name + "\" is to be from 0 to a second");
    };
#define XSIM_COST(name, microseconds, what) read(#name, costs.name);
#include "sim/costs.def"
#undef XSIM_COST
    return costs;
}

base::Hints read_hints(TomlKeys keys) {
    base::Hints hints;
    for (const base::HintInfo& hint : base::kHints) {
        if (hint.kind == base::HintKind::kTime) continue;  // times are not hints here: programs announce (announce_us)
        if (hint.kind == base::HintKind::kBytes)
            base::set_hint(hints, hint.id, static_cast<int64_t>(keys.bytes(hint.name, 0)));
        else
            base::set_hint(hints, hint.id,
                           keys.whole(hint.name, base::get_hint(hints, hint.id), hint.least, hint.most));
    }
    keys.nothing_else();
    return hints;
}

Phase read_phase(TomlKeys keys) {
    Phase phase{.rate_per_s = keys.number("rate_per_s", 0),
                .mean_ns = static_cast<double>(keys.time_ns("stays", base::kSecond))};
    keys.nothing_else();
    if (phase.rate_per_s < 0 || phase.mean_ns <= 0) keys.fail("a phase has a rate of 0 or more, and stays for a time");
    return phase;
}

void read_phases(TomlKeys& keys, Arrival& arrival) {
    const toml::array* phases = keys.list("phases");
    if (phases == nullptr || phases->empty())
        keys.fail("modulated arrivals have phases = [{rate_per_s, stays_ms}, ...]");
    for (const toml::node& phase : *phases) {
        if (!phase.is_table()) keys.fail("a phase is {rate_per_s, stays_ms}");
        arrival.phases.push_back(read_phase({*phase.as_table(), keys.file()}));
    }
    const auto comes = [](const Phase& phase) { return phase.rate_per_s > 0; };
    if (std::none_of(arrival.phases.begin(), arrival.phases.end(), comes)) keys.fail("no phase has a rate above 0");
}

Arrival read_arrival(TomlKeys keys) {
    Arrival arrival;
    const std::string kind = keys.text("kind", "closed");
    if (kind == "closed") {
        arrival.kind = ArrivalKind::kClosed;
        arrival.think_ns = keys.times_ns("think", {0, 0});
    } else if (kind == "periodic") {
        arrival.kind = ArrivalKind::kPeriodic;
        arrival.period_ns = keys.time_ns("period", 0);
        arrival.jitter_ns = keys.time_ns("jitter", 0);
        if (arrival.period_ns <= 0) keys.fail("periodic arrivals have a period_ms");
    } else if (kind == "poisson") {
        arrival.kind = ArrivalKind::kPoisson;
        arrival.phases = {{.rate_per_s = keys.number("rate_per_s", 0), .mean_ns = 1}};
        if (arrival.phases[0].rate_per_s <= 0) keys.fail("poisson arrivals have a rate_per_s above 0");
    } else if (kind == "modulated") {
        arrival.kind = ArrivalKind::kModulated;
        read_phases(keys, arrival);
    } else if (kind == "stream") {
        arrival.kind = ArrivalKind::kStream;
    } else {
        keys.fail("arrival \"" + kind + "\": there are closed, periodic, poisson, modulated and stream");
    }
    arrival.announce_ns = keys.time_ns("announce", 0);
    keys.nothing_else();
    return arrival;
}

Burst read_burst_keys(TomlKeys& keys) {
    Burst burst;
    burst.kernels = keys.range("kernels", {1, 1}, 1);
    burst.kernel_ns = keys.times_ns("kernel", burst.kernel_ns);
    burst.sync_every = keys.whole("sync_every", 0, 0, 1'000'000);
    burst.gap_ns = keys.times_ns("gap", {0, 0});
    burst.length_ns = keys.times_ns("length", {0, 0});
    burst.waits = keys.range("waits", {1, 1}, 1);
    burst.pauses_ns = keys.times_ns("pauses", {0, 0});
    if (burst.kernels.least < 1 || burst.kernel_ns.least < 1) keys.fail("a burst has kernels, and these take a time");
    return burst;
}

Burst read_burst(TomlKeys keys) {
    Burst burst = read_burst_keys(keys);
    keys.nothing_else();
    return burst;
}

Change read_change(TomlKeys keys) {
    Change change{.after = static_cast<uint32_t>(keys.whole("after", 1, 1, UINT32_MAX)),
                  .burst = read_burst_keys(keys)};
    keys.nothing_else();
    return change;
}

ProgramSpec read_program(TomlKeys keys, uint32_t devices) {
    ProgramSpec spec;
    spec.name = keys.text("name", "program");
    spec.count = static_cast<uint32_t>(keys.whole("count", 1, 1, kMostPrograms));
    spec.device = static_cast<uint32_t>(keys.whole("device", 0, 0, devices - 1));
    spec.queues = static_cast<uint32_t>(keys.whole("queues", 1, 1, kMostQueues));
    spec.level = static_cast<uint32_t>(keys.whole("level", 3, 1, 3));
    spec.depth = static_cast<uint32_t>(keys.whole("depth", 16, 1, 4096));
    spec.memory = keys.bytes("memory", 0);
    spec.burst_memory = keys.bytes("burst_memory", 0);
    spec.silent_waits = keys.whole("silent_waits", 0, 0, 1) != 0;
    spec.copies = static_cast<uint32_t>(keys.whole("copies", 0, 0, 100));
    spec.cold = keys.whole("cold", 0, 0, 1) != 0;
    spec.start_ns = keys.time_ns("start", 0);
    spec.end_ns = keys.time_ns("end", INT64_MAX);
    if (const toml::table* table = keys.sub("hints")) spec.hints = read_hints({*table, keys.file()});
    spec.hints.priority =
        static_cast<int32_t>(keys.whole("priority", spec.hints.priority, PRIORITY_NO_EXECUTE, PRIORITY_MAX));
    if (const toml::table* table = keys.sub("arrival")) spec.arrival = read_arrival({*table, keys.file()});
    if (const toml::table* table = keys.sub("burst")) spec.burst = read_burst({*table, keys.file()});
    if (const toml::table* table = keys.sub("change")) spec.change = read_change({*table, keys.file()});
    keys.nothing_else();
    return spec;
}

void check_memory(const Workload& workload, const TomlKeys& keys) {
    for (const ProgramSpec& spec : workload.programs)
        if (spec.memory + spec.burst_memory != 0 && workload.card.bytes == 0)
            keys.fail("program \"" + spec.name + "\" has memory, so the device has some: [device] memory = \"80GiB\"");
}

Workload workload_of(const toml::table& root, const std::string& file) {
    TomlKeys keys(root, file);
    Workload workload;
    workload.name = keys.text("name", file);
    workload.seed = static_cast<uint64_t>(keys.whole("seed", 1, 0, INT64_C(1) << 53));
    workload.duration_ns = keys.time_ns("duration", workload.duration_ns);
    workload.warm_up = static_cast<uint32_t>(keys.whole("warm_up", workload.warm_up, 0, 1'000'000));
    workload.devices = static_cast<uint32_t>(keys.whole("devices", 1, 1, 1024));
    workload.policy = keys.text("policy", workload.policy);
    workload.settings.starvation_limit_ns = keys.time_ns("starvation_limit", workload.settings.starvation_limit_ns);
    uint32_t& urgent_us = workload.settings.urgent_timeslice_us;
    urgent_us =
        static_cast<uint32_t>(keys.time_ns("urgent_timeslice", urgent_us * base::kMicrosecond) / base::kMicrosecond);
    workload.settings.foresight =
        static_cast<sched::Foresight>(keys.whole("foresight", static_cast<int64_t>(workload.settings.foresight), 0, 2));
    workload.meters = keys.whole("meters", 0, 0, 1) != 0;
    if (const toml::table* table = keys.sub("device")) {
        TomlKeys device(*table, file);
        workload.card = read_card(device);
        workload.costs = read_costs(device);
        device.nothing_else();
    }
    for (const TomlKeys& program : keys.tables("program", "a workload"))
        workload.programs.push_back(read_program(program, workload.devices));
    check_memory(workload, keys);
    keys.nothing_else();
    return workload;
}

}  // namespace

Workload read_workload(const std::string& path) {
    if (base::text_of_file(path).starts_with(ipc::kRecordingMagic))
        throw std::runtime_error(path + " is a recording of xcli record, and no workload: 'xsim replay " + path +
                                 "' simulates it");
    return workload_of(parse_toml_file(path), path);
}

Workload parse_workload(const std::string& text, const std::string& name) {
    return workload_of(parse_toml(text, name), name);
}

}  // namespace xsched::sim
