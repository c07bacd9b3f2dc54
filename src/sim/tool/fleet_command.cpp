// xsim fleet.
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "base/clock.h"
#include "console/fold.h"
#include "console/table.h"
#include "ipc/recording.h"
#include "sim/fleet.h"
#include "sim/tool/commands.h"
#include "sim/tool/numbers.h"

namespace xsched::sim::tool {
namespace {

nlohmann::json to_json(const FleetResult& result) {
    return {{"cap", result.cap},      {"peak_gpus", result.peak_gpus}, {"mean_gpus", result.mean_gpus},
            {"busy", result.busy},    {"late", result.late},           {"batch_times", result.batch_times},
            {"events", result.events}};
}

void add(console::Table& table, const std::string& name, const FleetResult& result) {
    table.add({name, std::to_string(result.peak_gpus), number(result.mean_gpus), percent(result.busy),
               number(result.late * 100, 2) + " %", number(result.batch_times, 2) + " x"});
}

bool is_recording(const std::string& path) {
    std::string magic(ipc::kRecordingMagic.size(), '\0');
    std::ifstream(path, std::ios::binary).read(magic.data(), static_cast<std::streamsize>(magic.size()));
    return magic == ipc::kRecordingMagic;
}

}  // namespace

int fleet_command(const FleetWords& words) {
    if (is_recording(words.files.front())) return recorded_command(words);
    if (words.files.size() > 1 || !words.rules.empty())
        throw std::runtime_error(words.files.front() +
                                 " is no recording of xcli record: several files, and --rules, are "
                                 "for recordings");
    FleetSpec spec = read_fleet(words.files.front());
    if (words.seed) spec.seed = *words.seed;
    const int64_t began_ns = base::now_ns();
    const FleetAnswer answer = answer_fleet(spec);
    const double took_s = static_cast<double>(base::now_ns() - began_ns) / 1e9;
    const double saved = 1 - static_cast<double>(answer.shared.peak_gpus) / static_cast<double>(answer.whole.peak_gpus);
    if (words.json) {
        nlohmann::json tried = nlohmann::json::array();
        for (const FleetResult& result : answer.tried) tried.push_back(to_json(result));
        const nlohmann::json all{{"fleet", spec.name},
                                 {"seed", spec.seed},
                                 {"jobs", spec.jobs},
                                 {"p99_times", spec.p99_times},
                                 {"within", spec.within},
                                 {"whole", to_json(answer.whole)},
                                 {"shared", to_json(answer.shared)},
                                 {"saved", saved},
                                 {"tried", tried},
                                 {"seconds", took_s}};
        printf("%s\n", all.dump(2).c_str());
        return 0;
    }
    console::Table table({"GPUs", ">peak", ">mean", ">busy", ">late requests", ">batch takes"});
    add(table, "whole", answer.whole);
    for (const FleetResult& result : answer.tried) add(table, "shared, cap " + number(result.cap, 2), result);
    printf(
        "%s: %llu jobs, seed %llu; late: while the p99 is beyond %.2f x alone, at most %.2f %% of requests may be\n\n"
        "%s\n",
        spec.name.c_str(), static_cast<unsigned long long>(spec.jobs), static_cast<unsigned long long>(spec.seed),
        spec.p99_times, (1 - spec.within) * 100, table.text().c_str());
    if (answer.shared.cap == 0) {
        printf("Sharing needs no fewer GPUs at this target.\n");
    } else {
        printf("With sharing %llu GPUs instead of %llu are enough (%.1f %% fewer), cap %.2f.\n",
               static_cast<unsigned long long>(answer.shared.peak_gpus),
               static_cast<unsigned long long>(answer.whole.peak_gpus), saved * 100, answer.shared.cap);
    }
    console::print_error("%zu days simulated in %.1f s\n", answer.tried.size() + 1, took_s);
    return 0;
}

}  // namespace xsched::sim::tool
