// The score of promises: which programs they are counted for, and what is forgotten.
#include "server/promise_book.h"

#include <gtest/gtest.h>

namespace xsched::server {
namespace {

Promise promise_to(pid_t pid, uid_t user = 1) {
    return {.user = user, .pid = pid, .program = "serve", .target_us = 5000, .predicted_us = 4000};
}

TEST(PromiseBook, CountsWhatEnded) {
    PromiseBook book;
    ASSERT_TRUE(book.add(promise_to(10)));
    ASSERT_TRUE(book.add(promise_to(20)));
    ASSERT_TRUE(book.add(promise_to(30)));
    book.came(10, 1);
    book.came(20, 2);
    book.came(99, 3);
    EXPECT_TRUE(book.left(1, {.requests = 1000, .late = 10}));
    EXPECT_EQ(book.kept(), 0U) << "its process may connect again";
    EXPECT_TRUE(book.ended(10));
    EXPECT_TRUE(book.ended(20)) << "its client is still there";
    EXPECT_EQ(book.broken(), 0U);
    EXPECT_TRUE(book.left(2, {.requests = 1000, .late = 11}));
    EXPECT_TRUE(book.ended(30));
    EXPECT_FALSE(book.left(3, {.requests = 1, .late = 1})) << "nothing was promised to it";
    EXPECT_EQ(book.kept(), 1U);
    EXPECT_EQ(book.broken(), 1U) << "the third never used a device";
}

TEST(PromiseBook, SurvivesTheServer) {
    PromiseBook book;
    book.add(promise_to(10));
    book.came(10, 1);
    book.left(1, {.requests = 50, .late = 0});
    PromiseBook next;
    next.take_up(book.to_json());
    ASSERT_EQ(next.promises().size(), 1U);
    EXPECT_EQ(next.promises()[0].past.requests, 50U);
    next.came(10, 7);
    EXPECT_TRUE(next.left(7, {.requests = 50, .late = 3}));
    EXPECT_TRUE(next.ended(10));
    EXPECT_EQ(next.broken(), 1U) << "3 of 100 were late";
    next.take_up("nonsense");
    next.take_up({{"promises", {{{"user", "nobody"}}}}});
}

TEST(PromiseBook, ForgetsTheOldestThatIsOver) {
    PromiseBook book;
    for (pid_t pid = 1; pid <= static_cast<pid_t>(PromiseBook::kMostOfUser); ++pid)
        ASSERT_TRUE(book.add(promise_to(pid)));
    EXPECT_FALSE(book.add(promise_to(1000))) << "none of the user's is over";
    EXPECT_TRUE(book.add(promise_to(1000, 2))) << "another user's";
    book.ended(5);
    EXPECT_TRUE(book.add(promise_to(1001)));
    for (const Promise& one : book.promises()) EXPECT_NE(one.pid, 5);
}

TEST(PromiseBook, AUserWithManyTakesNoOthersRoom) {
    PromiseBook book;
    ASSERT_TRUE(book.add(promise_to(1, 100)));
    pid_t pid = 2;
    for (uid_t user = 1; user <= 6; ++user)
        for (size_t i = 0; i < PromiseBook::kMostOfUser; ++i) EXPECT_TRUE(book.add(promise_to(pid++, user)));
    EXPECT_EQ(book.promises().size(), PromiseBook::kMost);
    EXPECT_EQ(book.promises().front().user, 100U) << "it has one only";
}

}  // namespace
}  // namespace xsched::server
