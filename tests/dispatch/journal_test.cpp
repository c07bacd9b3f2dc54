// What the dispatcher writes for a tool that records: a ring that never makes it wait.
#include "dispatch/journal.h"

#include <gtest/gtest.h>

#include <thread>

#include "dispatch/fake_client.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

JournalEntry entry(uint64_t number) {
    return {.at_ns = static_cast<int64_t>(number) * 7,
            .client = static_cast<uint32_t>(number),
            .slot = static_cast<uint32_t>(number % 1024),
            .kind = static_cast<JournalKind>(number % 5),
            .reason = static_cast<uint8_t>(number % 11),
            .by_client = static_cast<uint32_t>(number + 1),
            .completed = number * 3,
            .command_ns = static_cast<int64_t>(number) * 1000};
}

TEST(Journal, NothingIsWrittenBeforeSomebodyAsks) {
    Journal journal;
    EXPECT_FALSE(journal.wanted(kStart));
    journal.add(entry(1));
    EXPECT_EQ(journal.end(), 0U);
    journal.want_until(kStart + kMs);
    EXPECT_TRUE(journal.wanted(kStart));
    EXPECT_FALSE(journal.wanted(kStart + kMs));
}

TEST(Journal, GivesWhatItWasGivenAndSaysWhatWasLost) {
    Journal journal;
    journal.want_until(INT64_MAX);
    for (uint64_t number = 0; number < 100; ++number) journal.add(entry(number));
    std::vector<JournalEntry> entries;
    uint64_t lost = 0;
    EXPECT_EQ(journal.read(90, 4, entries, lost), 94U);
    ASSERT_EQ(entries.size(), 4U);
    EXPECT_EQ(entries[0], entry(90));
    EXPECT_EQ(entries[3], entry(93));
    EXPECT_EQ(lost, 0U);
    for (uint64_t number = 100; number < Journal::kEntries + 50; ++number) journal.add(entry(number));
    entries.clear();
    EXPECT_EQ(journal.read(0, 1, entries, lost), 51U);
    EXPECT_EQ(lost, 50U);
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0], entry(50));
}

// What is read is what was written, or is counted as lost, while the writer goes round and round.
TEST(Journal, AReaderNeverSeesHalfAnEntry) {
    constexpr uint64_t kCount = 4 * Journal::kEntries;
    Journal journal;
    journal.want_until(INT64_MAX);
    std::thread writer([&] {
        for (uint64_t number = 0; number < kCount; ++number) journal.add(entry(number));
    });
    uint64_t next = 0;
    uint64_t lost = 0;
    uint64_t seen = 0;
    std::vector<JournalEntry> entries;
    while (next < kCount) {
        entries.clear();
        next = journal.read(next, 1000, entries, lost);
        seen += entries.size();
        for (const JournalEntry& read : entries) ASSERT_EQ(read, entry(read.client));
    }
    writer.join();
    EXPECT_EQ(seen + lost, kCount);
}

TEST(Journal, TellsOfWorkAndOfDecisions) {
    Journal journal;
    FakeClient low(1, 11);
    FakeClient high(2, 12);
    low.make_queue(0, 0);
    high.make_queue(0, 5);
    Dispatcher dispatcher(hpf_core());
    for (FakeClient* client : {&low, &high}) {
        ClientView view = client->view();
        view.journal = &journal;
        dispatcher.add_client(view);
    }
    dispatcher.pass(kStart);
    journal.want_until(INT64_MAX);
    low.submit(0, kStart + kMs, 3);
    dispatcher.pass(kStart + kMs);
    high.submit(0, kStart + 2 * kMs);
    dispatcher.pass(kStart + 2 * kMs);
    high.complete(0, kStart + 3 * kMs);
    dispatcher.pass(kStart + 3 * kMs);
    std::vector<JournalEntry> entries;
    uint64_t lost = 0;
    journal.read(0, 100, entries, lost);
    ASSERT_EQ(entries.size(), 4U);
    EXPECT_EQ(entries[0].kind, JournalKind::kReady);
    EXPECT_EQ(entries[0].client, 1U);
    EXPECT_EQ(entries[0].at_ns, kStart + kMs);
    EXPECT_EQ(entries[1].kind, JournalKind::kReady);
    EXPECT_EQ(entries[1].client, 2U);
    EXPECT_EQ(entries[2].kind, JournalKind::kSuspended);
    EXPECT_EQ(entries[2].client, 1U);
    EXPECT_EQ(entries[2].by_client, 2U);
    EXPECT_EQ(entries[3].kind, JournalKind::kIdle);
    EXPECT_EQ(entries[3].completed, 1U);
}

}  // namespace
}  // namespace xsched::dispatch
