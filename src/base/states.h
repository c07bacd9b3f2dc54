// The states of queues and programs as people and tools read them (states.def). Pure; any thread.
#pragma once

#include <string_view>

namespace xsched::base {

enum class State {
#define XSCHED_STATE(name, word, tone, help) name,
#include "base/states.def"
#undef XSCHED_STATE
};

enum class Tone { kPlain, kGood, kFaint, kHeld, kStopped };

struct StateInfo {
    const char* word;
    Tone tone;
    const char* help;
};

inline constexpr StateInfo kStates[] = {
#define XSCHED_STATE(name, word, tone, help) {word, Tone::tone, help},
#include "base/states.def"
#undef XSCHED_STATE
};

constexpr const char* word_of(State state) { return kStates[static_cast<int>(state)].word; }

// Returns the tone of a state's word, by which tools choose its colour; kPlain: there is no such state.
constexpr Tone tone_of(std::string_view word) {
    for (const StateInfo& known : kStates)
        if (word == known.word) return known.tone;
    return Tone::kPlain;
}

}  // namespace xsched::base
