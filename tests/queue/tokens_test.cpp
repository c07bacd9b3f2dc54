#include "queue/tokens.h"

#include <gtest/gtest.h>

namespace xsched::queue {
namespace {

// Makes a call for a command that gets no completion token of its own, and lets the call return.
void call_without(Tokens& tokens, uint32_t stride, XqOrder order) {
    EXPECT_EQ(tokens.next(stride, order), 0u);
    tokens.returned_without();
}

TEST(Tokens, EachCommandHasItsOwn) {
    Tokens tokens;
    EXPECT_EQ(tokens.next(1, kXqInOrder), 1u);
    EXPECT_EQ(tokens.next(1, kXqAnyOrder), 1u);
    EXPECT_EQ(tokens.out(), 2u);
    EXPECT_TRUE(tokens.come_back());
    EXPECT_TRUE(tokens.come_back());
    EXPECT_FALSE(tokens.come_back()) << "none is out";
}

TEST(Tokens, OneOfAStrideStandsForThoseBeforeIt) {
    Tokens tokens;
    for (int i = 0; i < 2; ++i) call_without(tokens, 3, kXqInOrder);
    EXPECT_EQ(tokens.unreported(), 2u);
    EXPECT_EQ(tokens.next(3, kXqInOrder), 3u);
    EXPECT_EQ(tokens.unreported(), 0u);
}

TEST(Tokens, WithoutOrderItStandsForItselfAlone) {
    Tokens tokens;
    call_without(tokens, 2, kXqAnyOrder);
    EXPECT_EQ(tokens.next(2, kXqAnyOrder), 1u);
    EXPECT_EQ(tokens.unreported(), 1u);
}

TEST(Tokens, WhatAFailedCallStoodForIsUnreportedAgain) {
    Tokens tokens;
    call_without(tokens, 2, kXqInOrder);
    const uint32_t covers = tokens.next(2, kXqInOrder);
    tokens.take_back(covers);
    EXPECT_EQ(tokens.out(), 0u);
    EXPECT_EQ(tokens.unreported(), 1u);
    EXPECT_EQ(tokens.next_behind_all(), 1u);
    EXPECT_EQ(tokens.next_behind_all(), 0u) << "all report themselves";
}

TEST(Tokens, ASynchronizeTellsOfThoseThatReturnedBeforeIt) {
    Tokens tokens;
    for (int i = 0; i < 3; ++i) tokens.returned_without();
    const uint64_t mark = tokens.mark();
    tokens.returned_without();
    EXPECT_EQ(tokens.synchronized(mark), 3u);
    EXPECT_EQ(tokens.synchronized(mark), 0u) << "told already";
    EXPECT_EQ(tokens.synchronized(mark + 9), 0u) << "of another queue";
    EXPECT_EQ(tokens.unreported(), 1u);
}

TEST(Tokens, OneStandsForNoMoreThanItsBitsCanSay) {
    Tokens tokens;
    for (uint32_t i = 0; i < kMostCovered + 5; ++i) tokens.returned_without();
    EXPECT_EQ(tokens.next_behind_all(), kMostCovered);
    EXPECT_EQ(tokens.next_behind_all(), 5u);
}

}  // namespace
}  // namespace xsched::queue
