// A trace for Perfetto, read back with a decoder of protobuf's wire format that shares nothing with the encoder; and
// what every trace must be: times that never go back on a track, tracks that were described, slices that nest and end,
// flows that begin before they end, once each.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace xsched::test {

// A message's fields: number and value, as a number or as bytes.
struct ProtobufField {
    uint64_t number = 0;
    std::string bytes;
};
using ProtobufFields = std::multimap<uint32_t, ProtobufField>;

inline uint64_t read_varint(const std::string& bytes, size_t& at) {
    uint64_t value = 0;
    for (int shift = 0; at < bytes.size(); shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes[at++]);
        value |= uint64_t{byte & 0x7fU} << shift;
        if ((byte & 0x80) == 0) return value;
    }
    ADD_FAILURE() << "a number goes beyond the end";
    return value;
}

inline ProtobufFields decode_protobuf(const std::string& bytes) {
    ProtobufFields fields;
    for (size_t at = 0; at < bytes.size();) {
        const uint64_t key = read_varint(bytes, at);
        ProtobufField field;
        if ((key & 7) == 1) {
            for (int byte = 0; byte < 8 && at < bytes.size(); ++byte)
                field.number |= uint64_t{static_cast<unsigned char>(bytes[at++])} << (8 * byte);
        } else {
            field.number = read_varint(bytes, at);
        }
        if ((key & 7) == 2) {
            if (field.number > bytes.size() - at) {
                ADD_FAILURE() << "a text goes beyond the end";
                return fields;
            }
            field.bytes = bytes.substr(at, field.number);
            at += field.number;
        } else if ((key & 7) > 1) {
            ADD_FAILURE() << "wire type " << (key & 7);
            return fields;
        }
        fields.emplace(static_cast<uint32_t>(key >> 3), field);
    }
    return fields;
}

inline uint64_t number_of(const ProtobufFields& fields, uint32_t field) {
    const auto found = fields.find(field);
    return found != fields.end() ? found->second.number : 0;
}

inline std::string text_of(const ProtobufFields& fields, uint32_t field) {
    const auto found = fields.find(field);
    return found != fields.end() ? found->second.bytes : "";
}

struct DecodedTrack {
    std::string name;  // with its parents' before it: "app/queue 1"
    int64_t pid = 0;   // of a process
    bool counts = false;
};

// A slice; an instant or counter, where both times are equal.
struct DecodedEvent {
    uint64_t type = 0;
    std::string track;
    std::string name;
    uint64_t from = 0;
    uint64_t to = 0;
    size_t depth = 0;
    int64_t value = 0;
    std::map<std::string, std::string> said;  // texts; numbers as texts
    std::vector<uint64_t> flows;
    std::vector<uint64_t> ended_flows;
};

class DecodedTrace {
public:
    static constexpr uint64_t kBegin = 1;
    static constexpr uint64_t kEnd = 2;
    static constexpr uint64_t kInstant = 3;
    static constexpr uint64_t kCounter = 4;

    explicit DecodedTrace(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        EXPECT_FALSE(bytes.empty()) << path;
        for (const auto& [field, packet] : decode_protobuf(bytes)) {
            EXPECT_EQ(field, 1U);
            read_packet(decode_protobuf(packet.bytes));
        }
        for (const auto& [track, open] : open_) EXPECT_TRUE(open.empty()) << "not ended on " << tracks[track].name;
        EXPECT_EQ(begun_flows_, ended_flows_) << "flows without a partner";
    }
    // Returns the events of a track, given by its name or the last part of it.
    std::vector<DecodedEvent> on(const std::string& track, const std::string& name = "") const {
        std::vector<DecodedEvent> found;
        for (const DecodedEvent& event : events) {
            const bool here = event.track == track || event.track.ends_with("/" + track);
            if (here && event.name.starts_with(name)) found.push_back(event);
        }
        return found;
    }
    bool says(const std::string& text) const {
        for (const auto& [id, track] : tracks)
            if (track.name.find(text) != std::string::npos) return true;
        for (const DecodedEvent& event : events) {
            if (event.name.find(text) != std::string::npos) return true;
            for (const auto& [name, value] : event.said)
                if (value.find(text) != std::string::npos) return true;
        }
        return false;
    }

