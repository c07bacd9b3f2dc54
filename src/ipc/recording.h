// The file that xcli record writes and xsim replays: the changes of queues that a scheduler saw, and its decisions, in
// a compact format with a version. Numbers are variable in length, times are differences. Both sides are tools: none of
// it is in a guest. Any thread.
//
// The file: the magic; the version; how long it lasts; how many entries were lost; the policy (since version 2);
// queues; entries. A reader trusts none of these.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "ipc/journal_kind.h"

namespace xsched::ipc {

inline constexpr std::string_view kRecordingMagic = "XSREC\n";
inline constexpr uint64_t kRecordingVersion = 2;
inline constexpr uint64_t kMostRecorded = 50'000'000;  // most entries of a file
// Largest time that a recording may contain: ten days. A recording lasts a day at most (cli/time_text.h). Larger times
// are errors in the file, and sums of them could overflow.
inline constexpr int64_t kLongestRecordedNs = 864'000'000'000'000;

using RecordedKind = JournalKind;

struct RecordedQueue {
    uint32_t client = 0;
    uint32_t slot = 0;
    int32_t pid = 0;
    std::string program;
    uint64_t device = 0;
    uint32_t level = 0;
    int32_t priority = 0;
    bool operator==(const RecordedQueue&) const = default;
};

// A change of a queue. The last one of a queue that has work at the recording's end is kReady, and tells its state
// then.
struct RecordedChange {
    int64_t at_ns = 0;  // time since the recording began
    RecordedKind kind{};
    uint32_t client = 0;
    uint32_t slot = 0;
    uint32_t reason = 0;
    uint32_t by_client = 0;
    uint64_t completed = 0;
    int64_t command_ns = 0;
    bool operator==(const RecordedChange&) const = default;
};

struct Recording {
    int64_t lasts_ns = 0;
    uint64_t lost = 0;
    std::string policy;  // in force when the recording began; empty: not known, as of a file of version 1
    std::vector<RecordedQueue> queues;
    std::vector<RecordedChange> changes;
    bool operator==(const Recording&) const = default;
};

class RecordingWriter {
public:
    void number(uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
        bytes_ += static_cast<char>(value);
    }
    void difference(int64_t value) { number((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63)); }
    void text(std::string_view value) {
        number(value.size());
        bytes_ += value;
    }
    std::string bytes_;
};

class RecordingReader {
public:
    explicit RecordingReader(std::string_view bytes) : bytes_(bytes) {}
    uint64_t number() {
        uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (bytes_.empty()) throw std::runtime_error("the recording ends too early");
            const auto byte = static_cast<unsigned char>(bytes_.front());
            bytes_.remove_prefix(1);
            value |= uint64_t{byte & 0x7fU} << shift;
            if ((byte & 0x80) == 0) return value;
        }
        throw std::runtime_error("the recording has a number that is too long");
    }
    int64_t difference() {
        const uint64_t value = number();
        return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
    }
    std::string text() {
        const uint64_t length = number();
        if (length > bytes_.size()) throw std::runtime_error("the recording ends too early");
        std::string value(bytes_.substr(0, length));
        bytes_.remove_prefix(length);
        return length > 0 ? base::printable(std::move(value)) : value;
    }
    void magic() {
        if (!bytes_.starts_with(kRecordingMagic)) throw std::runtime_error("this is no recording of xcli record");
        bytes_.remove_prefix(kRecordingMagic.size());
    }
    // Checks a time since the recording began; slightly negative ones are allowed.
    static int64_t checked_time(int64_t ns) {
        if (ns < -kLongestRecordedNs || ns > kLongestRecordedNs)
            throw std::runtime_error("the recording has a time of more than ten days");
        return ns;
    }
    int64_t time() { return checked_time(static_cast<int64_t>(number())); }
    // Reads a count. Each counted thing takes at least a byte, so a larger count is refused.
    uint64_t count() {
        const uint64_t value = number();
        if (value > bytes_.size() || value > kMostRecorded) throw std::runtime_error("the recording ends too early");
        return value;
    }

private:
    std::string_view bytes_;
};

inline std::string write_recording(const Recording& recording) {
    RecordingWriter out;
    out.bytes_ = kRecordingMagic;
    out.number(kRecordingVersion);
    out.number(static_cast<uint64_t>(recording.lasts_ns));
    out.number(recording.lost);
    out.text(recording.policy);
    out.number(recording.queues.size());
    for (const RecordedQueue& queue : recording.queues) {
        out.number(queue.client);
        out.number(queue.slot);
        out.difference(queue.pid);
        out.text(queue.program);
        out.number(queue.device);
        out.number(queue.level);
        out.difference(queue.priority);
    }
    out.number(recording.changes.size());
    int64_t last_ns = 0;
    for (const RecordedChange& change : recording.changes) {
        out.difference(change.at_ns - last_ns);
        last_ns = change.at_ns;
        out.number(static_cast<uint64_t>(change.kind));
        out.number(change.client);
        out.number(change.slot);
        out.number(change.reason);
        out.number(change.by_client);
        out.number(change.completed);
        out.number(static_cast<uint64_t>(change.command_ns));
    }
    return out.bytes_;
}

// Reads a recording. Throws std::runtime_error with a sentence that says what is wrong.
inline Recording read_recording(std::string_view bytes) {
    RecordingReader in(bytes);
    in.magic();
    const uint64_t version = in.number();
    if (version < 1 || version > kRecordingVersion)
        throw std::runtime_error("the recording has version " + std::to_string(version) +
                                 ", and this program reads those up to " + std::to_string(kRecordingVersion));
    Recording recording;
    recording.lasts_ns = in.time();
    recording.lost = in.number();
    if (version > 1) recording.policy = in.text();
    for (uint64_t count = in.count(); count > 0; --count) {
        RecordedQueue& queue = recording.queues.emplace_back();
        queue.client = static_cast<uint32_t>(in.number());
        queue.slot = static_cast<uint32_t>(in.number());
        queue.pid = static_cast<int32_t>(in.difference());
        queue.program = in.text();
        queue.device = in.number();
        queue.level = static_cast<uint32_t>(in.number());
        queue.priority = static_cast<int32_t>(in.difference());
    }
    int64_t last_ns = 0;
    for (uint64_t count = in.count(); count > 0; --count) {
        RecordedChange& change = recording.changes.emplace_back();
        last_ns = RecordingReader::checked_time(
            static_cast<int64_t>(static_cast<uint64_t>(last_ns) + static_cast<uint64_t>(in.difference())));
        change.at_ns = last_ns;
        const uint64_t kind = in.number();
        if (kind > static_cast<uint64_t>(RecordedKind::kGone))
            throw std::runtime_error("the recording has an unknown entry");
        change.kind = static_cast<RecordedKind>(kind);
        change.client = static_cast<uint32_t>(in.number());
        change.slot = static_cast<uint32_t>(in.number());
        change.reason = static_cast<uint32_t>(in.number());
        change.by_client = static_cast<uint32_t>(in.number());
        change.completed = in.number();
        change.command_ns = static_cast<int64_t>(in.number());
    }
    return recording;
}

}  // namespace xsched::ipc
