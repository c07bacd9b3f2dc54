#include "cli/top/rows.h"

#include <algorithm>

#include "base/time.h"
#include "cli/device_called.h"
#include "cli/explain/urgency.h"
#include "cli/hint_facts.h"
#include "cli/known_by.h"
#include "cli/program_facts.h"

namespace xsched::cli {
namespace {

base::HistogramCounts counts_of(const Json& lengths) {
    base::HistogramCounts counts;
    for (const Json& bucket : lengths.value("buckets", Json::array()))
        if (const auto at = bucket.at(0).get<size_t>(); at < counts.counts.size()) counts.counts[at] = bucket.at(1);
    return counts;
}

// Returns the number; null: it is negative, since it is not known.
Json known(double number) { return number >= 0 ? Json(number) : Json(); }

double largest(const TopRow& row, TopSort sort) {
    switch (sort) {
        case TopSort::kPriority: return static_cast<double>(row.priority);
        case TopSort::kGot: return row.got;
        case TopSort::kHeld: return row.held;
        case TopSort::kPreemptions: return row.preemptions;
        case TopSort::kBurst: return row.burst_p99_ms;
        default: return -static_cast<double>(row.pid);
    }
}

}  // namespace

const std::vector<std::string>& top_sort_words() {
    static const std::vector<std::string> kWords{"pid", "program", "priority", "got", "held", "preemptions", "burst"};
    return kWords;
}

void TopRows::take(const Json& answer) {
    policy_ = answer.value("policy", "");
    rows_.clear();
    devices_.clear();
    for (auto& [client, past] : past_) past.seen = false;
    for (const Json& program : answer["programs"]) {
        rows_.push_back(row_of(program));
        add_devices(program);
    }
    std::erase_if(past_, [](const auto& it) { return !it.second.seen; });
}

TopRow TopRows::row_of(const Json& program) {
    TopRow row;
    row.client = program.value("client", 0U);
    row.pid = program.value("pid", int64_t{0});
    row.program = program.value("program", "");
    row.priority = counted_priority(program);
    row.state = program.value("state", "");
    row.share = program.value("share", int64_t{0});
    row.wanted = wanted_percent(program, policy_);
    row.slo_p99 = program.value("slo_p99", int64_t{0});
    row.command_ms = program.value("command_ms", 0.0);
    row.memory_on_card = program.value("memory_on_card", uint64_t{0});
    row.memory_on_host = program.value("memory_on_host", uint64_t{0});
    row.memory_limit = program.value("memory_limit", uint64_t{0});
    row.memory_guarantee = program.value("memory_guarantee", uint64_t{0});
    row.memory_swaps = program.value("memory_swaps", uint64_t{0});
    row.memory_waited_ms = program.value("memory_waited_ms", 0.0);
    row.got = std::min(got_percent(program, 0), 999.0);
    const Json& second = program["held"].front();
    row.held = std::min(second.value("ms", 0.0) / 10, 100.0);
    row.preemptions = second.value("holds", 0.0);
    if (!program["devices"].empty()) row.device = program["devices"].front().value("device", "");
    Past& past = past_[row.client];
    if (past.command.empty()) learn(program, past);
    row.user = past.user;
    row.place = past.place;
    row.command = past.command;
    past.seen = true;
    add_bursts(row, program, past);
    past.history.push_back(std::max(row.got, 0.0));
    if (past.history.size() > kHistory) past.history.pop_front();
    row.history.assign(past.history.begin(), past.history.end());
    return row;
}

void TopRows::learn(const Json& program, Past& past) {
    past.user = user_name(program.value("uid", 0U));
    past.place = place_of(program.value("cgroup", ""));
    past.command = command_line_of(program.value("pid", int64_t{0}));
    if (past.command == "-") past.command = program.value("program", "");
}

void TopRows::add_bursts(TopRow& row, const Json& program, Past& past) {
    const base::HistogramCounts now = counts_of(program["bursts"]);
    base::HistogramCounts lately = now;
    if (!past.bursts.empty()) lately.subtract(past.bursts.front());
    past.bursts.push_back(now);
    if (past.bursts.size() > kLooks) past.bursts.pop_front();
    const base::HistogramCounts& told = lately.count() > 0 ? lately : now;
    if (told.count() == 0) return;
    row.burst_p50_ms = base::milliseconds(told.quantile(0.5));
    row.burst_p99_ms = base::milliseconds(told.quantile(0.99));
}

void TopRows::add_devices(const Json& program) {
    for (const Json& device : program["devices"]) {
        auto known = std::find_if(devices_.begin(), devices_.end(), [&](const TopDevice& it) {
            return it.named["device"] == device["device"] && it.named["platform"] == device["platform"];
        });
        const auto add = [&](const Json& got) {
            if (got.is_array() && !got.empty() && got[0].is_number())
                known->use = std::min(std::max(known->use, 0.0) + got[0].get<double>(), 100.0);
        };
        if (known == devices_.end()) {
            known = devices_.insert(devices_.end(), TopDevice{.named = device});
            known->others = device.value("others_at_work", size_t{0});
            add(device.value("others_got_percent", Json()));
        }
        ++known->programs;
        add(device["got_percent"]);
    }
}

std::vector<TopRow> TopRows::sorted(TopSort sort, bool reverse, const std::string& filter) const {
    std::vector<TopRow> rows;
    for (const TopRow& row : rows_)
        if (const std::string known_by = row.program + " " + row.command + " " + row.user + " " + row.place + " ";
            (known_by + std::to_string(row.pid)).find(filter) != std::string::npos)
            rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(), [&](const TopRow& one, const TopRow& other) {
        if (sort == TopSort::kProgram) return reverse ? other.program < one.program : one.program < other.program;
        const double a = largest(one, sort);
        const double b = largest(other, sort);
        return reverse ? a < b : a > b;
    });
    return rows;
}

std::string TopDevice::name() const { return device_called(named); }

Json devices_json(const TopRows& rows) {
    Json devices = Json::array();
    for (const TopDevice& device : rows.devices()) {
        Json entry{
            {"use_percent", known(device.use)}, {"programs", device.programs}, {"others_at_work", device.others}};
        for (const char* key : {"device", "device_index", "device_name", "platform"})
            entry[key] = device.named.value(key, Json());
        devices.push_back(std::move(entry));
    }
    return devices;
}

Json top_json(const TopRow& row) {
    return {{"pid", row.pid},
            {"client", row.client},
            {"program", row.program},
            {"user", row.user},
            {"place", row.place},
            {"command", row.command},
            {"device", row.device},
            {"priority", row.priority},
            {"state", row.state},
            {"share", row.share},
            {"slo_p99", row.slo_p99},
            {"memory_on_card", row.memory_on_card},
            {"memory_on_host", row.memory_on_host},
            {"memory_limit", row.memory_limit},
            {"memory_guarantee", row.memory_guarantee},
            {"memory_swaps", row.memory_swaps},
            {"memory_waited_ms", row.memory_waited_ms},
            {"got_percent", known(row.got)},
            {"held_percent", row.held},
            {"preemptions_per_s", row.preemptions},
            {"burst_p50_ms", known(row.burst_p50_ms)},
            {"burst_p99_ms", known(row.burst_p99_ms)},
            {"command_ms", row.command_ms}};
}

}  // namespace xsched::cli
