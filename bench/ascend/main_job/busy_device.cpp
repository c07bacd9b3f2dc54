// The first Ascend NPU, and on it the default stream ("null", the default) or one of its own (any other name). No
// kernel is compiled: a "kernel" fills memory with a number and copies it. It notes the number in a log on the device
// behind each piece. A fill or copy that is lost, or out of order, leaves a wrong number there.
#include "busy_device.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "arguments.h"
#include "runtime.h"

namespace busy {
namespace {

constexpr size_t kStepBytes = 64;        // CANN asks for addresses that are multiples of 64
constexpr size_t kPieceBytes = 32 << 20;  // of one fill and one copy, at most: 40 us at 800 GB/s (judgement)
constexpr size_t kNotes = 1 << 16;       // the log: its oldest notes are overwritten
constexpr uint64_t kNumbers = 251;       // of a note; a prime, so that a note differs from the one it overwrites
constexpr int kWithinDevice = 3;         // ACL_MEMCPY_DEVICE_TO_DEVICE
constexpr int kToHost = 2;               // ACL_MEMCPY_DEVICE_TO_HOST
constexpr uint32_t kPlainEvent = 1;      // ACL_EVENT_SYNC
constexpr int kCalibrationRounds = 5;
constexpr int kCalibrationKernels = 5;
constexpr uint32_t kFirstSteps = 16384;

AclPointer allocate(size_t bytes) {
    AclPointer memory = nullptr;
    must(cann().aclrtMalloc(&memory, bytes, 0), "aclrtMalloc");
    return memory;
}

int number_of(uint64_t piece) { return static_cast<int>(piece % kNumbers) + 1; }

}  // namespace

const char* const BusyDevice::kHalLibrary = "libhalascend.so.1";
const char* const BusyDevice::kHwQueueGet = "AclQueueGet";

struct BusyDevice::Parts {
    explicit Parts(bool own_stream) : from(allocate(kPieceBytes)), to(allocate(kPieceBytes)) {
        log = allocate(kNotes * kStepBytes);
        if (own_stream) must(cann().aclrtCreateStream(&stream), "aclrtCreateStream");
        must(cann().aclrtMemsetAsync(log, kNotes * kStepBytes, 0, kNotes * kStepBytes, stream), "aclrtMemsetAsync");
    }
    ~Parts() {
        for (AclPointer event : free_events) cann().aclrtDestroyEvent(event);
        if (stream != nullptr) cann().aclrtDestroyStream(stream);
        for (AclPointer memory : {from, to, log}) cann().aclrtFree(memory);
    }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    AclPointer note(uint64_t piece) const { return static_cast<char*>(log) + piece % kNotes * kStepBytes; }
    void copy(AclPointer target, AclPointer source, size_t bytes) const {
        must(cann().aclrtMemcpyAsync(target, bytes, source, bytes, kWithinDevice, stream), "aclrtMemcpyAsync");
    }
    void move(size_t bytes) {
        must(cann().aclrtMemsetAsync(from, kPieceBytes, number_of(pieces), bytes, stream), "aclrtMemsetAsync");
        copy(to, from, bytes);
        copy(note(pieces), static_cast<char*>(to) + bytes - kStepBytes, kStepBytes);
        ++pieces;
    }

    AclPointer stream = nullptr;
    AclPointer from, to, log = nullptr;
    uint64_t pieces = 0;
    std::vector<AclPointer> free_events;
};

BusyDevice::BusyDevice(const std::string& stream, unsigned) {
    attach_thread();
    parts_ = std::make_unique<Parts>(!stream.empty() && stream != "null");
    enqueue(1);
    finish();
}

BusyDevice::~BusyDevice() = default;

void BusyDevice::enqueue(uint32_t steps, Event* event) {
    for (size_t left = steps * kStepBytes; left > 0;) {
        const size_t bytes = std::min(left, kPieceBytes);
        parts_->move(bytes);
        left -= bytes;
    }
    if (event == nullptr) return;
    if (parts_->free_events.empty())
        must(cann().aclrtCreateEventWithFlag(event, kPlainEvent), "aclrtCreateEventWithFlag");
    else {
        *event = parts_->free_events.back();
        parts_->free_events.pop_back();
    }
    must(cann().aclrtRecordEvent(*event, parts_->stream), "aclrtRecordEvent");
}

void BusyDevice::attach_thread() { must(cann().aclrtSetDevice(0), "aclrtSetDevice"); }
void BusyDevice::wait_only(Event event) { must(cann().aclrtSynchronizeEvent(event), "aclrtSynchronizeEvent"); }
void BusyDevice::recycle(Event event) { parts_->free_events.push_back(event); }
void BusyDevice::wait(Event event) {
    wait_only(event);
    recycle(event);
}
int64_t BusyDevice::device_ns(Event) const { throw std::runtime_error("no stream is timed here"); }
void BusyDevice::finish() { must(cann().aclrtSynchronizeStream(parts_->stream), "aclrtSynchronizeStream"); }
void* BusyDevice::queue() const { return parts_->stream; }

uint32_t BusyDevice::calibrate(double milliseconds) {
    double steps = kFirstSteps;
    for (int round = 0; round < kCalibrationRounds; ++round) {
        const int64_t begin = now_ns();
        for (int i = 0; i < kCalibrationKernels; ++i) enqueue(static_cast<uint32_t>(steps));
        finish();
        const double length_ms =
            static_cast<double>(std::max<int64_t>(now_ns() - begin, 1)) / 1e6 / kCalibrationKernels;
        steps = std::clamp(steps * std::clamp(milliseconds / length_ms, 0.05, 20.0), 1.0, 4e9);
    }
    return static_cast<uint32_t>(steps);
}

bool BusyDevice::state_is_right() {
    finish();
    std::vector<unsigned char> log(kNotes * kStepBytes);
    must(cann().aclrtMemcpy(log.data(), log.size(), parts_->log, log.size(), kToHost), "aclrtMemcpy");
    const uint64_t pieces = parts_->pieces;
    for (uint64_t piece = pieces > kNotes ? pieces - kNotes : 0; piece < pieces; ++piece) {
        const unsigned char* note = log.data() + piece % kNotes * kStepBytes;
        if (!std::all_of(note, note + kStepBytes, [&](int byte) { return byte == number_of(piece); })) return false;
    }
    return true;
}

std::string BusyDevice::description() const {
    const auto chip = reinterpret_cast<const char* (*)()>(cann_function("aclrtGetSocName"));
    const auto version = reinterpret_cast<int (*)(int32_t*, int32_t*, int32_t*)>(cann_function("aclrtGetVersion"));
    int32_t major = 0, minor = 0, patch = 0;
    const char* name = chip != nullptr ? chip() : nullptr;
    std::string text = std::string(name != nullptr ? name : "an Ascend NPU") + "; Huawei; CANN's runtime ";
    if (version == nullptr || version(&major, &minor, &patch) != 0) return text + "of an unknown version";
    return text + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace busy
