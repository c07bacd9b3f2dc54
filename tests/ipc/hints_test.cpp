// Every row of base/hints.def: range, default, merge, slot, and its line in docs/hints.md.
#include "base/hints.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "base/options.h"
#include "ipc/slot_hints.h"

namespace xsched::ipc {
namespace {

using base::HintId;
using base::HintInfo;
using base::HintKind;
using base::HintMerge;
using base::Hints;

constexpr int64_t kNow = 50'000'000'000'000;

// Return two values that a hint can have, in stored form, the smaller and the larger. A switch has only its two
// bounds.
int64_t smaller(const HintInfo& hint) { return hint.kept(hint.least + (hint.kind != HintKind::kSwitch), kNow); }
int64_t larger(const HintInfo& hint) { return hint.kept(hint.most - (hint.kind != HintKind::kSwitch), kNow); }

int64_t load_one(const QueueSlot& slot, HintId id) { return base::get_hint(load_hints(slot), id); }

TEST(Hints, RowsAreWhole) {
    std::set<std::string> seen;
    for (const HintInfo& hint : base::kHints) {
        SCOPED_TRACE(hint.name);
        EXPECT_EQ(&base::hint_info(hint.id), &hint);
        EXPECT_LT(hint.least, hint.most);
        EXPECT_GE(hint.fallback, hint.least);
        EXPECT_LE(hint.fallback, hint.most);
        EXPECT_TRUE(hint.accepts(hint.fallback));
        EXPECT_EQ(hint.request != nullptr, hint.words != nullptr) << "xcli asks the server";
        EXPECT_TRUE(hint.in_run != base::HintInRun::kNoRun && hint.words != nullptr && hint.option != nullptr);
        EXPECT_TRUE(hint.merge != HintMerge::kTighter || hint.fallback == 0) << "0 is no limit";
        for (const char* name : {hint.option, hint.request, hint.words})
            EXPECT_TRUE(name == nullptr || seen.insert(name).second) << name;
        EXPECT_EQ(std::string(hint.function).rfind("XHint", 0), 0U);
    }
}

TEST(Hints, WhatIsToldIsBroughtInRange) {
    for (const HintInfo& hint : base::kHints) {
        SCOPED_TRACE(hint.name);
        for (const int64_t told : {INT64_MIN, hint.least - 1, hint.least, hint.most, hint.most + 1, INT64_MAX}) {
            const int64_t kept = hint.kept(told, kNow);
            EXPECT_EQ(hint.told(kept, kNow), std::clamp(told, hint.least, hint.most));
            EXPECT_EQ(hint.trusted(kept, kNow, 1000), kept);
        }
    }
}

TEST(Hints, AHostileSlotIsReadInRange) {
    for (const HintInfo& hint : base::kHints) {
        SCOPED_TRACE(hint.name);
        const int64_t beyond =
            hint.most < INT64_MAX / 2000 ? kNow + hint.most * 1000 + 1 : INT64_MAX;  // a time's, if in us
        for (const int64_t kept : {INT64_MIN, int64_t{-1}, int64_t{0}, beyond, INT64_MAX}) {
            const int64_t told = hint.told(hint.trusted(kept, kNow, 1000), kNow);
            EXPECT_GE(told, hint.least);
            EXPECT_LE(told, hint.most);
        }
    }
}

TEST(Hints, MergeAsTheirRowSays) {
    for (const HintInfo& hint : base::kHints) {
        SCOPED_TRACE(hint.name);
        Hints few;
        Hints many;
        base::set_hint(few, hint.id, smaller(hint));
        base::set_hint(many, hint.id, larger(hint));
        for (const bool few_first : {true, false}) {
            Hints all = few_first ? few : many;
            base::merge_hints(all, few_first ? many : few);
            const int64_t merged = base::get_hint(all, hint.id);
            const bool takes_smaller = hint.merge == HintMerge::kKey ? few_first : hint.merge == HintMerge::kTighter;
            EXPECT_EQ(merged, takes_smaller ? smaller(hint) : larger(hint));
        }
        if (hint.merge == HintMerge::kTighter) {
            Hints none;
            base::merge_hints(none, many);
            EXPECT_EQ(base::get_hint(none, hint.id), larger(hint)) << "0 is no limit";
        }
    }
}

TEST(Hints, EachHasItsOwnPlaceInASlot) {
    const auto slot = std::make_unique<QueueSlot>();
    Hints hints;
    for (const HintInfo& hint : base::kHints) base::set_hint(hints, hint.id, smaller(hint));
    store_hints(*slot, hints);
    EXPECT_EQ(load_hints(*slot), hints);
    for (const HintInfo& hint : base::kHints) {
        SCOPED_TRACE(hint.name);
        store_hint(*slot, hint.id, larger(hint));
        base::set_hint(hints, hint.id, larger(hint));
        EXPECT_EQ(load_one(*slot, hint.id), larger(hint));
        EXPECT_EQ(load_hints(*slot), hints) << "the others are as they were";
    }
}

TEST(Hints, VariablesSetThem) {
    for (const HintInfo& hint : base::kHints)
        if (hint.option != nullptr) unsetenv(hint.option);
    EXPECT_EQ(static_cast<const Hints&>(base::read_options()), Hints{});
    for (const HintInfo& hint : base::kHints) {
        if (hint.option == nullptr) continue;
        SCOPED_TRACE(hint.option);
        for (const int64_t value : {hint.least, hint.most}) {
            setenv(hint.option, std::to_string(value).c_str(), 1);
            EXPECT_EQ(base::get_hint(base::read_options(), hint.id), value);
        }
        for (const int64_t value : {hint.least - 1, hint.most + 1}) {
            setenv(hint.option, std::to_string(value).c_str(), 1);
            EXPECT_EQ(base::get_hint(base::read_options(), hint.id), hint.fallback);
        }
        unsetenv(hint.option);
    }
}

std::string quoted(const char* text) { return text == nullptr ? "" : "`" + std::string(text) + "`"; }

std::string line_of(const HintInfo& hint) {
    constexpr const char* kMerges[] = {"one unit each", "the largest", "the smallest but 0"};
    std::string name = hint.request != nullptr ? hint.request : hint.name;
    return "| " + quoted(name.c_str()) + " | " + hint.help + " | " + std::to_string(hint.least) + " to " +
           std::to_string(hint.most) + " | " + std::to_string(hint.fallback) + " | " +
           kMerges[static_cast<size_t>(hint.merge)] + " | " + quoted(hint.function) + " | " + quoted(hint.words) +
           " | " + quoted(hint.option) + " |\n";
}

TEST(Hints, DocsHaveALineForEach) {
    std::ifstream file(XSCHED_SOURCES "/docs/hints.md");
    ASSERT_TRUE(file.good());
    std::stringstream text;
    text << file.rdbuf();
    std::string lines;
    for (const HintInfo& hint : base::kHints) lines += line_of(hint);
    const std::string page = text.str();
    EXPECT_NE(page.find("|---|---|---|---|---|---|---|---|\n" + lines + "\n"), std::string::npos)
        << "docs/hints.md should say:\n"
        << lines;
}

}  // namespace
}  // namespace xsched::ipc
