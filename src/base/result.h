// XResult as a name and a sentence. Callable from any thread; never allocates.
#pragma once

#include "xsched/types.h"

namespace xsched::base {

// Returns a status's name, such as "kXSchedErrorNotFound"; "kXSchedErrorUnknown" for numbers that are no status.
const char* result_name(XResult result);
// A sentence without a full stop that says what happened and what to do.
const char* result_sentence(XResult result);

}  // namespace xsched::base
