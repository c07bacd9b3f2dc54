// The habits of programs' last runs: whose, how much, and their use by a server after the one that wrote them.
#include "server/habit_book.h"

#include <gtest/gtest.h>

namespace xsched::server {
namespace {

sched::Habits habits_of(uint32_t think_us) {
    sched::Habits habits{.think_times = sched::Habits::kThinkTimes, .pauses = 10, .short_ones = 5, .waited = 1};
    habits.think_us.fill(think_us);
    return habits;
}

TEST(HabitBook, ByUserAndName) {
    HabitBook book;
    EXPECT_FALSE(book.of(1, "server").known());
    ASSERT_TRUE(book.note(1, "server", habits_of(10)));
    ASSERT_TRUE(book.note(1, "train", habits_of(20)));
    EXPECT_EQ(book.of(1, "server"), habits_of(10));
    EXPECT_EQ(book.of(1, "train"), habits_of(20));
    EXPECT_FALSE(book.of(2, "server").known()) << "another user's is another program";
    ASSERT_TRUE(book.note(1, "server", habits_of(30)));
    EXPECT_EQ(book.of(1, "server"), habits_of(30)) << "its last run";
    EXPECT_FALSE(book.note(1, "server", {})) << "one in which nothing was learned changes nothing";
    EXPECT_EQ(book.of(1, "server"), habits_of(30));
}

TEST(HabitBook, AUserHasSoManyAndCostsNobodyElse) {
    HabitBook book;
    book.note(1, "server", habits_of(10));
    for (uint32_t i = 0; i < 4 * HabitBook::kMostOfUser; ++i) book.note(2, std::to_string(i), habits_of(i));
    EXPECT_TRUE(book.of(1, "server").known());
    EXPECT_FALSE(book.of(2, "0").known());
    EXPECT_TRUE(book.of(2, std::to_string(4 * HabitBook::kMostOfUser - 1)).known());
    EXPECT_EQ(book.to_json().size(), HabitBook::kMostOfUser + 1);
    for (uid_t user = 3; user < 12; ++user)
        for (uint32_t i = 0; i < HabitBook::kMostOfUser; ++i) book.note(user, std::to_string(i), habits_of(i));
    EXPECT_EQ(book.to_json().size(), HabitBook::kMost);
    EXPECT_TRUE(book.of(1, "server").known()) << "who has most makes room";
    book.note(7, std::string(100'000, 'x'), habits_of(1));
    EXPECT_TRUE(book.of(7, std::string(100'000, 'x')).known());
    EXPECT_LT(book.to_json().dump().size(), HabitBook::kMost * 256);
}

TEST(HabitBook, TheNextServerGoesOnWithIt) {
    HabitBook book;
    book.note(1, "server", habits_of(10));
    book.note(1000, "train", habits_of(20));
    HabitBook next;
    next.take_up(book.to_json());
    EXPECT_EQ(next.of(1, "server"), habits_of(10));
    EXPECT_EQ(next.of(1000, "train"), habits_of(20));
}

TEST(HabitBook, LongCommandsAreWorthKeepingByThemselves) {
    sched::Habits habits;
    habits.longest_ms = 20'000;
    HabitBook book;
    EXPECT_TRUE(book.note(1, "simulation", habits));
    HabitBook next;
    next.take_up(book.to_json());
    EXPECT_EQ(next.of(1, "simulation").longest_ms, 20'000u);
    EXPECT_FALSE(next.of(1, "simulation").known());
    habits.longest_ms = 0;
    EXPECT_FALSE(book.note(1, "simulation", habits));
}

TEST(HabitBook, SoIsTheTimeUntilAProgramIsOffItsDevice) {
    sched::Habits habits;
    habits.off_us = 310;
    HabitBook book;
    EXPECT_TRUE(book.note(1, "train", habits));
    HabitBook next;
    next.take_up(book.to_json());
    EXPECT_EQ(next.of(1, "train").off_us, 310u);
}

TEST(HabitBook, WhatCannotBeReadIsLeftOut) {
    HabitBook book;
    book.note(1, "server", habits_of(10));
    nlohmann::json kept = book.to_json();
    const nlohmann::json good = kept[0];
    for (const char* key : {"user", "program", "think_us", "pauses", "short", "waited", "off_us", "longest_ms"}) {
        for (const nlohmann::json& wrong :
             {nlohmann::json("text"), nlohmann::json(-1.5), nlohmann::json(nullptr), nlohmann::json::array({1})}) {
            nlohmann::json entry = good;
            entry["program"] = "other";
            entry[key] = wrong;
            kept.push_back(entry);
        }
    }
    kept.push_back(7);
    HabitBook next;
    next.take_up(kept);
    EXPECT_EQ(next.of(1, "server"), habits_of(10));
    next.take_up("nothing");
    next.take_up({{"user", 1}});
    EXPECT_EQ(next.of(1, "server"), habits_of(10));
}

TEST(HabitBook, KeepsTheWorkThatARunHasShown) {
    HabitBook book;
    ProgramWork work{.requests = 30};
    work.request_us.fill(500);
    ASSERT_TRUE(book.note(1, "server", {}, work)) << "the work alone is worth an entry";
    ASSERT_TRUE(book.note(1, "server", habits_of(30))) << "a run without measured requests";
    EXPECT_EQ(book.work_of(1, "server"), work);
    EXPECT_EQ(book.of(1, "server"), habits_of(30));
    HabitBook next;
    next.take_up(book.to_json());
    EXPECT_EQ(next.work_of(1, "server"), work);
    EXPECT_EQ(next.works_of(1).size(), 1U);
    EXPECT_EQ(next.works_of(2).size(), 0U) << "another user's";
}

}  // namespace
}  // namespace xsched::server
