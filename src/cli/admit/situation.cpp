#include "cli/admit/situation.h"

#include <algorithm>
#include <set>

namespace xsched::cli {
namespace {

bool read_quantiles(const Json& work, const char* member, WorkQuantiles& quantiles) {
    const Json list = work.value(member, Json::array());
    if (!list.is_array() || list.size() != quantiles.size()) return false;
    for (size_t i = 0; i < quantiles.size(); ++i) {
        if (!list[i].is_number()) return false;
        quantiles[i] = list[i].get<double>();
    }
    return std::is_sorted(quantiles.begin(), quantiles.end());
}

std::optional<KnownWork> work_in(const Json& entry) {
    const Json work = entry.value("work", Json());
    if (!work.is_object()) return std::nullopt;
    KnownWork known;
    known.endless = work.value("endless", false);
    known.assumed = work.value("assumed", false);
    const bool whole = read_quantiles(work, "command_us", known.command_us) &&
                       (known.endless || (read_quantiles(work, "request_us", known.request_us) &&
                                          read_quantiles(work, "rest_us", known.rest_us)));
    if (work.contains("burst_count") &&
        !(read_quantiles(work, "burst_count", known.burst_count) && read_quantiles(work, "pauses_us", known.pauses_us)))
        return std::nullopt;
    return whole ? std::optional(known) : std::nullopt;
}

// Returns the program's own hints, as far as the server tells them of programs.
std::map<std::string, int64_t> hints_in(const Json& entry) {
    std::map<std::string, int64_t> hints;
    for (const base::HintInfo& hint : base::kHints) {
        const Json value = hint.listed != nullptr ? entry.value(hint.listed, Json()) : Json();
        if (value.is_number_integer() && value != 0) hints[hint.name] = value.get<int64_t>();
    }
    return hints;
}

std::set<int64_t> devices_in(const Json& entry) {
    std::set<int64_t> devices;
    for (const Json& device : entry.value("devices", Json::array()))
        if (device.value("device_index", Json()).is_number()) devices.insert(device["device_index"].get<int64_t>());
    return devices;
}

int64_t chosen_device(const Json& programs, const Candidate& candidate) {
    if (candidate.device) return *candidate.device;
    std::set<int64_t> all;
    for (const Json& entry : programs.value("programs", Json::array())) all.merge(devices_in(entry));
    if (all.size() > 1)
        throw Failure(
            "programs run on several devices: say with --device on which one it is to run ('xcli list' shows "
            "their numbers)");
    return all.empty() ? 0 : *all.begin();
}

KnownProgram running(const Json& entry) {
    KnownProgram program;
    program.name = entry.value("program", "");
    program.pid = entry.value("pid", int64_t{0});
    program.work = work_in(entry);
    program.hints = hints_in(entry);
    program.level = std::clamp<int64_t>(entry.value("level", int64_t{3}), 1, 3);
    return program;
}

std::optional<KnownWork> known_of(const Json& answers, const std::string& program) {
    for (const Json& entry : answers.value("known", Json::array()))
        if (entry.value("program", "") == program) return work_in(entry);
    return std::nullopt;
}

// Adds the programs that were admitted and have not used the device yet.
void add_awaited(const Json& answers, std::vector<KnownProgram>& programs) {
    for (const Json& promise : answers.value("promises", Json::array())) {
        if (promise.value("promise", "") != "awaited") continue;
        KnownProgram& program = programs.emplace_back();
        program.name = promise.value("program", "");
        program.pid = promise.value("pid", int64_t{0});
        program.work = known_of(answers, program.name);
        program.hints = hints_in(promise.value("hints", Json::object()));
    }
}

}  // namespace

double quantile_of(const WorkQuantiles& quantiles, double part) {
    for (size_t i = 1; i < kWorkParts.size(); ++i) {
        if (part > kWorkParts[i]) continue;
        const double between = (part - kWorkParts[i - 1]) / (kWorkParts[i] - kWorkParts[i - 1]);
        return quantiles[i - 1] + between * (quantiles[i] - quantiles[i - 1]);
    }
    return quantiles.back();
}

double KnownProgram::target_us() const {
    const auto found = hints.find(kTargetHint.name);
    if (found == hints.end() || found->second == 0 || (work && work->endless)) return 0;
    if (found->second > 0) return static_cast<double>(found->second);
    if (!work) return 0;
    return quantile_of(work->request_us, 0.5) * static_cast<double>(-found->second) / 100;
}

std::string KnownProgram::called() const { return pid != 0 ? name + " (pid " + std::to_string(pid) + ")" : name; }

Situation situation_of(const Json& answers, const Candidate& candidate) {
    Situation situation;
    situation.policy = answers.value("policy", "HPF");
    for (const auto& [name, cost] : answers.value("device_costs", Json::object()).items())
        if (cost.is_number()) situation.costs_us[name] = cost.get<double>();
    const int64_t device = chosen_device(answers, candidate);
    situation.named_device = candidate.device;
    for (const Json& entry : answers.value("programs", Json::array())) {
        const std::set<int64_t> devices = devices_in(entry);
        if (entry.contains("devices") && !devices.contains(device)) continue;
        situation.programs.push_back(running(entry));
    }
    add_awaited(answers, situation.programs);
    for (const Json& entry : answers.value("known", Json::array()))
        situation.known.push_back(entry.value("program", ""));
    for (const KnownProgram& one : situation.programs)
        if (one.has_shown_work()) situation.known.push_back(one.name);
    KnownProgram& added = situation.programs.emplace_back();
    added.name = candidate.name;
    added.hints = candidate.hints;
    added.work = known_of(answers, candidate.name);
    // Several processes of one program work alike.
    for (const KnownProgram& one : situation.programs)
        if (!added.work && one.name == candidate.name && one.has_shown_work()) added.work = one.work;
    return situation;
}

}  // namespace xsched::cli
