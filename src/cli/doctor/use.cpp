#include "cli/doctor/use.h"

namespace xsched::cli {

const char* word_of(Use use) {
    switch (use) {
        case Use::kUse: return "use";
        case Use::kNothingToGain: return "nothing to gain here";
        case Use::kNoVerdict: return "no verdict";
        case Use::kDoNotUse: return "do not use";
        case Use::kNone: return "not there";
        case Use::kNotTried: break;
    }
    return "not tried";
}

Use use_of(Gain gain) {
    switch (gain) {
        case Gain::kGain: return Use::kUse;
        case Gain::kNothingToGain: return Use::kNothingToGain;
        case Gain::kNoGain: return Use::kDoNotUse;
        case Gain::kNoVerdict: break;
    }
    return Use::kNoVerdict;
}

}  // namespace xsched::cli
