#include "base/result.h"

namespace xsched::base {

#define XSCHED_RESULT(name, value, sentence) static_assert(name == value, "the status numbers are ABI");
#include "base/result.def"
#undef XSCHED_RESULT

const char* result_name(XResult result) {
    switch (result) {
#define XSCHED_RESULT(name, value, sentence) \
    case name: return #name;
#include "base/result.def"
#undef XSCHED_RESULT
    }
    return "kXSchedErrorUnknown";
}

const char* result_sentence(XResult result) {
    switch (result) {
#define XSCHED_RESULT(name, value, sentence) \
    case name: return sentence;
#include "base/result.def"
#undef XSCHED_RESULT
    }
    return result_sentence(kXSchedErrorUnknown);
}

}  // namespace xsched::base
