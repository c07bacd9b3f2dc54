// Where jobs of a fleet go: GPUs in nodes, opened as they are needed. Of those with room the fullest is taken (best
// fit), so that others become free. One thread.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim/fleet_spec.h"

namespace xsched::sim {

struct Gpu {
    double mean_load = 0;   // of its urgent jobs, all times
    double least_share = 0; // that its batch job asks for
    double memory_gb = 0;   // in use
    uint32_t jobs = 0;
    uint32_t batch = 0;     // number of its batch job + 1; 0: none
    std::vector<uint32_t> urgent;
    double load_now = 0;    // of its urgent jobs at work
};

class FleetPlaces {
public:
    FleetPlaces(const FleetSpec& spec, double cap);

    std::vector<Gpu>& gpus() { return gpus_; }
    uint64_t in_use() const { return in_use_; }
    // Where a job goes; a new node if no other has room. Then it is counted there.
    std::vector<uint32_t> find(const JobKind& kind) { return kind.gpus == 1 ? find_one(kind) : find_in_a_node(kind); }
    void take(const JobKind& kind, uint32_t job, const std::vector<uint32_t>& places);
    void leave(const JobKind& kind, uint32_t job, const std::vector<uint32_t>& places);

    static double mean_load(const JobKind& kind) {
        return kind.urgent ? kind.load * kind.works_s / (kind.works_s + kind.rests_s) : 0;
    }

private:
    bool has_room(const Gpu& gpu, const JobKind& kind) const;
    using ByLoad = std::set<std::pair<double, uint32_t>>;
    // The lists that it belongs to: those with room for the least of a role.
    void list(uint32_t gpu);
    void unlist(uint32_t gpu);
    std::vector<uint32_t> find_one(const JobKind& kind);
    std::vector<uint32_t> find_in_a_node(const JobKind& kind);
    uint32_t open_node();

    const FleetSpec& spec_;
    double cap_;  // 0: whole GPUs
    std::vector<Gpu> gpus_;
    JobKind least_urgent_;  // less than any of its role
    JobKind least_batch_;
    ByLoad for_urgent_;  // in use, by mean load
    ByLoad for_batch_;
    std::set<uint32_t> empty_;
    uint64_t in_use_ = 0;
};

}  // namespace xsched::sim
