#include "sim/perfetto_trace.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace xsched::sim {
namespace {

// Trace
constexpr uint32_t kPacket = 1;
// TracePacket
constexpr uint32_t kTimestamp = 8;
constexpr uint32_t kSequenceId = 10;
constexpr uint32_t kTrackEvent = 11;
constexpr uint32_t kSequenceFlags = 13;
constexpr uint32_t kTrackDescriptor = 60;
// TrackDescriptor
constexpr uint32_t kUuid = 1;
constexpr uint32_t kName = 2;
constexpr uint32_t kParentUuid = 5;
// TrackEvent
constexpr uint32_t kType = 9;
constexpr uint32_t kTrackUuid = 11;
constexpr uint32_t kCategories = 22;
constexpr uint32_t kEventName = 23;

constexpr uint64_t kOurSequence = 1;
constexpr uint64_t kStateCleared = 1;

}  // namespace

std::vector<std::string> program_names(const Workload& workload) {
    std::vector<std::string> names;
    for (const ProgramSpec& spec : workload.programs)
        for (uint32_t copy = 1; copy <= spec.count; ++copy)
            names.push_back(spec.count == 1 ? spec.name : spec.name + "-" + std::to_string(copy));
    return names;
}

PerfettoTrace::PerfettoTrace(const std::string& path, const Workload& workload)
    : file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) throw std::runtime_error(path + " cannot be written: " + std::strerror(errno));
    const std::vector<std::string> names = program_names(workload);
    burst_ended_ns_.assign(names.size(), 0);
    suspended_.assign(names.size(), false);
    for (uint32_t process = 0; process < names.size(); ++process) {
        describe(uuid(Track::kProcess, process), 0, names[process]);
        describe(uuid(Track::kDevice, process), uuid(Track::kProcess, process), "on the device");
        describe(uuid(Track::kBurst, process), uuid(Track::kProcess, process), "bursts");
        describe(uuid(Track::kSuspended, process), uuid(Track::kProcess, process), "suspended");
    }
}

PerfettoTrace::~PerfettoTrace() {
    if (file_ != nullptr) std::fclose(file_);
}

void PerfettoTrace::write(const ProtobufMessage& packet) {
    ProtobufMessage trace;
    trace.message(kPacket, packet);
    std::fwrite(trace.bytes().data(), 1, trace.bytes().size(), file_);
}

void PerfettoTrace::describe(uint64_t uuid, uint64_t parent, const std::string& name) {
    ProtobufMessage descriptor;
    descriptor.number(kUuid, uuid);
    descriptor.text(kName, name);
    if (parent != 0) descriptor.number(kParentUuid, parent);
    ProtobufMessage packet;
    packet.number(kSequenceId, kOurSequence);
    packet.number(kSequenceFlags, kStateCleared);
    packet.message(kTrackDescriptor, descriptor);
    write(packet);
}

void PerfettoTrace::event(Kind kind, uint64_t track, int64_t at_ns, const char* name) {
    ProtobufMessage event;
    event.number(kType, static_cast<uint64_t>(kind));
    event.number(kTrackUuid, track);
    if (kind == Kind::kBegin) {
        event.text(kCategories, "xsim");
        event.text(kEventName, name);
    }
    ProtobufMessage packet;
    packet.number(kTimestamp, static_cast<uint64_t>(at_ns));
    packet.number(kSequenceId, kOurSequence);
    packet.message(kTrackEvent, event);
    write(packet);
}

void PerfettoTrace::on_device(uint32_t /*device*/, uint32_t process, int64_t from_ns, int64_t to_ns) {
    event(Kind::kBegin, uuid(Track::kDevice, process), from_ns, "kernel");
    event(Kind::kEnd, uuid(Track::kDevice, process), to_ns, nullptr);
}

// A burst that came while the last one was under way begins, on its track, when that had ended.
void PerfettoTrace::on_burst(uint32_t process, int64_t from_ns, int64_t to_ns) {
    event(Kind::kBegin, uuid(Track::kBurst, process), std::max(from_ns, burst_ended_ns_[process]), "burst");
    event(Kind::kEnd, uuid(Track::kBurst, process), to_ns, nullptr);
    burst_ended_ns_[process] = to_ns;
}

void PerfettoTrace::on_suspension(uint32_t process, bool suspended, int64_t now_ns) {
    if (suspended_[process] == suspended) return;
    suspended_[process] = suspended;
    event(suspended ? Kind::kBegin : Kind::kEnd, uuid(Track::kSuspended, process), now_ns, "suspended");
}

bool PerfettoTrace::finish(int64_t now_ns) {
    for (uint32_t process = 0; process < suspended_.size(); ++process)
        if (suspended_[process]) on_suspension(process, false, now_ns);
    const bool failed = std::ferror(file_) != 0;
    return std::fclose(std::exchange(file_, nullptr)) == 0 && !failed;
}

}  // namespace xsched::sim
