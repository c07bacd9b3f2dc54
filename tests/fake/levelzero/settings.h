// The stand-in's environment variables (fake_ze.h), read when the library is loaded. Any thread.
#pragma once

#include <cstdint>

#include "fake/environment.h"

namespace fake {

enum class Words { kWork, kMissing, kRefused, kCopied };

struct Settings {
    int64_t delay_us = 0;
    uint64_t seed = 0;
    const char* shared = "";
    Break break_mode = Break::kNone;
    bool noop = false;
    bool no_events = false;
    bool no_priority = false;
    bool no_band = false;
    Words words = Words::kWork;
    int64_t npu_queues = 0;
    int64_t npu_driver = 0;
};
extern Settings g_settings;

uint64_t random_below(uint64_t bound);
// Returns true once in `once_in` times if FAKE_ZE_BREAK names this mode.
bool break_now(Break mode, uint64_t once_in = 50);

}  // namespace fake