    std::map<uint64_t, DecodedTrack> tracks;
    std::vector<DecodedEvent> events;  // by their end
    int clocks = 0;
    bool ordered = true;  // times never go back at all

private:
    void read_packet(const ProtobufFields& packet) {
        EXPECT_EQ(number_of(packet, 10), 1U);  // trusted_packet_sequence_id: without it nothing is shown
        if (packet.contains(6)) {
            clocks = static_cast<int>(decode_protobuf(text_of(packet, 6)).size());
        } else if (packet.contains(60)) {
            read_track(decode_protobuf(text_of(packet, 60)));
        } else {
            const uint64_t at = number_of(packet, 8);
            const ProtobufFields event = decode_protobuf(text_of(packet, 11));
            ordered = ordered && last_ <= at;
            last_ = at;
            EXPECT_LE(last_on_[number_of(event, 11)], at) << "time goes back";
            last_on_[number_of(event, 11)] = at;
            read_event(event, at);
        }
    }
    void read_track(const ProtobufFields& fields) {
        const uint64_t parent = number_of(fields, 5);
        EXPECT_TRUE(parent == 0 || tracks.contains(parent));
        EXPECT_NE(number_of(fields, 1), 0U);
        EXPECT_FALSE(tracks.contains(number_of(fields, 1)));
        const std::string above = parent != 0 ? tracks[parent].name + "/" : "";
        DecodedTrack& track = tracks[number_of(fields, 1)];
        track.name = above + text_of(fields, 2);
        track.counts = fields.contains(8);
        if (fields.contains(3)) track.pid = static_cast<int64_t>(number_of(decode_protobuf(text_of(fields, 3)), 1));
    }
    void read_event(const ProtobufFields& fields, uint64_t at) {
        const uint64_t id = number_of(fields, 11);
        ASSERT_TRUE(tracks.contains(id)) << id;
        std::vector<DecodedEvent>& open = open_[id];
        DecodedEvent event{.type = number_of(fields, 9), .track = tracks[id].name, .from = at, .to = at};
        ASSERT_GE(event.type, kBegin);
        ASSERT_LE(event.type, kCounter);
        EXPECT_EQ(event.type == kCounter, tracks[id].counts);
        if (event.type == kEnd) {
            ASSERT_FALSE(open.empty()) << "nothing to end on " << event.track;
            open.back().to = at;
            events.push_back(open.back());
            open.pop_back();
            return;
        }
        event.name = text_of(fields, 23);
        EXPECT_EQ(event.name.empty(), event.type == kCounter);
        event.depth = open.size();
        event.value = static_cast<int64_t>(number_of(fields, 30));
        read_said(fields, event);
        read_flows(fields, event);
        (event.type == kBegin ? open : events).push_back(event);
    }
    static void read_said(const ProtobufFields& fields, DecodedEvent& event) {
        const auto [first, last] = fields.equal_range(4);
        for (auto one = first; one != last; ++one) {
            const ProtobufFields said = decode_protobuf(one->second.bytes);
            event.said[text_of(said, 10)] =
                said.contains(6) ? text_of(said, 6) : std::to_string(static_cast<int64_t>(number_of(said, 4)));
        }
    }
    void read_flows(const ProtobufFields& fields, DecodedEvent& event) {
        const auto [first, last] = fields.equal_range(47);
        for (auto one = first; one != last; ++one) {
            event.flows.push_back(one->second.number);
            EXPECT_EQ(++begun_flows_[one->second.number], 1);
        }
        const auto [first_ended, last_ended] = fields.equal_range(48);
        for (auto one = first_ended; one != last_ended; ++one) {
            event.ended_flows.push_back(one->second.number);
            EXPECT_TRUE(begun_flows_.contains(one->second.number)) << "a flow ends before it begins";
            EXPECT_EQ(++ended_flows_[one->second.number], 1);
        }
    }

    uint64_t last_ = 0;
    std::map<uint64_t, uint64_t> last_on_;  // by track
    std::map<uint64_t, std::vector<DecodedEvent>> open_;
    std::map<uint64_t, int> begun_flows_, ended_flows_;
};

}  // namespace xsched::test
