// The dispatcher's journal for a tool that records: a ring that never makes it wait.
#include "dispatch/journal.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <thread>

#include "dispatch/fake_client.h"
#include "dispatch/recorded_users.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

JournalEntry entry(uint64_t number) {
    return {.at_ns = static_cast<int64_t>(number) * 7,
            .client = static_cast<uint32_t>(number),
            .slot = static_cast<uint16_t>(number % 1024),
            .kind = static_cast<JournalKind>(number % 12),
            .reason = static_cast<uint8_t>(number % 11),
            .mechanism = static_cast<uint8_t>(number % 8),
            .state = static_cast<uint8_t>(number % 7),
            .priority = static_cast<int16_t>(static_cast<int>(number % 511) - 255),
            .by_client = static_cast<uint32_t>(number + 1),
            .completed = number * 3,
            .command_ns = static_cast<int64_t>(number) * 1000};
}

std::vector<JournalEntry> read_all(const Journal& journal) {
    std::vector<JournalEntry> entries;
    uint64_t lost = 0;
    journal.read(0, SIZE_MAX, entries, lost);
    EXPECT_EQ(lost, journal.oldest());
    return entries;
}

void admit(Dispatcher& dispatcher, Journal& journal, std::initializer_list<FakeClient*> clients) {
    for (FakeClient* client : clients) {
        ClientView view = client->view();
        view.journal = &journal;
        dispatcher.add_client(view);
    }
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

// An entry that is read is the entry that was written, or is counted as lost, while the writer goes round and round.
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

TEST(Journal, FindsWhatWasSinceThen) {
    Journal journal;
    journal.want_until(INT64_MAX);
    EXPECT_EQ(journal.first_since(0), 0U);
    for (uint64_t number = 0; number < 1000; ++number) journal.add(entry(number));
    EXPECT_EQ(journal.first_since(0), 0U);
    EXPECT_EQ(journal.first_since(7 * 500), 500U);
    EXPECT_EQ(journal.first_since(7 * 500 - 1), 500U);
    EXPECT_EQ(journal.first_since(INT64_MAX), 1000U);
    for (uint64_t number = 1000; number < Journal::kEntries + 300; ++number) journal.add(entry(number));
    EXPECT_EQ(journal.oldest(), 300U);
    EXPECT_EQ(journal.first_since(0), 300U);
    EXPECT_EQ(journal.first_since(7 * 5000), 5000U);
}

// The first entry since a time is found whatever times clients give for their queues.
TEST(Journal, FindsItWhateverTimesClientsSay) {
    for (const int64_t said_ns : {int64_t{0}, int64_t{INT64_MAX}}) {
        Journal journal;
        journal.want_until(INT64_MAX);
        UserLimits user;
        uint64_t wanted = 0;
        for (int64_t ms = 0; ms < 5000; ++ms) {
            if (ms == 2500) wanted = journal.end();
            JournalEntry hostile = entry(1);
            hostile.at_ns = said_ns;
            for (int i = 0; i < 5; ++i) journal.add(hostile, &user, kStart + ms * kMs);
            JournalEntry honest = entry(2);
            honest.at_ns = kStart + ms * kMs;
            journal.add(honest, &user, kStart + ms * kMs);
        }
        const uint64_t first = journal.first_since(kStart + 2500 * kMs);
        EXPECT_LE(first, wanted + 5) << "its first honest one";
        EXPECT_GE(first + 256, wanted) << "and not much before";
    }
}

TEST(Journal, KeptAlwaysItIsNotEndedByWhoAsksForAWhile) {
    Journal journal;
    journal.want_until(INT64_MAX);
    journal.want_until(kStart);
    EXPECT_TRUE(journal.always());
    EXPECT_TRUE(journal.wanted(kStart + kMs));
}

TEST(Journal, NoUserReplacesWhatIsKeptOfAnother) {
    Journal journal;
    journal.want_until(INT64_MAX);
    journal.share(2);
    UserLimits quiet;
    UserLimits loud;
    journal.add(entry(7), &quiet, kStart);
    for (int64_t us = 0; us < Journal::kKeptNs / kUs; us += 20) journal.add(entry(8), &loud, kStart + us * kUs);
    EXPECT_LT(journal.end(), Journal::kEntries / 2 + 10);
    EXPECT_EQ(read_all(journal).front(), entry(7));
    EXPECT_EQ(quiet.not_recorded, 0U);
    EXPECT_EQ(journal.end() + loud.not_recorded, 1U + Journal::kKeptNs / kUs / 20);
    journal.share(1);  // alone it has all
    const uint64_t before = journal.end();
    journal.add(entry(9), &loud, kStart + Journal::kKeptNs);
    EXPECT_EQ(journal.end(), before + 1);
}

// A user whose last program has ended keeps a part of the journal for as long as entries are kept, so that they can be
// read after that end.
TEST(Journal, WhoeverLeftHasHisPartForAsLongAsItIsKept) {
    const auto here = std::make_shared<UserLimits>();
    const auto gone = std::make_shared<UserLimits>();
    RecordedUsers users;
    for (const auto& user : {here, gone, gone}) users.came(user);
    EXPECT_EQ(users.count(kStart), 2U);
    users.left(*gone, kStart);
    users.left(*gone, kStart + kMs);
    EXPECT_EQ(users.count(kStart + Journal::kKeptNs), 2U);
    EXPECT_EQ(users.due_ns(), kStart + kMs + Journal::kKeptNs);
    users.came(gone);  // and comes again: he has no second part
    users.left(*gone, kStart + 2 * kMs);
    EXPECT_EQ(users.count(kStart + kMs + Journal::kKeptNs), 2U);
    EXPECT_EQ(users.count(users.due_ns()), 1U);
    EXPECT_EQ(users.due_ns(), 0);
    users.left(*here, kStart);
    EXPECT_EQ(users.count(kStart + Journal::kKeptNs), 0U);
}

// A tool that begins to read the journal late still learns what a queue is (its program and device): the journal
// repeats this.
TEST(Journal, SaysWhatAQueueIsFromThenOn) {
    Journal journal;
    journal.want_until(INT64_MAX);
    FakeClient low(1, 11);
    FakeClient high(2, 12);
    low.make_queue(0, -3, 77);
    high.make_queue(0, 5, 77);
    Dispatcher dispatcher(hpf_core());
    admit(dispatcher, journal, {&low, &high});
    dispatcher.pass(kStart);
    low.submit(0, kStart + kMs, 3);
    high.submit(0, kStart + kMs);
    dispatcher.pass(kStart + kMs);
    low.free_queue(0);
    dispatcher.pass(kStart + 2 * kMs);
    std::vector<JournalEntry> of_low;
    for (const JournalEntry& one : read_all(journal))
        if (one.client == 1) of_low.push_back(one);
    ASSERT_EQ(of_low.size(), 5U);
    EXPECT_EQ(of_low[0].kind, JournalKind::kCame);
    EXPECT_EQ(of_low[0].completed, 77U);
    EXPECT_EQ(of_low[0].state, 0);
    EXPECT_EQ(of_low[1].kind, JournalKind::kFollowed);
    EXPECT_EQ(of_low[1].state, JournalEntry::kIsFollowed);
    EXPECT_EQ(of_low[2].kind, JournalKind::kReady);
    EXPECT_EQ(of_low[2].state, JournalEntry::kIsFollowed | JournalEntry::kHasWork);
    EXPECT_EQ(of_low[2].priority, -3);
    EXPECT_EQ(of_low[3].kind, JournalKind::kSuspended);
    EXPECT_EQ(of_low[3].state, JournalEntry::kIsFollowed | JournalEntry::kHasWork | JournalEntry::kIsSuspended);
    EXPECT_EQ(of_low[3].by_client, 2U);
    EXPECT_EQ(of_low[3].mechanism, static_cast<uint8_t>(sched::Mechanism::kGate));
    EXPECT_EQ(of_low[4].kind, JournalKind::kGone);
    EXPECT_EQ(of_low[4].completed, 77U);
}

// Two programs with a queue each, of which one is more urgent, and a journal that a tool reads.
class JournalOfTwo : public ::testing::Test {
protected:
    JournalOfTwo() {
        low.make_queue(0, 0);
        high.make_queue(0, 5);
        admit(dispatcher, journal, {&low, &high});
        dispatcher.pass(kStart);
        journal.want_until(INT64_MAX);
    }
    Journal journal;
    FakeClient low{1, 11};
    FakeClient high{2, 12};
    Dispatcher dispatcher{hpf_core()};
};

// Between two passes a whole burst may begin and end, or one may end and the next begin. The journal must still tell
// of them.
TEST_F(JournalOfTwo, TellsOfBurstsThatWereOverBeforeTheyWereSeen) {
    low.submit(0, kStart + kMs);
    low.complete(0, kStart + 2 * kMs);
    dispatcher.pass(kStart + 3 * kMs);
    low.submit(0, kStart + 4 * kMs);
    dispatcher.pass(kStart + 4 * kMs);
    low.complete(0, kStart + 5 * kMs);
    low.submit(0, kStart + 6 * kMs);
    dispatcher.pass(kStart + 7 * kMs);
    std::vector<std::pair<JournalKind, int64_t>> seen;
    for (const JournalEntry& entry : read_all(journal)) seen.emplace_back(entry.kind, (entry.at_ns - kStart) / kMs);
    const std::vector<std::pair<JournalKind, int64_t>> wanted{{JournalKind::kWasReady, 1},
                                                              {JournalKind::kWasIdle, 2},
                                                              {JournalKind::kReady, 4},
                                                              {JournalKind::kWasIdle, 5},
                                                              {JournalKind::kWasReady, 6}};
    EXPECT_EQ(seen, wanted);
}

TEST_F(JournalOfTwo, TellsOfWorkAndOfDecisions) {
    low.submit(0, kStart + kMs, 3);
    dispatcher.pass(kStart + kMs);
    high.submit(0, kStart + 2 * kMs);
    dispatcher.pass(kStart + 2 * kMs);
    high.complete(0, kStart + 3 * kMs);
    dispatcher.pass(kStart + 3 * kMs);
    std::vector<JournalEntry> entries = read_all(journal);
    std::erase_if(entries, [](const JournalEntry& one) { return one.kind > JournalKind::kGone; });
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
