#include "fake/levelzero/settings.h"

#include "fake/chance.h"

namespace fake {

Settings g_settings;

namespace {

[[gnu::constructor]] void load_settings() {
    g_settings.delay_us = number_of("FAKE_ZE_DELAY_US");
    g_settings.seed = static_cast<uint64_t>(number_of("FAKE_ZE_SEED"));
    g_settings.shared = text_of("FAKE_ZE_SHARED");
    g_settings.break_mode = parse_break(text_of("FAKE_ZE_BREAK"));
    g_settings.noop = flag_of("FAKE_ZE_NOOP");
    g_settings.no_events = flag_of("FAKE_ZE_NO_EVENTS");
    g_settings.no_band = flag_of("FAKE_ZE_NO_BAND");
    g_settings.words = value_named<Words>(
        text_of("FAKE_ZE_WORDS"),
        {{"missing", Words::kMissing}, {"refused", Words::kRefused}, {"copied", Words::kCopied}}, Words::kWork);
    g_settings.npu_queues = number_of("FAKE_ZE_NPU_QUEUES");
    g_settings.npu_driver = number_of("FAKE_ZE_NPU_DRIVER");
    g_settings.no_priority = flag_of("FAKE_ZE_NO_PRIORITY");
}

}  // namespace

uint64_t random_below(uint64_t bound) { return random_below(bound, g_settings.seed); }

bool break_now(Break mode, uint64_t once_in) { return g_settings.break_mode == mode && random_below(once_in) == 0; }

}  // namespace fake
