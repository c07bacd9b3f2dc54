// The table of the core's rules (rules.def), for tools and tests. Any thread, but for switch_rule.
#pragma once

#include <cstdint>

namespace xsched::sched {

enum class Rule : uint8_t {
#define XSCHED_RULE(name, file, evidence, sentence) name,
#include "sched/facts/rules.def"
#undef XSCHED_RULE
};

struct RuleInfo {
    Rule rule;
    const char* name;  // "kAnticipation"
    const char* file;
    const char* evidence;
    const char* sentence;
};
inline constexpr RuleInfo kRules[] = {
#define XSCHED_RULE(name, file, evidence, sentence) {Rule::name, #name, file, evidence, sentence},
#include "sched/facts/rules.def"
#undef XSCHED_RULE
};

// Turns one rule off for the whole process, or on again. No core may decide meanwhile (rule_on.cpp). Returns false if
// this build has no switches.
bool switch_rule(Rule rule, bool on);

}  // namespace xsched::sched
