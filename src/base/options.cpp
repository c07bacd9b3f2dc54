#include "base/options.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/log.h"
#include "base/say_once.h"
#include "base/short_name.h"
#include "base/text.h"

namespace xsched::base {
namespace {

// Copies of environment values, kept for the process's life: the guest may change its environment later.
struct Kept {
    Kept* next;
    char text[];
};
std::atomic<Kept*> g_kept{nullptr};

const char* keep(const char* text) {
    for (const Kept* kept = g_kept.load(std::memory_order_acquire); kept != nullptr; kept = kept->next)
        if (strcmp(kept->text, text) == 0) return kept->text;
    const size_t bytes = strlen(text) + 1;
    auto* fresh = static_cast<Kept*>(malloc(sizeof(Kept) + bytes));
    if (fresh == nullptr) return nullptr;
    memcpy(fresh->text, text, bytes);
    fresh->next = g_kept.load(std::memory_order_relaxed);
    while (!g_kept.compare_exchange_weak(fresh->next, fresh, std::memory_order_release)) {
    }
    return fresh->text;
}

const char* read_text(const char* variable, const char* fallback) {
    const char* value = secure_getenv(variable);
    if (value == nullptr || *value == '\0') return fallback;
    const char* kept = keep(value);
    return kept != nullptr ? kept : fallback;
}

int64_t whole_number(const char* name, const char* value, int64_t fallback, int64_t min, int64_t max) {
    char* end = nullptr;
    errno = 0;
    const long long number = strtoll(value, &end, 10);
    if (errno == 0 && *value != '\0' && *end == '\0' && number >= min && number <= max) return number;
    if (is_first_to_say({name, value}))
        XLOG_WARN("%s=%s is not a whole number from %lld to %lld: going on with %lld", name, value,
                  static_cast<long long>(min), static_cast<long long>(max), static_cast<long long>(fallback));
    return fallback;
}

int64_t read_int(const char* variable, int64_t fallback, int64_t min, int64_t max) {
    const char* value = secure_getenv(variable);
    if (value == nullptr || *value == '\0') return fallback;
    return whole_number(variable, value, fallback, min, max);
}

// Reads a value that is a name or that name's number.
int64_t read_name(const char* variable, int64_t fallback, int64_t min, int64_t max) {
    const char* value = secure_getenv(variable);
    if (value == nullptr || *value == '\0' || is_digit(*value)) return read_int(variable, fallback, min, max);
    if (const int64_t number = number_of_name(value); number != 0) return number;
    if (is_first_to_say({variable, value}))
        XLOG_WARN("%s=%s is not a name of 1 to 12 letters, digits and hyphens with a letter first: going on without",
                  variable, value);
    return fallback;
}

void read_hints(Options& hints) {
    for (const HintInfo& hint : kHints) {
        if (hint.option == nullptr) continue;
        if (*read_text(hint.option, "") != '\0') hints.told_hints |= 1U << static_cast<unsigned>(hint.id);
        const auto read = hint.kind == HintKind::kName ? read_name : read_int;
        set_hint(hints, hint.id, read(hint.option, hint.fallback, hint.least, hint.most));
    }
}

// One key of XSCHED_DEBUG.
struct Switch {
    const char* key;
    const char* former;
    int64_t Options::* field;
    int64_t fallback, least, most;
};
constexpr Switch kSwitches[] = {
#define XSCHED_OPTION_TEXT(field, variable, fallback, help)
#define XSCHED_OPTION_INT(field, variable, fallback, min, max, shown, help)
#define XSCHED_DEBUG_INT(field, key, former, fallback, min, max, help) \
    {key, former, &Options::field, fallback, min, max},
#include "base/options.def"
#undef XSCHED_OPTION_TEXT
#undef XSCHED_OPTION_INT
#undef XSCHED_DEBUG_INT
};

// Reads one key=value of XSCHED_DEBUG into the options.
void read_switch(Options& options, const std::string& entry) {
    const size_t equals = entry.find('=');
    for (const Switch& each : kSwitches) {
        if (equals == std::string::npos || entry.compare(0, equals, each.key) != 0) continue;
        const std::string name = "XSCHED_DEBUG: " + entry.substr(0, equals);
        const char* value = entry.c_str() + equals + 1;
        options.*each.field = whole_number(name.c_str(), value, each.fallback, each.least, each.most);
        return;
    }
    if (is_first_to_say({"XSCHED_DEBUG", entry.c_str()}))
        XLOG_WARN("XSCHED_DEBUG: \"%s\" is no key=value of it: 'xcli options --debug' lists the keys; going on without",
                  entry.c_str());
}

void read_switches(Options& options) {
    for (const Switch& each : kSwitches) {
        const char* value = *each.former != '\0' ? secure_getenv(each.former) : nullptr;
        if (value == nullptr || *value == '\0') continue;
        if (is_first_to_say({each.former, "former"}))
            XLOG_WARN("%s is a key of XSCHED_DEBUG now: write XSCHED_DEBUG=%s=%s", each.former, each.key, value);
        options.*each.field = whole_number(each.former, value, each.fallback, each.least, each.most);
    }
    for (std::string rest = options.debug; !rest.empty();) {
        const size_t comma = std::min(rest.find(','), rest.size());
        read_switch(options, rest.substr(0, comma));
        rest.erase(0, comma + 1);
    }
}

struct SchedulerName {
    const char* spelling;
    XSchedulerType type;
};
constexpr SchedulerName kSchedulerNames[] = {
    {"global", kSchedulerGlobal}, {"GLB", kSchedulerGlobal},     {"local", kSchedulerLocal},
    {"LCL", kSchedulerLocal},     {"app", kSchedulerAppManaged}, {"APP", kSchedulerAppManaged},
};

XSchedulerType scheduler_type(const Options& options) {
    if (secure_getenv("XSCHED_SCHEDULER") == nullptr && *options.policy != '\0') return kSchedulerLocal;
    for (const auto& name : kSchedulerNames)
        if (same_word(options.scheduler, name.spelling)) return name.type;
    if (is_first_to_say({"XSCHED_SCHEDULER", options.scheduler}))
        XLOG_WARN("XSCHED_SCHEDULER=%s is not a scheduler: use global, local or app; going on with global",
                  options.scheduler);
    return kSchedulerGlobal;
}

bool switch_on(const char* variable, const char* value) {
    for (const char* on : {"ON", "1", "TRUE", "YES"})
        if (same_word(value, on)) return true;
    for (const char* off : {"OFF", "0", "FALSE", "NO"})
        if (same_word(value, off)) return false;
    if (is_first_to_say({variable, value})) XLOG_WARN("%s=%s is neither ON nor OFF: going on with ON", variable, value);
    return true;
}

}  // namespace

Options read_options() {
    Options options;
#define XSCHED_OPTION_TEXT(field, variable, fallback, help) options.field = read_text(variable, fallback);
#define XSCHED_OPTION_INT(field, variable, fallback, min, max, shown, help) \
    options.field = read_int(variable, fallback, min, max);
#define XSCHED_DEBUG_INT(field, key, former, fallback, min, max, help)
#include "base/options.def"
#undef XSCHED_OPTION_TEXT
#undef XSCHED_OPTION_INT
#undef XSCHED_DEBUG_INT
    read_switches(options);
    read_hints(options);
    options.scheduler_type = scheduler_type(options);
    options.auto_xqueue_on = switch_on("XSCHED_AUTO_XQUEUE", options.auto_xqueue);
    if (*options.policy != '\0') options.policy_name = options.policy;
    return options;
}

const Options& options() {
    static const Options kOptions = read_options();
    return kOptions;
}

namespace {

#define XSCHED_AS_TEXT(number) #number
#define XSCHED_NUMBER_TEXT(number) XSCHED_AS_TEXT(number)
constexpr OptionInfo kRows[] = {
#define XSCHED_OPTION_TEXT(field, variable, fallback, help) {variable, fallback, help},
#define XSCHED_OPTION_INT(field, variable, fallback, min, max, shown, help) {variable, #fallback, help},
#define XSCHED_DEBUG_INT(field, key, former, fallback, min, max, help)
#define XSCHED_HINT(field, type, kind, least, most, fallback, merge, scope, function, accepts_least, accepts_most, \
                    option, request, listed, words, in_run, help)                                                  \
    {option, XSCHED_NUMBER_TEXT(fallback), help},
#include "base/options.def"
#undef XSCHED_OPTION_TEXT
#undef XSCHED_OPTION_INT
#undef XSCHED_DEBUG_INT
#undef XSCHED_HINT
};
constexpr OptionInfo kSwitchRows[] = {
#define XSCHED_OPTION_TEXT(field, variable, fallback, help)
#define XSCHED_OPTION_INT(field, variable, fallback, min, max, shown, help)
#define XSCHED_DEBUG_INT(field, key, former, fallback, min, max, help) {key, #fallback, help},
#include "base/options.def"
#undef XSCHED_OPTION_TEXT
#undef XSCHED_OPTION_INT
#undef XSCHED_DEBUG_INT
    {nullptr, nullptr, nullptr},
};
#undef XSCHED_NUMBER_TEXT
#undef XSCHED_AS_TEXT

// The options that the environment can set. The rows also have hints that no variable sets, which are left out.
constexpr auto kInfos = [] {
    std::array<OptionInfo, std::size(kRows) + 1> infos{};
    size_t count = 0;
    for (const OptionInfo& row : kRows)
        if (row.variable != nullptr) infos[count++] = row;
    return infos;
}();

}  // namespace

const OptionInfo* option_infos() { return kInfos.data(); }
const OptionInfo* debug_infos() { return kSwitchRows; }

}  // namespace xsched::base
