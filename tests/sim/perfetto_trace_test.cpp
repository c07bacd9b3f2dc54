// The trace, read back with a decoder of protobuf's wire format that shares nothing with the encoder.
#include "sim/perfetto_trace.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/pattern.h"
#include "sim/results.h"
#include "support/directory.h"

namespace xsched::sim {
namespace {

// A message's fields: number and value, as a number or as bytes.
struct Field {
    uint64_t number = 0;
    std::string bytes;
};
using Fields = std::multimap<uint32_t, Field>;

uint64_t read_varint(const std::string& bytes, size_t& at) {
    uint64_t value = 0;
    for (int shift = 0; at < bytes.size(); shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes[at++]);
        value |= uint64_t{byte & 0x7fU} << shift;
        if ((byte & 0x80) == 0) return value;
    }
    ADD_FAILURE() << "a number goes beyond the end";
    return value;
}

Fields decode(const std::string& bytes) {
    Fields fields;
    for (size_t at = 0; at < bytes.size();) {
        const uint64_t key = read_varint(bytes, at);
        Field field;
        field.number = read_varint(bytes, at);
        if ((key & 7) == 2) {
            if (field.number > bytes.size() - at) {
                ADD_FAILURE() << "a text goes beyond the end";
                return fields;
            }
            field.bytes = bytes.substr(at, field.number);
            at += field.number;
        } else if ((key & 7) != 0) {
            ADD_FAILURE() << "wire type " << (key & 7);
            return fields;
        }
        fields.emplace(static_cast<uint32_t>(key >> 3), field);
    }
    return fields;
}

uint64_t number(const Fields& fields, uint32_t field) {
    const auto found = fields.find(field);
    return found != fields.end() ? found->second.number : 0;
}

struct Slice {
    uint64_t from;
    uint64_t to;
};

TEST(PerfettoTrace, SlicesAreWhatHappened) {
    const test::TemporaryDirectory directory;
    const std::string path = directory / "trace";
    const Workload workload = testing::main_job("", 0.3, 0.2);
    PerfettoTrace trace(path, workload);
    const Report report = run_workload(workload, "", false, &trace);
    ASSERT_TRUE(trace.finish(report.ended_ns));

    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::map<uint64_t, std::string> tracks;
    std::map<uint64_t, uint64_t> open;
    std::map<uint64_t, std::vector<Slice>> slices;
    for (const auto& [field, packet] : decode(bytes)) {
        ASSERT_EQ(field, 1U);
        const Fields fields = decode(packet.bytes);
        EXPECT_EQ(number(fields, 10), 1U);  // trusted_packet_sequence_id: without it nothing is shown
        if (const auto descriptor = fields.find(60); descriptor != fields.end()) {
            const Fields track = decode(descriptor->second.bytes);
            tracks[number(track, 1)] = track.find(2)->second.bytes;
            continue;
        }
        const Fields event = decode(fields.find(11)->second.bytes);
        const uint64_t track = number(event, 11);
        ASSERT_TRUE(tracks.contains(track));
        if (number(event, 9) == 1) {
            ASSERT_FALSE(open.contains(track)) << "slices overlap on " << tracks[track];
            open[track] = number(fields, 8);
        } else {
            ASSERT_EQ(number(event, 9), 2U);
            ASSERT_TRUE(open.contains(track));
            EXPECT_LE(open[track], number(fields, 8));
            slices[track].push_back({open[track], number(fields, 8)});
            open.erase(track);
        }
    }
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(tracks.size(), 8U);
    std::map<std::string, uint64_t> named;
    for (const auto& [track, list] : slices) named[tracks[track]] += list.size();
    EXPECT_EQ(named["bursts"], report.programs[0].bursts);
    EXPECT_GT(named["suspended"], 0U);
    EXPECT_GT(named["on the device"], report.programs[0].bursts * 100);
}

}  // namespace
}  // namespace xsched::sim
