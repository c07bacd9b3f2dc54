#include "sched/facts/rule_on.h"

namespace xsched::sched {

#ifdef XSCHED_RULE_SWITCHES
bool g_rule_is_off[std::size(kRules)] = {};

bool switch_rule(Rule rule, bool on) {
    g_rule_is_off[static_cast<unsigned>(rule)] = !on;
    return true;
}
#else
bool switch_rule(Rule, bool) { return false; }
#endif

}  // namespace xsched::sched
