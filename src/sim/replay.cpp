#include "sim/replay.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

#include "base/clock.h"
#include "base/files.h"

namespace xsched::sim {
namespace {

using ipc::RecordedChange;
using ipc::RecordedKind;

constexpr int64_t kUnknownCommandNs = 100 * base::kMicrosecond;
constexpr int64_t kMostKernels = 1'000'000;  // of a burst

int64_t command_ns_of(const RecordedChange& change) {
    return change.command_ns > 0 ? change.command_ns : kUnknownCommandNs;
}

// Returns whether the change only tells that the queue still has work at the end (recording.h).
bool is_end(const RecordedChange& change, int64_t lasts_ns) {
    return change.kind == RecordedKind::kReady && change.at_ns >= lasts_ns;
}

// Returns whether the change tells of work. Holds and their ends are recorded of queues without work, too: a program's
// queues are held together.
bool is_work(const RecordedChange& change) {
    return change.kind == RecordedKind::kReady || change.kind == RecordedKind::kIdle;
}

// Returns the bursts that began and ended during the recording. A burst that had not ended becomes work for the
// remaining time.
std::vector<ReplayBurst> bursts_of(const std::vector<RecordedChange>& changes, int64_t lasts_ns) {
    std::vector<ReplayBurst> bursts;
    const RecordedChange* begin = nullptr;
    int64_t idle_since_ns = 0;
    for (const RecordedChange& change : changes) {
        if (change.kind == RecordedKind::kReady && (begin == nullptr || !is_end(change, lasts_ns))) begin = &change;
        if (change.kind != RecordedKind::kIdle) continue;
        if (begin != nullptr) {
            const auto kernels = static_cast<int64_t>(change.completed - begin->completed);
            bursts.push_back({.gap_ns = std::max<int64_t>(begin->at_ns - idle_since_ns, 0),
                              .kernels = std::clamp<int64_t>(kernels, 1, kMostKernels),
                              .kernel_ns = command_ns_of(change)});
        }
        begin = nullptr;
        idle_since_ns = change.at_ns;
    }
    // A queue that never becomes idle from the start on has no bursts: program_of makes it a stream.
    if (begin == nullptr || bursts.empty()) return bursts;
    const int64_t kernel_ns = command_ns_of(changes.back());
    const int64_t left_ns = std::max<int64_t>(lasts_ns - begin->at_ns, 0);
    bursts.push_back({.gap_ns = std::max<int64_t>(begin->at_ns - idle_since_ns, 0),
                      .kernels = std::min(left_ns / kernel_ns + 1, kMostKernels),
                      .kernel_ns = kernel_ns});
    return bursts;
}

ProgramSpec program_of(const ipc::RecordedQueue& queue, const std::vector<RecordedChange>& changes, int64_t lasts_ns) {
    ProgramSpec spec;
    spec.level = std::clamp<uint32_t>(queue.level, 1, 3);
    spec.hints.priority = std::clamp(queue.priority, PRIORITY_NO_EXECUTE, PRIORITY_MAX);
    spec.replay = bursts_of(changes, lasts_ns);
    if (!spec.replay.empty()) return spec;
    const RecordedChange& first = changes.front();
    if (first.kind == RecordedKind::kReady && !is_end(first, lasts_ns)) spec.start_ns = first.at_ns;
    spec.arrival.kind = ArrivalKind::kStream;
    const int64_t command_ns = command_ns_of(changes.back());
    spec.burst.kernel_ns = {command_ns, command_ns};
    return spec;
}

}  // namespace

ipc::Recording read_recording_file(const std::string& path) {
    const std::string bytes = base::text_of_file(path);
    if (bytes.empty()) throw std::runtime_error(path + " cannot be read, or is empty");
    try {
        return ipc::read_recording(bytes);
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(path + ": " + error.what());
    }
}

void write_recording_file(const std::string& path, const ipc::Recording& recording) {
    std::ofstream file(path, std::ios::binary);
    file << ipc::write_recording(recording);
    file.close();
    if (!file) throw std::runtime_error(path + " cannot be written");
}

std::vector<std::string> replay_names(const ipc::Recording& recording) {
    std::set<std::pair<uint32_t, uint32_t>> worked;
    for (const RecordedChange& change : recording.changes)
        if (is_work(change)) worked.emplace(change.client, change.slot);
    const auto has_worked = [&worked](const ipc::RecordedQueue& queue) {
        return worked.contains({queue.client, queue.slot});
    };
    std::map<std::string, size_t> queues;  // of each program
    for (const ipc::RecordedQueue& queue : recording.queues)
        if (has_worked(queue)) ++queues[queue.program];
    std::vector<std::string> names;
    std::map<std::string, size_t> given;
    for (const ipc::RecordedQueue& queue : recording.queues) {
        std::string name = has_worked(queue) ? queue.program : "";
        if (!name.empty() && queues[queue.program] > 1)
            name += " " + std::to_string(queue.pid) + "." + std::to_string(queue.slot + 1);
        // Processes of two containers may have one number.
        if (const size_t before = given[name]++; before > 0 && !name.empty()) name += " " + std::to_string(before + 1);
        names.push_back(std::move(name));
    }
    return names;
}

std::set<std::string> programs_left_out(const ipc::Recording& recording) {
    const std::vector<std::string> names = replay_names(recording);
    std::set<std::string> left_out;
    for (const ipc::RecordedQueue& queue : recording.queues) left_out.insert(queue.program);
    for (size_t i = 0; i < names.size(); ++i)
        if (!names[i].empty()) left_out.erase(recording.queues[i].program);
    return left_out;
}

Workload replay_workload(const ipc::Recording& recording) {
    using Key = std::pair<uint32_t, uint32_t>;
    std::map<Key, std::vector<RecordedChange>> changes;
    for (const RecordedChange& change : recording.changes) changes[{change.client, change.slot}].push_back(change);
    Workload workload;
    workload.name = "replay";
    workload.warm_up = 0;
    workload.duration_ns = std::max(recording.lasts_ns, base::kMillisecond);
    workload.recorded_policy = recording.policy;
    std::map<uint64_t, uint32_t> devices;
    const std::vector<std::string> names = replay_names(recording);
    for (size_t i = 0; i < recording.queues.size(); ++i) {
        const ipc::RecordedQueue& queue = recording.queues[i];
        const auto found = changes.find({queue.client, queue.slot});
        if (found == changes.end() || std::none_of(found->second.begin(), found->second.end(), is_work))
            continue;  // it did nothing
        const auto earlier = [](const RecordedChange& a, const RecordedChange& b) { return a.at_ns < b.at_ns; };
        std::stable_sort(found->second.begin(), found->second.end(), earlier);
        workload.programs.push_back(program_of(queue, found->second, workload.duration_ns));
        workload.programs.back().name = names[i];
        const auto number = static_cast<uint32_t>(devices.size());
        workload.programs.back().device = devices.emplace(queue.device, number).first->second;
    }
    if (workload.programs.empty()) throw std::runtime_error(kNoBurst);
    workload.devices = static_cast<uint32_t>(devices.size());
    return workload;
}

}  // namespace xsched::sim
