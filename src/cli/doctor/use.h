// The verdict of xcli doctor --run about a preempt level, in one word. Pure. Any thread.
#pragma once

#include "cli/doctor/gain.h"

namespace xsched::cli {

enum class Use {
    kUse,
    kNothingToGain,  // the level works, but the urgent program does not wait natively
    kDoNotUse,
    kNoVerdict,  // the figures prove nothing: a busy machine, too few bursts
    kNotTried,  // nothing speaks against it, but a step that would prove it was not run
    kNone,      // the platform has no such level
};
const char* word_of(Use use);
// Returns the verdict on a level that works, given what the main job gains from it.
Use use_of(Gain gain);

}  // namespace xsched::cli
