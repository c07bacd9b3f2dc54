#include "sched/facts/mechanism.h"

#include <algorithm>
#include <bit>

#include "sched/facts/rule_on.h"

namespace xsched::sched {

const char* mechanism_sentence(Mechanism mechanism) {
    switch (mechanism) {
#define XSCHED_MECHANISM(name, number, level, needs, urgent, victim, sentence) \
    case Mechanism::name: return sentence;
#include "sched/facts/mechanism.def"
#undef XSCHED_MECHANISM
    }
    return "?";
}

const char* mechanism_name(Mechanism mechanism) {
    switch (mechanism) {
#define XSCHED_MECHANISM(name, number, level, needs, urgent, victim, sentence) \
    case Mechanism::name: return #name;
#include "sched/facts/mechanism.def"
#undef XSCHED_MECHANISM
    }
    return "";
}

uint32_t timeslice_us_of(unsigned rank, unsigned ranks) {
    if (rank == 0 || ranks < 2) return 0;
    rank = std::min(rank, ranks - 1);
    if (!rule_on(Rule::kSlicesByRank)) return 1;
    constexpr auto exponent = static_cast<unsigned>(std::countr_zero(kDriversTimesliceUs));
    return 1U << (exponent * (ranks - 1 - rank) / (ranks - 1));
}

}  // namespace xsched::sched
