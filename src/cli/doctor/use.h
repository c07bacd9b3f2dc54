// Whether to use a preempt level: the verdict of xcli doctor --run in one word. Pure. Any thread.
#pragma once

#include "cli/doctor/gain.h"

namespace xsched::cli {

enum class Use {
    kUse,
    kNothingToGain,  // the level works, and natively the urgent program does not wait
    kDoNotUse,
    kNoVerdict,  // figures that prove nothing: a busy machine, too few bursts
    kNotTried,  // nothing speaks against it, but a step that would prove it was not run
    kNone,      // the platform has no such level
};
const char* word_of(Use use);
// Of a level that works, by what the main job gains from it.
Use use_of(Gain gain);

}  // namespace xsched::cli
