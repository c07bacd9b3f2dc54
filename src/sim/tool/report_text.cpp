#include "sim/tool/report_text.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "console/table.h"
#include "sim/tool/numbers.h"

namespace xsched::sim::tool {
namespace {

std::string hex(uint64_t number) {
    char text[32];
    snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(number));
    return text;
}

double off(const MeterError& meter) {
    return meter.true_ns > 0 ? static_cast<double>(meter.said_ns) / static_cast<double>(meter.true_ns) - 1 : 0;
}

double mean(const MeterError& meter) {
    return meter.samples > 0 ? meter.relative / static_cast<double>(meter.samples) : 0;
}

double gib(uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

double seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

std::string memory_text(const std::vector<Report>& reports) {
    console::Table table({"memory", ">policy", ">GiB on the device", ">on the host", ">swaps", ">GiB moved",
                          ">waited s", ">GiB refused"});
    for (size_t at = 0; at < reports[0].programs.size(); ++at) {
        for (const Report& report : reports) {
            const ProgramReport& program = report.programs[at];
            table.add({program.name, report.title, number(program.on_card_gib), number(program.on_host_gib),
                       std::to_string(program.memory.swaps), number(gib(program.memory.moved_bytes)),
                       number(seconds(program.memory.waited_ns)), number(gib(program.memory.refused_bytes))});
        }
    }
    return "\n" + table.text();
}

std::string device_text(const Workload& workload, const std::vector<Report>& reports) {
    std::vector<std::string> heads{"device", ">policy", ">busy", ">switching", ">switches"};
    const bool has_memory = workload.card.bytes != 0;
    if (has_memory) heads.insert(heads.end(), {">memory moves", ">GiB used at most"});
    console::Table devices(heads);
    for (size_t at = 0; !reports.empty() && at < reports[0].devices.size(); ++at) {
        for (const Report& report : reports) {
            const DeviceReport& device = report.devices[at];
            std::vector<std::string> row{std::to_string(at), report.title, percent(device.busy),
                                         percent(device.switching), std::to_string(device.switches)};
            if (has_memory) row.insert(row.end(), {percent(device.memory_moving), number(device.most_used_gib)});
            devices.add(row);
        }
    }
    return devices.text();
}

std::string meter_text(const ProgramReport& program) {
    const MeterError& meter = program.meter;
    return program.name + ": its meter has " + percent(1 + off(meter)) +
           " of its device time; lengths of commands are " + percent(mean(meter)) + " off in the mean, " +
           percent(meter.most) + " at most\n";
}

nlohmann::json program_json(const ProgramReport& program) {
    return {{"name", program.name},
            {"bursts", program.bursts},
            {"latency_us",
             {{"count", program.latency.count()},
              {"p50", program.latency.p50_us()},
              {"p95", program.latency.p95_us()},
              {"p99", program.latency.p99_us()},
              {"max", program.latency.max_us()}}},
            {"kernels_per_s", program.kernels_per_s},
            {"share", program.share},
            {"interrupts", program.interrupts},
            {"meter",
             {{"device_time", off(program.meter)}, {"lengths", mean(program.meter)}, {"most", program.meter.most}}},
            {"memory",
             {{"on_card_gib", program.on_card_gib},
              {"on_host_gib", program.on_host_gib},
              {"swaps", program.memory.swaps},
              {"moved_gib", gib(program.memory.moved_bytes)},
              {"moving_s", seconds(program.memory.moving_ns)},
              {"waited_s", seconds(program.memory.waited_ns)},
              {"refused_gib", gib(program.memory.refused_bytes)}}},
            {"says", program.says}};
}

nlohmann::json one_json(const Report& report) {
    nlohmann::json programs = nlohmann::json::array();
    for (const ProgramReport& program : report.programs) programs.push_back(program_json(program));
    nlohmann::json devices = nlohmann::json::array();
    for (const DeviceReport& device : report.devices)
        devices.push_back({{"busy", device.busy},
                           {"switching", device.switching},
                           {"switches", device.switches},
                           {"memory_moving", device.memory_moving},
                           {"most_used_gib", device.most_used_gib}});
    return {{"policy", report.title},         {"simulated_s", report.simulated_s},
            {"events", report.events},        {"passes", report.passes},
            {"decisions", report.decisions},  {"hash", hex(report.hash)},
            {"programs", programs},           {"devices", devices},
            {"thrown_out", report.thrown_out}};
}

}  // namespace

// Says under which policy a replayed recording was made, and what to do if no run has that one. Empty: not known.
std::string recorded_text(const Workload& workload, const std::vector<Report>& reports) {
    const std::string& policy = workload.recorded_policy;
    if (policy.empty()) return "";
    std::string others;
    for (const Report& report : reports) {
        if (base::same_word(report.title.c_str(), policy.c_str())) return "recorded under policy " + policy + "\n";
        others += (others.empty() ? "" : ", ") + report.title;
    }
    return "recorded under policy " + policy + ", simulated under " + others + ": --policy " + policy +
           " simulates the recorded one\n";
}

std::string report_text(const Workload& workload, const std::vector<Report>& reports) {
    console::Table programs(
        {"program", ">policy", ">bursts", ">p50 us", ">p95 us", ">p99 us", ">max us", ">kernels/s", ">share"});
    const size_t count = reports.empty() ? 0 : reports[0].programs.size();
    for (size_t at = 0; at < count; ++at) {
        for (const Report& report : reports) {
            const ProgramReport& program = report.programs[at];
            const Latency& latency = program.latency;
            const auto time = [&](double us) { return latency.count() != 0 ? number(us) : std::string("-"); };
            programs.add({program.name, report.title, std::to_string(program.bursts), time(latency.p50_us()),
                          time(latency.p95_us()), time(latency.p99_us()), time(latency.max_us()),
                          number(program.kernels_per_s), percent(program.share)});
        }
    }
    std::string text = workload.name + ": " + number(static_cast<double>(workload.duration_ns) / 1e9) + " s, seed " +
                       std::to_string(workload.seed) + "\n" + recorded_text(workload, reports) + "\n" +
                       programs.text() + "\n" + device_text(workload, reports);
    if (workload.card.bytes != 0 && !reports.empty()) text += memory_text(reports);
    if (workload.meters) text += "\n";
    for (const Report& report : reports)
        for (const ProgramReport& program : report.programs)
            if (workload.meters && program.meter.samples > 0) text += meter_text(program);
    for (const Report& report : reports)
        for (const ProgramReport& program : report.programs)
            if (!program.says.empty()) text += "\n" + program.name + ": " + program.says + "\n";
    for (const Report& report : reports) {
        if (report.thrown_out.empty()) continue;
        text += "\nnote: policy " + report.thrown_out + " let no unit with work run for a second; HPF took over\n";
    }
    return text;
}

nlohmann::json report_json(const Workload& workload, const std::vector<Report>& reports) {
    nlohmann::json runs = nlohmann::json::array();
    for (const Report& report : reports) runs.push_back(one_json(report));
    nlohmann::json answer{{"workload", workload.name}, {"seed", workload.seed}, {"runs", runs}};
    if (!workload.recorded_policy.empty()) answer["recorded_policy"] = workload.recorded_policy;
    return answer;
}

}  // namespace xsched::sim::tool
