// Chooses the GPUs of jobs in a fleet; opens nodes as they are needed. Takes the fullest GPU that has room (best fit),
// so that others become free. One thread.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim/fleet_spec.h"

namespace xsched::sim {

struct Gpu {
    double mean_load = 0;   // sum over its urgent jobs, averaged over work and rest
    double least_share = 0;  // share that its batch job needs at least
    double memory_gb = 0;   // in use
    uint32_t jobs = 0;
    uint32_t batch = 0;     // number of its batch job + 1; 0: none
    std::vector<uint32_t> urgent;
    double load_now = 0;    // sum over its urgent jobs that are at work
};

class FleetPlaces {
public:
    FleetPlaces(const FleetSpec& spec, double cap);

    std::vector<Gpu>& gpus() { return gpus_; }
    uint64_t in_use() const { return in_use_; }
    // Chooses the job's GPUs, in a new node if no other has room. The caller then counts the job there.
    std::vector<uint32_t> find(const JobKind& kind) { return kind.gpus == 1 ? find_one(kind) : find_in_a_node(kind); }
    void take(const JobKind& kind, uint32_t job, const std::vector<uint32_t>& places);
    void leave(const JobKind& kind, uint32_t job, const std::vector<uint32_t>& places);

    static double mean_load(const JobKind& kind) {
        return kind.urgent ? kind.load * kind.works_s / (kind.works_s + kind.rests_s) : 0;
    }

private:
    bool has_room(const Gpu& gpu, const JobKind& kind) const;
    using ByLoad = std::set<std::pair<double, uint32_t>>;
    // Puts the GPU on the lists that it belongs to: one for each role, with the GPUs that have room for the smallest
    // job of that role.
    void list(uint32_t gpu);
    void unlist(uint32_t gpu);
    std::vector<uint32_t> find_one(const JobKind& kind);
    std::vector<uint32_t> find_in_a_node(const JobKind& kind);
    uint32_t open_node();

    const FleetSpec& spec_;
    double cap_;  // 0: whole GPUs
    std::vector<Gpu> gpus_;
    JobKind least_urgent_;  // the smallest job of each role
    JobKind least_batch_;
    ByLoad for_urgent_;  // GPUs in use, by mean load
    ByLoad for_batch_;
    std::set<uint32_t> empty_;
    uint64_t in_use_ = 0;
};

}  // namespace xsched::sim
