// The form of a fuzz target: XSCHED_FUZZ(name) { ... } is the body of a function that gets `input`, any bytes at all,
// and checks with demand() the rules that hold for all of them. One target per file, NAME_fuzz.cpp; its first inputs
// are the files of corpus/NAME.
//
// With XSCHED_BUILD_FUZZERS each file is a libFuzzer program of its own (fuzz_NAME). Otherwise all are linked into
// test_fuzz, which runs every file of the corpus once, with any compiler. One thread.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace xsched::fuzz {

using Target = void (*)(std::string_view input);

// Ends the program, as a finding, if `holds` is false. `rule` is a sentence that says what must hold.
inline void demand(bool holds, const char* rule) {
    if (holds) return;
    fprintf(stderr, "does not hold: %s\n", rule);
    abort();
}

// Turns log output off: the log would be full of warnings about the fuzzer's wrong input, which are the right answer
// to it.
void silence_log();

// Adds to what test_fuzz runs.
bool add_target(const char* name, Target target);

}  // namespace xsched::fuzz

#ifdef XSCHED_LIBFUZZER
#define XSCHED_FUZZ(name)                                                         \
    static void run_##name(std::string_view input);                               \
    extern "C" int LLVMFuzzerInitialize(int*, char***) {                          \
        xsched::fuzz::silence_log();                                              \
        return 0;                                                                 \
    }                                                                             \
    extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {    \
        run_##name(std::string_view(reinterpret_cast<const char*>(data), bytes)); \
        return 0;                                                                 \
    }                                                                             \
    static void run_##name(std::string_view input)
#else
#define XSCHED_FUZZ(name)                                                                          \
    static void run_##name(std::string_view input);                                                \
    [[maybe_unused]] static const bool added_##name = xsched::fuzz::add_target(#name, run_##name); \
    static void run_##name(std::string_view input)
#endif
