#include "fake/opencl/settings.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

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

const char* text_of(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}
int64_t number_of(const char* name) { return std::strtoll(text_of(name), nullptr, 10); }
bool flag_of(const char* name) { return number_of(name) != 0; }

std::vector<Fault> parse_faults(const std::string& text) {
    std::vector<Fault> faults;
    std::istringstream all(text);
    for (std::string one; std::getline(all, one, ',');) {
        std::istringstream parts(one);
        std::string nth, code, how;
        Fault fault;
        std::getline(parts, fault.function, ':');
        std::getline(parts, nth, ':');
        std::getline(parts, code, ':');
        std::getline(parts, how, ':');
        fault.nth = nth == "*" ? 0 : std::strtol(nth.c_str(), nullptr, 10);
        fault.code = static_cast<cl_int>(std::strtol(code.c_str(), nullptr, 10));
        fault.async = how == "async";
        faults.push_back(fault);
    }
    return faults;
}

Break parse_break(const std::string& text) {
    if (text == "1" || text == "order") return Break::kOrder;
    if (text == "waits") return Break::kWaits;
    if (text == "early") return Break::kEarly;
    if (text == "drop") return Break::kDrop;
    if (text == "twice") return Break::kTwice;
    if (text == "unblock") return Break::kUnblock;
    if (text == "args") return Break::kArgs;
    return Break::kNone;
}

CallbackThread parse_callback_thread(const std::string& text) {
    if (text == "separate") return CallbackThread::kSeparate;
    if (text == "inline") return CallbackThread::kInline;
    return CallbackThread::kDriver;
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
    watch().faults = parse_faults(text_of("FAKE_CL_FAIL"));
    watch().calls.clear();
    g_settings.watch_calls = !g_settings.noop || !watch().faults.empty();
}

uint64_t random_below(uint64_t bound) {
    static std::atomic<uint64_t> threads{1};
    thread_local uint64_t state = (g_settings.seed + threads.fetch_add(1)) * 0x9E3779B97F4A7C15ULL | 1;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % bound;
}

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
