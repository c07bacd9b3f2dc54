#include "sim/fleet_place.h"

#include <algorithm>

namespace xsched::sim {
namespace {

// Most GPUs with too little room that are looked at before a job gets a new GPU.
constexpr int kLooks = 256;

}  // namespace

bool FleetPlaces::has_room(const Gpu& gpu, const JobKind& kind) const {
    if (gpu.jobs == 0) return true;
    if (cap_ <= 0 || gpu.memory_gb + kind.memory_gb > spec_.memory_gb) return false;
    if (kind.urgent) return gpu.mean_load + mean_load(kind) <= std::min(cap_, 1 - gpu.least_share);
    return gpu.batch == 0 && gpu.mean_load + kind.load <= 1;
}

FleetPlaces::FleetPlaces(const FleetSpec& spec, double cap) : spec_(spec), cap_(cap) {
    least_urgent_ = {.urgent = true, .memory_gb = spec.memory_gb, .load = 1};
    least_batch_ = {.memory_gb = spec.memory_gb, .load = 1};
    for (const JobKind& kind : spec.kinds) {
        JobKind& least = kind.urgent ? least_urgent_ : least_batch_;
        least.memory_gb = std::min(least.memory_gb, kind.memory_gb);
        least.load = std::min(least.load, kind.urgent ? mean_load(kind) : kind.load);
    }
    least_urgent_.rests_s = 0;  // a rest of 0: load and mean load are equal
}

void FleetPlaces::list(uint32_t at) {
    const Gpu& gpu = gpus_[at];
    if (gpu.jobs == 0) {
        empty_.insert(at);
        return;
    }
    if (has_room(gpu, least_urgent_)) for_urgent_.insert({gpu.mean_load, at});
    if (has_room(gpu, least_batch_)) for_batch_.insert({gpu.mean_load, at});
}

void FleetPlaces::unlist(uint32_t at) {
    empty_.erase(at);
    for_urgent_.erase({gpus_[at].mean_load, at});
    for_batch_.erase({gpus_[at].mean_load, at});
}

// Adds a node with empty GPUs to those in use, and returns the index of its first GPU.
uint32_t FleetPlaces::open_node() {
    const auto first = static_cast<uint32_t>(gpus_.size());
    for (uint32_t i = 0; i < spec_.gpus_per_node; ++i) {
        gpus_.emplace_back();
        list(first + i);
    }
    return first;
}

// Returns the index of the fullest GPU that has room, of an empty one if none has; adds a node if that is needed.
std::vector<uint32_t> FleetPlaces::find_one(const JobKind& kind) {
    const ByLoad& open = kind.urgent ? for_urgent_ : for_batch_;
    const double most = kind.urgent ? cap_ - mean_load(kind) : 1 - kind.load;
    auto at = open.upper_bound({most + 1e-9, UINT32_MAX});
    for (int looks = 0; looks < kLooks && at != open.begin(); ++looks) {
        --at;
        if (has_room(gpus_[at->second], kind)) return {at->second};
    }
    if (empty_.empty()) open_node();
    return {*empty_.begin()};
}

// Returns GPUs in the node in which the job leaves the fewest GPUs with room. Jobs with several GPUs are few, so all
// nodes are searched.
std::vector<uint32_t> FleetPlaces::find_in_a_node(const JobKind& kind) {
    std::vector<uint32_t> best;
    size_t best_room = SIZE_MAX;
    for (uint32_t first = 0; first < gpus_.size(); first += spec_.gpus_per_node) {
        std::vector<uint32_t> room;
        for (uint32_t gpu = first; gpu < first + spec_.gpus_per_node; ++gpu)
            if (has_room(gpus_[gpu], kind)) room.push_back(gpu);
        if (room.size() < kind.gpus || room.size() >= best_room) continue;
        best_room = room.size();
        best = room;
        if (best_room == kind.gpus) break;
    }
    if (best.empty()) {
        const uint32_t first = open_node();
        for (uint32_t i = 0; i < kind.gpus; ++i) best.push_back(first + i);
    }
    const auto fuller = [this](uint32_t a, uint32_t b) { return gpus_[a].mean_load > gpus_[b].mean_load; };
    std::stable_sort(best.begin(), best.end(), fuller);
    best.resize(kind.gpus);
    return best;
}

void FleetPlaces::take(const JobKind& kind, uint32_t job, const std::vector<uint32_t>& places) {
    for (const uint32_t at : places) {
        unlist(at);
        Gpu& gpu = gpus_[at];
        if (gpu.jobs++ == 0) ++in_use_;
        gpu.memory_gb += kind.memory_gb;
        gpu.mean_load += mean_load(kind);
        if (kind.urgent) {
            gpu.urgent.push_back(job);
        } else {
            gpu.batch = job + 1;
            gpu.least_share = kind.load;
        }
        list(at);
    }
}

void FleetPlaces::leave(const JobKind& kind, uint32_t job, const std::vector<uint32_t>& places) {
    for (const uint32_t at : places) {
        unlist(at);
        Gpu& gpu = gpus_[at];
        if (--gpu.jobs == 0) --in_use_;
        gpu.memory_gb -= kind.memory_gb;
        gpu.mean_load -= mean_load(kind);
        if (kind.urgent) {
            std::erase(gpu.urgent, job);
        } else {
            gpu.batch = 0;
            gpu.least_share = 0;
        }
        if (gpu.jobs == 0) gpu.memory_gb = gpu.mean_load = gpu.load_now = 0;
        list(at);
    }
}

}  // namespace xsched::sim
