// Holds with several causes, and holds that no one notices.
#include "cli/explain/explain_rig.h"

namespace xsched::test {
namespace {

using HeldParts = Explain;

std::string details_of(const Explained& told) {
    std::string text;
    for (const std::string& detail : told.details) text += detail + "\n";
    return text;
}

TEST_F(HeldParts, CausesWithAGoodPartAreAllTold) {
    slow["limit"] = 80;
    hold(cause("less_urgent", &other, 119, 10));
    EXPECT_FALSE(has(details_of(explained()), "of these")) << "one cause";
    for (Json& held : slow["held"]) {
        held["ms"] = 209.0;
        held["holds"] = 31;
        held["by"] = {cause("less_urgent", &other, 60, 4), cause("limited", nullptr, 90, 21),
                      cause("anticipation", &other, 59, 6)};
    }
    const std::string told = details_of(explained());
    EXPECT_TRUE(has(told,
                    "of these: 119 ms (10 times) behind pid 1002 (server, priority 10); 90.0 ms (21 times) by a "
                    "limit\n"))
        << told;
    for (Json& held : slow["held"]) held["by"][1]["ms"] = 20;
    EXPECT_FALSE(has(details_of(explained()), "of these")) << "a tenth is little";
}

TEST_F(HeldParts, HoldsThatNoOneNoticesAreNoCause) {
    policy = "AUTO";
    other["priority"] = 0;
    hold(cause("not_its_turn", &other, 1.8, 78), 0.065);
    slow["held"][0]["ms"] = 0;
    expect(WhySlow::kShares, true, "not us: XSched held it for no more than 1.8 ms in the last 60 s", "");
    hold(cause("not_its_turn", &other, 1.8, 78), 1.2);
    slow["held"][0]["ms"] = 0;
    expect(WhySlow::kTurns, false, "held 1.8 ms in the last 10 s", "");
}

}  // namespace
}  // namespace xsched::test
