// The data of xcli top: each program and device, from consecutive answers to the server's command "programs". Rates are
// the server's, for the last second; only burst lengths and the small history need earlier answers. Users'
// names and command lines are read when a program is first seen. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/histogram.h"
#include "cli/server_link.h"

namespace xsched::cli {

struct TopRow {
    uint32_t client = 0;
    int64_t pid = 0;
    std::string program;
    std::string user;
    std::string place;  // pod, job or container; empty: none
    std::string command;  // its command line
    int64_t priority = 0;
    std::string state;  // a word of base/states.def
    int64_t share = 0;  // percent asked for, 0: none
    int64_t wanted = 0;  // of that and the utilization, what the policy goes by
    int64_t slo_p99 = 0;  // microseconds; below 0: percent of the time alone; 0: no target
    uint64_t memory_on_card = 0;  // bytes
    uint64_t memory_on_host = 0;  // bytes
    uint64_t memory_limit = 0;  // bytes; 0: none
    uint64_t memory_guarantee = 0;  // bytes
    uint64_t memory_swaps = 0;
    double memory_waited_ms = 0;
    double got = -1;  // percent of its devices in the last second; negative: not known yet
    double held = 0;  // percent of the last second
    double preemptions = 0;  // in the last second
    double burst_p50_ms = -1;  // of the last looks; without any, of all time; negative: no burst was watched
    double burst_p99_ms = -1;
    double command_ms = 0;
    std::vector<double> history;  // `got`, oldest first
    std::string device;  // the first
};

struct TopDevice {
    Json named;  // the device's entry of the first program that uses it
    double use = -1;  // percent, of all programs; negative: not known
    size_t programs = 0;
    size_t others = 0;  // programs of other users at work there, which have no rows
    std::string name() const;  // "device 0, NVIDIA H100 (cuda)"
};

enum class TopSort { kPid, kProgram, kPriority, kGot, kHeld, kPreemptions, kBurst };
const std::vector<std::string>& top_sort_words();  // by TopSort

class TopRows {
public:
    static constexpr size_t kLooks = 10;  // number of looks over which burst lengths are taken
    static constexpr size_t kHistory = 32;

    void take(const Json& answer);
    const std::vector<TopRow>& rows() const { return rows_; }
    const std::vector<TopDevice>& devices() const { return devices_; }
    const std::string& policy() const { return policy_; }

    // Returns the rows with `filter` in their name, command line, user, place or number, largest first (names and
    // numbers: smallest first).
    std::vector<TopRow> sorted(TopSort sort, bool reverse, const std::string& filter) const;

private:
    struct Past {
        std::deque<base::HistogramCounts> bursts;
        std::deque<double> history;
        bool seen = false;
        std::string user, place, command;
    };
    TopRow row_of(const Json& program);
    static void learn(const Json& program, Past& past);
    void add_bursts(TopRow& row, const Json& program, Past& past);
    void add_devices(const Json& program);

    std::map<uint32_t, Past> past_;
    std::vector<TopRow> rows_;
    std::vector<TopDevice> devices_;
    std::string policy_;
};

// Returns one row of the JSON form.
Json top_json(const TopRow& row);
// Returns the devices in the JSON form: "devices" of xcli top, of the page and of GET /api/v1/devices.
Json devices_json(const TopRows& rows);

}  // namespace xsched::cli
