#include "fake/opencl/settings.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "fake/chance.h"
#include "fake/environment.h"

namespace fake {
namespace {

struct Fault {
    std::string function;
    long nth = 0;  // 0: every call
    cl_int code = 0;
    bool async = false;
};

struct Watch {
    std::mutex mutex;
    std::vector<Fault> faults;
    std::map<std::string, long> calls;
};
Watch& watch() {
    static Watch& it = *new Watch;  // never destroyed: executors outlive main
    return it;
}

thread_local cl_int t_async_failure = 0;

std::vector<Fault> faults_in(const char* variable) {
    std::vector<Fault> faults;
    for (const NamedFault& named : named_faults(variable))
        faults.push_back({named.function, named.nth, static_cast<cl_int>(std::strtol(named.code.c_str(), nullptr, 10)),
                          named.how == "async"});
    return faults;
}

CallbackThread parse_callback_thread(const std::string& text) {
    return value_named<CallbackThread>(
        text, {{"separate", CallbackThread::kSeparate}, {"inline", CallbackThread::kInline}}, CallbackThread::kDriver);
}

[[gnu::constructor]] void load_settings() { reload_settings(); }

}  // namespace

Settings g_settings;

void reload_settings() {
    g_settings.delay_us = number_of("FAKE_CL_DELAY_US");
    g_settings.noop = flag_of("FAKE_CL_NOOP");
    g_settings.defer_until_flush = flag_of("FAKE_CL_DEFER_UNTIL_FLUSH");
    g_settings.no_user_events = flag_of("FAKE_CL_NO_USER_EVENTS");
    g_settings.random_order = *text_of("FAKE_CL_SEED") != '\0';
    g_settings.seed = static_cast<uint64_t>(number_of("FAKE_CL_SEED"));
    g_settings.callback_thread = parse_callback_thread(text_of("FAKE_CL_CALLBACK_THREAD"));
    g_settings.break_mode = parse_break(text_of("FAKE_CL_BREAK_ORDER"));
    const std::lock_guard lock(watch().mutex);
    watch().faults = faults_in("FAKE_CL_FAIL");
    watch().calls.clear();
    g_settings.watch_calls = !g_settings.noop || !watch().faults.empty();
}

uint64_t random_below(uint64_t bound) { return random_below(bound, g_settings.seed); }

bool break_now(Break mode) {
    return g_settings.break_mode.load(std::memory_order_relaxed) == mode && random_below(32) == 0;
}

cl_int entry_slow(const char* function) {
    t_async_failure = 0;
    const std::lock_guard lock(watch().mutex);
    const long count = ++watch().calls[function];
    for (const Fault& fault : watch().faults) {
        if (fault.function != function || (fault.nth != 0 && fault.nth != count)) continue;
        if (!fault.async) return fault.code;
        t_async_failure = fault.code;
    }
    return CL_SUCCESS;
}

cl_int take_async_failure() {
    const cl_int code = t_async_failure;
    t_async_failure = 0;
    return code;
}

long call_count(const char* function) {
    const std::lock_guard lock(watch().mutex);
    const auto found = watch().calls.find(function);
    return found == watch().calls.end() ? 0 : found->second;
}

}  // namespace fake
