// The sentences of xcli explain are true under every policy of the server: pairs of programs in many situations, all
// policies one after the other. No sentence is looked for: what is demanded holds at any time.
#include "cli/explain_matrix_rig.h"
#include "policy/policy.h"

namespace xsched::test {
namespace {

using enum base::HintId;

const Given kAllAtTheirLimits = {{share, 100}, {utilization, 100},       {priority, 255},
                                 {slo_p99, 1}, {deadline_us, 1},         {laxity_us, 1},
                                 {window, 1},  {critical_priority, 255}, {timeslice_us, TIMESLICE_MAX}};
const std::vector<Pair> kPairs = {
    {"equal", {}, {}},
    {"priority", {}, {{priority, 10}}},
    {"background", {{base::HintId::background, 1}, {priority, 7}}, {}},
    {"share", {{share, 20}}, {{share, 80}}},
    {"limits", kAllAtTheirLimits, kAllAtTheirLimits},
    {"limit", {{limit, 10}}, {}},
    {"deadline", {{deadline_us, 100'000}}, {{deadline_us, 5'000}}},
    {"late", {{deadline_us, 1}}, {{deadline_us, 3'600'000'000}}},
    {"laxity", {}, {{laxity_us, 1}, {critical_priority, 10}}},
    {"utilization", {{utilization, 5}}, {{utilization, 20}}},
    {"window", {}, {{window, 1}}},
    {"gang", {{gang, 7}}, {{gang, 7}, {priority, 10}}},
    {"target", {}, {{slo_p99, 30'000}}},
};

// Returns the hint that an option of xcli gives; null: none.
const base::HintInfo* hint_of(const std::string& option) {
    for (const base::HintInfo& hint : base::kHints)
        if (hint.words != nullptr && has("," + std::string(hint.words) + ",", "," + option + ",")) return &hint;
    return nullptr;
}

bool is_value_left_open(const std::string& word) { return word == "PERCENT" || word == "TIME" || word == "NUMBER"; }

class ExplainIsTrue : public ExplainedPairs {
protected:
    void SetUp() override { start({"--policy", XSCHED_FIRST_COME}); }

    // A hint in an advice: the program that it is for, the option, the value, and the policy under which it is typed.
    struct Advised {
        std::string program, option, value, policy;
        bool gives_less;  // it is to make a program less urgent, or its deadline a later one
    };
    // Returns the hints that an advice names. One behind a change of policy, in the same brackets, is for that policy.
    std::vector<Advised> hints_in(const std::string& advice) const {
        std::vector<Advised> all;
        std::istringstream parts(advice);
        for (std::string part; std::getline(parts, part, ')');) {
            std::string policy = policy_;
            for (const std::vector<std::string>& words : commands_of(part)) {
                if (words.size() > 3 && words[1] == "policy") policy = words[3];
                if (words.size() < 4 || words[1] != "hint") continue;
                for (size_t at = 3; at < words.size(); ++at)
                    if (words[at].starts_with("-") && isalpha(words[at].back()) != 0)
                        all.push_back({name_of(words[2]), words[at], at + 1 < words.size() ? words[at + 1] : "", policy,
                                       has(part, "the other's") || has(part, "later")});
            }
        }
        return all;
    }
    std::string name_of(const std::string& pid) const {
        for (const auto& [name, its] : pids)
            if (std::to_string(its) == pid) return name;
        return "";
    }
    static std::string pair_of(const std::string& program) { return program.substr(0, program.find('.')); }
    const Json& partner_of(const std::string& program) const {
        return told_.at(pair_of(program) + (program.ends_with(".1") ? ".2" : ".1"));
    }
    static int64_t value_of(const Json& told, const base::HintInfo& hint) {
        const Json& facts = told["facts"];
        if (hint.id == priority) return facts["priority"];
        const Json value = facts["hints_in_force"].value(hint.request, Json(hint.fallback));
        return value.is_number() ? value.get<int64_t>() : hint.most;
    }
    void expect_a_hint_that_counts(const Advised& hint, const std::string& advice) {
        ASSERT_TRUE(pids.contains(hint.program)) << "no program of the test has the number in: " << advice;
        const base::HintInfo* info =
            hint_of(hint.option.starts_with("--no-") ? "--" + hint.option.substr(5) : hint.option);
        ASSERT_NE(info, nullptr) << hint.option;
        const Json& read = reads_.at(hint.policy);
        const bool always = (policy::kUnderEveryPolicy >> static_cast<unsigned>(info->id) & 1) != 0;
        EXPECT_TRUE(always || std::find(read.begin(), read.end(), info->request) != read.end())
            << "policy " << hint.policy << " does not read it";
        if (info->id == base::HintId::background || info->id == gang || hint.policy != policy_) return;
        const int64_t value = value_of(told_.at(hint.program), *info);
        if (!is_value_left_open(hint.value)) {
            EXPECT_NE(hint.value, std::to_string(value)) << hint.program << " has that value already";
            return;
        }
        const bool is_large = info->merge == base::HintMerge::kLargest;
        const int64_t last = is_large ? (hint.gives_less ? info->least : info->most) : hint.gives_less ? info->most : 1;
        EXPECT_NE(value, last) << "nothing is left of " << hint.option << " for " << hint.program;
    }
    // Returns whether the other one was held for this one under the policy in force.
    static bool costs(const Json& told, const Json& other) {
        for (const Json& window : told["facts"]["cost"])
            for (const Json& victim : window["victims"])
                if (window["seconds"] == 10 && victim.value("pid", 0) == other.value("pid", 1) &&
                    !victim.value("earlier_policy", false))
                    return true;
        return false;
    }
    void expect_true_names(const std::string& program, const std::string& headline) {
        static const std::regex named(R"(pid ([0-9]+) \()");
        for (std::sregex_iterator at(headline.begin(), headline.end(), named), end; at != end; ++at)
            EXPECT_EQ(pair_of(name_of((*at)[1])), pair_of(program)) << "that one is not on its device";
    }
    void expect_true(const std::string& program) {
        const Json& told = told_.at(program);
        const std::string headline = told["headline"], advice = told["advice"];
        SCOPED_TRACE(policy_ + ", " + program + ": " + headline + ": " + advice);
        EXPECT_FALSE(has(advice, "no effect"));
        for (const Advised& hint : hints_in(advice)) expect_a_hint_that_counts(hint, advice);
        expect_true_names(program, headline);
        const Json& other = partner_of(program);
        EXPECT_FALSE(has(headline, "runs beside") && (costs(told, other) || costs(other, told)));
        for (const Json& device : told["facts"]["devices"])
            EXPECT_TRUE(device.value("why_less", "") == "" ||
                        device["got_percent"][1].get<double>() + 0.5 < told["facts"]["share"].get<double>());
        for (const Json& window : told["facts"]["held"])
            for (const Json& by : window["by"])
                EXPECT_TRUE(!reads_.at(policy_).is_null() || by.value("earlier_policy", false) ||
                            (by["reason"] != "less_urgent" && by["reason"] != "anticipation"))
                    << by;
        expect_no_advice_for_the_past(told, headline, advice);
    }
    // A hold that another policy decided is over for good. One of the policy in force may come again as long as the
    // priorities say so.
    void expect_no_advice_for_the_past(const Json& told, const std::string& headline, const std::string& advice) {
        if (has(headline, "now it runs beside")) return;
        EXPECT_TRUE(!has(headline, "the policy then in force") || advice == "");
        if (!has(headline, ", until ") || told["finding"] == "limit") return;
        const policy::PolicyInfo* info = policy::find_policy(policy_.c_str());
        const bool by_priority = info != nullptr && (info->hints & policy::bits_of(priority)) != 0;
        EXPECT_TRUE((by_priority && told["finding"] != "turns") || advice == "");
    }
    void expect_all_true() {
        told_ = told();
        ASSERT_EQ(told_.size(), pids.size());
        for (const auto& [program, pid] : pids) expect_true(program);
    }
    // Returns what is said without the numbers, which change by themselves.
    static std::string gist(const Json& told) {
        static const std::regex number("[0-9.]+ (m?s|us)|[0-9]+ times|once");
        std::string text = told["headline"].get<std::string>() + told["advice"].get<std::string>();
        if (const size_t at = text.find(", longest "); at != std::string::npos) text.erase(0, at);
        return std::regex_replace(text, number, "#");
    }
    static double held_percent(const Json& told) { return told["facts"]["held"][0]["ms"].get<double>() / 10; }

    // Types the first hint of each advice that a first program gets for itself, and demands that another thing is said
    // then, or that the program is held for a quarter less than it was.
    void expect_the_advice_to_help() {
        std::map<std::string, Json> before;
        for (const Pair& pair : kPairs) {
            const std::string program = std::string(pair.name) + ".1";
            const Json& told = told_.at(program);
            const std::vector<Advised> hints = hints_in(told["advice"]);
            if (hints.empty() || hints[0].policy != policy_ || hints[0].program != program) continue;
            std::vector<std::string> words{"hint", std::to_string(pids.at(program))};
            for (const Advised& hint : hints) {
                if (hint.program != program || hint.policy != policy_) break;
                words.push_back(hint.option);
                if (hint.value == "PERCENT") words.emplace_back("90");
                if (hint.value == "TIME") words.emplace_back(hint.gives_less ? "1800s" : "1ms");
                if (hint.value == "NUMBER") words.emplace_back("20");
                if (!is_value_left_open(hint.value) && hint.value != "") words.push_back(hint.value);
            }
            const Outcome typed = xcli(words);
            EXPECT_EQ(typed.status, 0) << testing::PrintToString(words) << typed.err;
            EXPECT_EQ(typed.err, "") << policy_ << ": " << testing::PrintToString(words);
            before[program] = told;
        }
        std::map<std::string, Json> now;
        EXPECT_TRUE(eventually([&] {
            now = told();
            std::erase_if(before, [&](const auto& one) {
                return gist(now[one.first]) != gist(one.second) ||
                       held_percent(now[one.first]) < held_percent(one.second) * 0.75;
            });
            return before.empty();
        })) << policy_;
        for (const auto& [program, told] : before)
            ADD_FAILURE() << policy_ << ", " << program << ": " << told["advice"]
                          << " changes nothing: " << now[program]["headline"];
    }

    std::string policy_;  // in force
    std::map<std::string, Json> reads_;  // the hints that each policy reads; null: not known
    std::map<std::string, Json> told_;  // by the name of the program
};

TEST_F(ExplainIsTrue, UnderEveryPolicy) {
    begin(kPairs);
    const Json known = xcli({"policy", "--json"}).json();
    for (const Json& one : known["policies"]) reads_[one["name"]] = one["hints"];
    ASSERT_GE(reads_.size(), 14U);
    for (const auto& [name, read] : reads_) {
        policy_ = name;
        orders->seconds_work = true;
        for (const Pair& pair : kPairs) {
            set_hints(std::string(pair.name) + ".1", pair.first);
            set_hints(std::string(pair.name) + ".2", pair.second);
        }
        ASSERT_EQ(xcli({"policy", name}).status, 0);
        expect_all_true();
        usleep(600'000);
        expect_all_true();
        if (name != "HHPF") expect_the_advice_to_help();  // under it, all programs are in the way of all
        orders->seconds_work = false;
        usleep(1'100'000);
        expect_all_true();
    }
}

}  // namespace
}  // namespace xsched::test
