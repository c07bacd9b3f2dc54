#include "sched/facts/unit.h"

namespace xsched::sched {

const char* reason_sentence(Reason reason) {
    switch (reason) {
#define XSCHED_REASON(name, number, sentence) \
    case Reason::name: return sentence;
#include "sched/facts/reason.def"
#undef XSCHED_REASON
    }
    return "for a reason this version does not know; use the same version of xserver and its tools";
}

const char* reason_name(Reason reason) {
    switch (reason) {
#define XSCHED_REASON(name, number, sentence) \
    case Reason::name: return #name;
#include "sched/facts/reason.def"
#undef XSCHED_REASON
    }
    return "";
}

}  // namespace xsched::sched
