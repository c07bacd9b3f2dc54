// Level 2 by guardian, the text: a program's source with a guard at the start of its kernels. Pure; any thread.
//
// A guarded kernel has three parameters more, and before its body every work-group asks once, through its first
// work-item, whether it may run (guard_words.h). The kernels' names are known from the driver, which has built the
// source as it is, so that macros, includes and conditions cannot mislead: a kernel is guarded where its definition
// stands plainly in the text, `name(...) {`. It is left alone if its name is anywhere else than in definitions and
// prototypes (another kernel calls it, a macro makes it). The result is built by the same driver, and a kernel counts
// as guarded if that one then has three parameters more than the program's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xsched::opencl {

struct LeftAlone {
    std::string kernel;
    const char* why = nullptr;
    bool absent = false;  // the text does not define it, and does not use it either
};

struct GuardedSource {
    std::string text;  // empty: nothing in it can be guarded
    std::vector<std::string> guarded;
    std::vector<LeftAlone> left_alone;
};

// The kernel without parameters that ends each guarded launch.
inline constexpr const char* kTailKernel = "xsched_guard_tail";
inline constexpr unsigned kGuardParameters = 3;

// The place of a text in its program. If a program is linked from several texts, only the first one gets the tail
// kernel, which all of them share.
enum class SourcePart { kWhole, kFirst, kOther };

// `kernels`: the names of the kernels that the driver found in the program.
GuardedSource guard_source(std::string_view source, const std::vector<std::string>& kernels,
                           SourcePart part = SourcePart::kWhole);

// Returns the names in a list "a;b;c", as clGetProgramInfo names kernels.
std::vector<std::string> names_in(std::string_view list);

}  // namespace xsched::opencl
