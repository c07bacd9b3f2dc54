// The words that a guarded launch and the host share: 32-bit, in host memory that the device reads and writes directly.
// The launch has kGuardHeader words and one for each work-group; its queue has one, the flag.
//
// A group that finds the flag set marks its word and ends; so do all groups that begin after it in that pass. The
// groups that run are a beginning of the launch, in the order in which the device starts groups. When the pass is over
// and the queue is open again, another pass runs the groups that are marked, and they alone.
#pragma once

#include <cstdint>

namespace xsched::opencl {

enum GuardWord : uint32_t {
    kGuardSkipped = 0,  // a group was skipped in this pass
    kGuardForced = 1,  // no group may be skipped any more
    kGuardGroups = 2,  // 3 words: how many groups there are, written by those that are skipped
    kGuardHeader = 8
};

// The declaration of the guard's function in a guarded program. A program may be built with warnings about functions
// without a prototype, so the definition needs one.
inline constexpr const char* kGuardPrototype =
    "void xsched_guard_enter(__local uint* xsched_guard_go, __global volatile uint* xsched_guard_words,"
    " __global volatile const uint* xsched_guard_flag, uint xsched_guard_again);";
// The device's side of these words. `again`: a pass after the first. The barrier makes the answer one for the group.
inline constexpr const char* kGuardFunction =
    "void xsched_guard_enter(__local uint* xsched_guard_go, __global volatile uint* xsched_guard_words,"
    " __global volatile const uint* xsched_guard_flag, uint xsched_guard_again) {"
    " if (get_local_id(0) == 0 && get_local_id(1) == 0 && get_local_id(2) == 0) {"
    "  const size_t xsched_guard_group = get_group_id(0) + get_num_groups(0) *"
    "   (get_group_id(1) + get_num_groups(1) * get_group_id(2));"
    "  __global volatile uint* xsched_guard_mark = xsched_guard_words + 8 + xsched_guard_group;"
    "  uint xsched_guard_run = 1;"
    "  if (xsched_guard_again != 0 && atomic_xchg(xsched_guard_mark, 0u) == 0) xsched_guard_run = 0;"
    "  else if (xsched_guard_words[1] == 0 && (xsched_guard_words[0] != 0 || *xsched_guard_flag != 0)) {"
    "   xsched_guard_words[2] = (uint)get_num_groups(0);"
    "   xsched_guard_words[3] = (uint)get_num_groups(1);"
    "   xsched_guard_words[4] = (uint)get_num_groups(2);"
    "   atomic_xchg(xsched_guard_mark, 1u);"
    "   atomic_xchg(xsched_guard_words, 1u);"
    "   xsched_guard_run = 0;"
    "  }"
    "  *xsched_guard_go = xsched_guard_run;"
    " }"
    " barrier(CLK_LOCAL_MEM_FENCE);"
    "}";
inline constexpr const char* kGuardParameterText =
    "__global volatile uint* xsched_guard_words, __global volatile const uint* xsched_guard_flag,"
    " uint xsched_guard_again";
inline constexpr const char* kGuardPrologue =
    " __local uint xsched_guard_go;"
    " xsched_guard_enter(&xsched_guard_go, xsched_guard_words, xsched_guard_flag, xsched_guard_again);"
    " if (xsched_guard_go == 0) return;";

}  // namespace xsched::opencl
