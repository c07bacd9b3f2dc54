// Tells whether a rule of rules.def is in force: for .cpp files of this room alone, which are compiled alike. Always,
// unless XSCHED_RULE_SWITCHES says that this is a test build, in which switch_rule (rules.h) turns them off one by one.
#pragma once

#include <iterator>

#include "sched/facts/rules.h"

namespace xsched::sched {

#ifdef XSCHED_RULE_SWITCHES
extern bool g_rule_is_off[std::size(kRules)];
inline bool rule_on(Rule rule) { return !g_rule_is_off[static_cast<unsigned>(rule)]; }
#else
constexpr bool rule_on(Rule) { return true; }
#endif

}  // namespace xsched::sched
