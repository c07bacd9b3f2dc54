// The file of xcli record: what is written is read, and no file harms its reader.
#include "ipc/recording.h"

#include <gtest/gtest.h>

#include <random>

namespace xsched::ipc {
namespace {

Recording example() {
    Recording recording{.lasts_ns = 10'000'000'000, .lost = 3, .policy = "OBSERVE"};
    recording.queues = {{.client = 1, .slot = 0, .pid = 77, .program = "train", .device = UINT64_MAX, .level = 3},
                        {.client = 2, .slot = 1023, .pid = -1, .program = "", .priority = -256}};
    recording.changes = {
        {.at_ns = -5, .kind = RecordedKind::kReady, .client = 1, .completed = UINT64_MAX, .command_ns = 300'000},
        {.at_ns = 900, .kind = RecordedKind::kSuspended, .client = 1, .reason = 4, .by_client = 2},
        {.at_ns = 850, .kind = RecordedKind::kGone, .client = 2, .slot = 1023}};
    return recording;
}

TEST(Recording, IsReadAsItWasWritten) { EXPECT_EQ(read_recording(write_recording(example())), example()); }

TEST(Recording, AFileOfTheFirstVersionIsRead) {
    Recording recording = example();
    recording.policy = "";
    std::string bytes = write_recording(recording);
    bytes[kRecordingMagic.size()] = 1;
    const std::string before = write_recording({.lasts_ns = recording.lasts_ns, .lost = recording.lost});
    bytes.erase(before.size() - 3, 1);  // the length of the policy's name, before the counts of queues and changes
    EXPECT_EQ(read_recording(bytes), recording);
}

TEST(Recording, AnEntryTakesFewBytes) {
    Recording recording;
    for (int64_t i = 0; i < 1000; ++i) {
        recording.changes.push_back(
            {.at_ns = i * 16'000'000, .client = 1, .completed = static_cast<uint64_t>(i) * 100, .command_ns = 7'000});
    }
    EXPECT_LT(write_recording(recording).size(), 15'000U);
}

TEST(Recording, AnotherVersionOrKindIsRefused) {
    std::string bytes = write_recording(example());
    ++bytes[kRecordingMagic.size()];
    EXPECT_THROW(read_recording(bytes), std::runtime_error);
    EXPECT_THROW(read_recording("{}"), std::runtime_error);
}

TEST(Recording, TimesThatOverflowAreRefused) {
    for (const int64_t at_ns : {INT64_MAX, INT64_MIN + 1, int64_t{1} << 60}) {
        Recording recording = example();
        recording.changes = {{.at_ns = at_ns, .client = 1}};
        EXPECT_THROW(read_recording(write_recording(recording)), std::runtime_error) << at_ns;
        recording = example();
        recording.lasts_ns = at_ns;
        EXPECT_THROW(read_recording(write_recording(recording)), std::runtime_error) << at_ns;
    }
}

// Read, or refused with a sentence.
TEST(Recording, NoFileHarmsItsReader) {
    const std::string good = write_recording(example());
    for (size_t end = 0; end < good.size(); ++end)
        EXPECT_THROW(read_recording(std::string_view(good).substr(0, end)), std::runtime_error);
    std::mt19937 random(5);
    for (int i = 0; i < 20'000; ++i) {
        std::string bad = good;
        for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes)
            bad[kRecordingMagic.size() + 1 + random() % (bad.size() - kRecordingMagic.size() - 1)] =
                static_cast<char>(random());
        try {
            read_recording(bad);
        } catch (const std::runtime_error&) {
        }
    }
}

}  // namespace
}  // namespace xsched::ipc
