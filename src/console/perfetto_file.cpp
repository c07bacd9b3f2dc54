#include "console/perfetto_file.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace xsched::console {
namespace {

// Trace
constexpr uint32_t kPacket = 1;
// TracePacket
constexpr uint32_t kClockSnapshot = 6;
constexpr uint32_t kTimestamp = 8;
constexpr uint32_t kSequenceId = 10;
constexpr uint32_t kTrackEvent = 11;
constexpr uint32_t kSequenceFlags = 13;
constexpr uint32_t kTrackDescriptor = 60;
// Field numbers of ClockSnapshot and of one clock in it, then the clocks' ids.
constexpr uint32_t kClock = 1;
constexpr uint32_t kClockId = 1;
constexpr uint32_t kClockTime = 2;
constexpr uint64_t kRealTime = 1;
constexpr uint64_t kMonotonic = 3;
constexpr uint64_t kBootTime = 6;  // clock of timestamps, unless a packet names another
// TrackDescriptor
constexpr uint32_t kUuid = 1;
constexpr uint32_t kName = 2;
constexpr uint32_t kProcess = 3;
constexpr uint32_t kParentUuid = 5;
constexpr uint32_t kCounter = 8;
constexpr uint32_t kChildOrdering = 11;
constexpr uint32_t kRank = 12;
constexpr uint64_t kByRank = 3;
// ProcessDescriptor
constexpr uint32_t kPid = 1;
constexpr uint32_t kProcessName = 6;
// TrackEvent
constexpr uint32_t kAnnotation = 4;
constexpr uint32_t kType = 9;
constexpr uint32_t kTrackUuid = 11;
constexpr uint32_t kCategories = 22;
constexpr uint32_t kEventName = 23;
constexpr uint32_t kCounterValue = 30;
constexpr uint32_t kFlowIds = 47;
constexpr uint32_t kTerminatingFlowIds = 48;
// DebugAnnotation
constexpr uint32_t kIntValue = 4;
constexpr uint32_t kDoubleValue = 5;
constexpr uint32_t kStringValue = 6;
constexpr uint32_t kAnnotationName = 10;

constexpr uint64_t kOurSequence = 1;
constexpr uint64_t kStateCleared = 1;

ProtobufMessage annotation(const char* name, const TraceEvent::Value& value) {
    ProtobufMessage message;
    message.text(kAnnotationName, name);
    if (const auto* text = std::get_if<std::string>(&value)) message.text(kStringValue, *text);
    if (const auto* number = std::get_if<int64_t>(&value)) message.number(kIntValue, static_cast<uint64_t>(*number));
    if (const auto* number = std::get_if<double>(&value)) {
        uint64_t bits = 0;
        memcpy(&bits, number, sizeof bits);
        message.fixed(kDoubleValue, bits);
    }
    return message;
}

ProtobufMessage clock(uint64_t id, int64_t ns) {
    ProtobufMessage message;
    message.number(kClockId, id);
    message.number(kClockTime, static_cast<uint64_t>(ns));
    return message;
}

ProtobufMessage named(uint64_t track, uint64_t parent, const std::string& name) {
    ProtobufMessage message;
    message.number(kUuid, track);
    message.text(kName, name);
    if (parent != 0) message.number(kParentUuid, parent);
    message.number(kChildOrdering, kByRank);  // show children in the order in which they are described
    message.number(kRank, track);
    return message;
}

}  // namespace

PerfettoFile::PerfettoFile(const std::string& path) : file_(std::fopen(path.c_str(), "wbe")) {
    if (file_ == nullptr) throw std::runtime_error(path + " cannot be written: " + std::strerror(errno));
}

PerfettoFile::~PerfettoFile() {
    if (file_ != nullptr) std::fclose(file_);
}

void PerfettoFile::clocks(int64_t boot_ns, int64_t monotonic_ns, int64_t real_ns) {
    ProtobufMessage snapshot;
    snapshot.message(kClock, clock(kBootTime, boot_ns));
    snapshot.message(kClock, clock(kMonotonic, monotonic_ns));
    snapshot.message(kClock, clock(kRealTime, real_ns));
    ProtobufMessage packet;
    packet.message(kClockSnapshot, snapshot);
    write(packet);
}

void PerfettoFile::process(uint64_t track, int32_t pid, const std::string& name) {
    ProtobufMessage process;
    process.number(kPid, static_cast<uint64_t>(int64_t{pid}));
    process.text(kProcessName, name);
    ProtobufMessage message = named(track, 0, name);
    message.message(kProcess, process);
    descriptor(message);
}

void PerfettoFile::track(uint64_t track, uint64_t parent, const std::string& name) {
    descriptor(named(track, parent, name));
}

void PerfettoFile::counter(uint64_t track, uint64_t parent, const std::string& name) {
    ProtobufMessage message = named(track, parent, name);
    message.message(kCounter, {});
    descriptor(message);
}

void PerfettoFile::descriptor(const ProtobufMessage& descriptor) {
    ProtobufMessage packet;
    packet.message(kTrackDescriptor, descriptor);
    write(packet);
}

void PerfettoFile::event(const TraceEvent& event) {
    ProtobufMessage message;
    message.number(kType, static_cast<uint64_t>(event.kind));
    message.number(kTrackUuid, event.track);
    if (event.kind == TraceEventKind::kBegin || event.kind == TraceEventKind::kInstant) {
        message.text(kCategories, event.category);
        message.text(kEventName, event.name);
    }
    if (event.kind == TraceEventKind::kCounter) message.number(kCounterValue, static_cast<uint64_t>(event.value));
    for (const auto& [name, value] : event.said) message.message(kAnnotation, annotation(name, value));
    for (const uint64_t flow : event.flows) message.fixed(kFlowIds, flow);
    for (const uint64_t flow : event.ended_flows) message.fixed(kTerminatingFlowIds, flow);
    ProtobufMessage packet;
    packet.number(kTimestamp, static_cast<uint64_t>(event.at_ns));
    packet.message(kTrackEvent, message);
    write(packet);
}

// Writes a packet with a sequence number, without which the viewer shows nothing. The first packet says that no earlier
// packets are needed.
void PerfettoFile::write(ProtobufMessage& packet) {
    packet.number(kSequenceId, kOurSequence);
    if (std::exchange(first_, false)) packet.number(kSequenceFlags, kStateCleared);
    ProtobufMessage trace;
    trace.message(kPacket, packet);
    bytes_ += trace.bytes().size();
    std::fwrite(trace.bytes().data(), 1, trace.bytes().size(), file_);
}

bool PerfettoFile::finish() {
    const bool failed = std::ferror(file_) != 0;
    return std::fclose(std::exchange(file_, nullptr)) == 0 && !failed;
}

}  // namespace xsched::console
