// xsim fleet with recordings of nodes.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "console/table.h"
#include "sim/recorded_fleet.h"
#include "sim/replay.h"
#include "sim/tool/commands.h"
#include "sim/tool/numbers.h"

namespace xsched::sim::tool {
namespace {

std::string times(double us, double alone_us) { return us > 0 && alone_us > 0 ? number(us / alone_us, 1) + " x" : "-"; }

nlohmann::json to_json(const RecordedProgram& program) {
    return {{"program", program.name},
            {"jobs", program.jobs},
            {"works", program.works},
            {"alone_p99_us", program.alone_us},
            {"class", program.job_class->name},
            {"highest_priority", program.job_class->ceiling},
            {"priority", program.job_class->priority},
            {"share", program.share},
            {"recorded", {{"p99_us", program.p99_us[0]}, {"gpus", program.gpus[0]}}},
            {"in_classes", {{"p99_us", program.p99_us[1]}, {"gpus", program.gpus[1]}}}};
}

std::string table_of(const RecordedFleet& fleet) {
    console::Table table({"PROGRAM", ">JOBS", ">WORKS", ">P99 ALONE", "CLASS", ">CEILING", ">SHARE", ">P99 RECORDED",
                          ">P99 IN CLASS", ">GPUS RECORDED", ">GPUS IN CLASS"});
    for (const RecordedProgram& program : fleet.programs)
        table.add({program.name, std::to_string(program.jobs), percent(program.works),
                   program.alone_us > 0 ? number(program.alone_us / 1e3, 2) + " ms" : "-", program.job_class->name,
                   std::to_string(program.job_class->ceiling),
                   program.share > 0 ? std::to_string(program.share) + " %" : "-",
                   times(program.p99_us[0], program.alone_us), times(program.p99_us[1], program.alone_us),
                   number(program.gpus[0], 2), number(program.gpus[1], 2)});
    return table.text();
}

// Rules by program (docs/CONFIG.md) that give each program the priority and share of its class.
void write_rules(const std::string& path, const RecordedFleet& fleet) {
    std::ofstream file(path);
    for (const RecordedProgram& program : fleet.programs) {
        std::string name = program.name;
        std::replace(name.begin(), name.end(), '"', '?');
        std::replace(name.begin(), name.end(), '\\', '?');
        file << "[[rule]]\nname = \"" << name << "\"\npriority = " << program.job_class->priority << "\n";
        if (program.share > 0) file << "share = " << program.share << "\n";
        file << "\n";
    }
    file.close();
    if (!file) throw std::runtime_error(path + " cannot be written");
}

}  // namespace

int recorded_command(const FleetWords& words) {
    std::vector<ipc::Recording> nodes;
    for (const std::string& file : words.files) {
        nodes.push_back(read_recording_file(file));
        if (nodes.back().changes.empty())
            throw std::runtime_error(file +
                                     " has no work of any queue: record while programs of different priorities run, "
                                     "or under the policy OBSERVE, which follows all");
    }
    const RecordedFleet fleet = answer_recorded(nodes, words.seed.value_or(1));
    if (!words.rules.empty()) write_rules(words.rules, fleet);
    if (words.json) {
        nlohmann::json programs = nlohmann::json::array();
        for (const RecordedProgram& program : fleet.programs) programs.push_back(to_json(program));
        const nlohmann::json all{{"nodes", fleet.nodes},
                                 {"devices", fleet.devices},
                                 {"hours", fleet.hours},
                                 {"lost", fleet.lost},
                                 {"programs", programs}};
        printf("%s\n", all.dump(2).c_str());
        return 0;
    }
    printf("%llu nodes, %llu GPUs, %.2f hours; %llu entries lost\n\n%s\n", static_cast<unsigned long long>(fleet.nodes),
           static_cast<unsigned long long>(fleet.devices), fleet.hours, static_cast<unsigned long long>(fleet.lost),
           table_of(fleet).c_str());
    printf(
        "P99 in multiples of its work alone, and GPUs at work: replays with the recorded priorities, and with those "
        "of the classes.\n");
    for (const JobClass* one : {&kUrgentClass, &kSharedClass, &kBatchClass})
        printf("%s: Kubernetes: xsched-%s; Slurm: qos/%s:highest-priority=%d; a rule: priority = %d\n", one->name,
               one->name, one->name, one->ceiling, one->priority);
    return 0;
}

}  // namespace xsched::sim::tool
