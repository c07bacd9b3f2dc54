// A program made of facts alone, which xcli explain explains.
#pragma once

#include "cli/cli_rig.h"
#include "cli/explain/sentences.h"
#include "cli/program_facts.h"

namespace xsched::test {

using cli::explain;
using cli::Explained;
using cli::WhySlow;

inline Json window(int64_t seconds) {
    return {{"seconds", seconds}, {"holds", 0}, {"ms", 0.0}, {"longest_ms", 0.0}, {"by", Json::array()}};
}

// Returns a program that does nothing remarkable and is followed because a second program is there.
inline Json program(uint32_t client, const char* name, int64_t priority) {
    Json entry{{"pid", 1000 + client},
               {"client", client},
               {"program", name},
               {"queues", 1},
               {"priority", priority},
               {"share", 0},
               {"limit", 0},
               {"level", 1},
               {"best_level", 1},
               {"state", "runs"},
               {"followed", true},
               {"completed", 100},
               {"command_ms", 0.5},
               {"devices", {{{"device", "GPU:1"}, {"platform", "cuda"}, {"got_percent", {60.0, 60.0, 60.0}}}}},
               {"bursts", {{"count", 10}, {"p50_ms", 1.0}, {"p99_ms", 2.0}}}};
    for (const int64_t seconds : {1, 10, 60}) {
        entry["held"].push_back(window(seconds));
        entry["cost"].push_back({{"seconds", seconds}, {"victims", Json::array()}});
    }
    return entry;
}

inline Json cause(const char* reason, const Json* by, double ms, uint64_t holds) {
    Json entry{{"reason", reason}, {"why", "why it is so"}, {"holds", holds},  {"ms", ms},
               {"longest_ms", ms}, {"mechanism", "gate"},   {"itself", false}, {"program", ""}};
    if (by == nullptr) return entry;
    entry["pid"] = (*by)["pid"];
    entry["program"] = (*by)["program"];
    entry["priority"] = (*by)["priority"];
    return entry;
}

class Explain : public ::testing::Test {
protected:
    Explain() : slow(program(1, "trainer", 0)), other(program(2, "server", 10)) {}

    Explained explained() {
        Json answer{{"policy", policy},
                    {"uptime_s", uptime_s},
                    {"restarts", restarts},
                    {"programs", {slow, other}},
                    {"may_set_policy", may_set_policy}};
        if (!third.is_null()) answer["programs"].push_back(third);
        return explain(answer, slow);
    }
    void hold(const Json& by, double longest_ms = 2.1) {
        for (Json& held : slow["held"]) {
            held["ms"] = by["ms"];
            held["holds"] = by["holds"];
            held["longest_ms"] = longest_ms;
            held["by"] = Json::array({by});
        }
    }
    static void copies(Json& program, double percent, int64_t each) {
        program["devices"][0]["copies_percent"] = percent;
        program["devices"][0]["copy_bytes"] = each;
        program["devices"][0]["copied_bytes_per_s"] = 1 << 30;
    }
    void got(double percent) { slow["devices"][0]["got_percent"] = {percent, percent, percent}; }
    void expect(WhySlow finding, bool not_us, const std::string& headline, const std::string& advice) {
        const Explained told = explained();
        EXPECT_EQ(told.finding, finding) << finding_word(told.finding) << ": " << told.headline;
        EXPECT_EQ(told.not_us, not_us) << told.headline;
        EXPECT_TRUE(has(told.headline, headline)) << told.headline;
        EXPECT_EQ(has(told.headline, "not us"), not_us) << told.headline;
        EXPECT_TRUE(has(told.advice, advice)) << told.advice;
    }
    Json slow, other, third;  // the third one: none unless a test makes it
    std::string policy = "HPF";
    double uptime_s = 3600;
    int64_t restarts = 0;
    bool may_set_policy = true;
};

}  // namespace xsched::test
