// A hook, for calls that come from the program, on platforms whose runtime calls functions that it exports itself.
// Calls that come back from inside a hook, or from XSched's own calls, go on. The platform's calls_inside counts both.
#pragma once

#include "platform.h"
#include "platform/stream/shim/entry_points.h"

namespace xsched::stream {

template <EntryPoint kEntry, auto kHook, typename Function = typename Declared<kEntry>::Type>
struct FromProgram;

template <EntryPoint kEntry, auto kHook, typename Answer, typename... Arguments>
struct FromProgram<kEntry, kHook, Answer (*)(Arguments...)> {
    static Answer call(Arguments... arguments) {
        if (calls_inside() != 0 || is_left_alone<kEntry>(arguments...)) return driver<kEntry>()(arguments...);
        const Inside inside;
        return kHook(arguments...);
    }

private:
    struct Inside {
        Inside() { ++calls_inside(); }
        ~Inside() { --calls_inside(); }
    };
};

template <EntryPoint kEntry, auto kHook>
inline constexpr auto from_program = &FromProgram<kEntry, kHook>::call;

}  // namespace xsched::stream
