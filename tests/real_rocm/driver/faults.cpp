#include "faults.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "emulator.h"
#include "events.h"
#include "queues.h"

namespace kfd {
namespace {

constexpr int64_t kSlowNs = 1'500'000'000, kHangNs = 2'000'000'000, kEvictionNs = 50'000'000;
constexpr int64_t kResetNs = 300'000'000;  // after a hang was seen

std::mutex g_mutex;
std::atomic<bool> g_hangs{false};  // for good

Fault parse(const std::string& what) {
    if (what == "nothing") return {Fault::kNothing};
    if (what == "miss") return {Fault::kMiss};
    if (what == "slow") return {Fault::kSlow};
    if (what == "evict") return {Fault::kEvict};
    if (what == "hang") return {Fault::kHang};
    const int error = std::atoi(what.c_str());
    if (error <= 0) give_up("KFD_EMULATOR_FAULTS: \"%s\" is no fault (faults.h)", what.c_str());
    return {Fault::kError, error};
}

// "5" or "5-9"
bool comes_at(const std::string& when, int nth) {
    const size_t dash = when.find('-');
    const int first = std::atoi(when.c_str());
    return nth >= first && nth <= (dash == std::string::npos ? first : std::atoi(when.c_str() + dash + 1));
}

// Reads one fault of the variable KFD_EMULATOR_FAULTS. Returns kNone if the fault is for another call, or for another
// repetition of it.
Fault matching(const std::string& text, const std::string& call, int nth) {
    const size_t equals = text.find('='), at = text.find('@');
    if (equals == std::string::npos) give_up("KFD_EMULATOR_FAULTS: \"%s\" has no =", text.c_str());
    if (text.compare(0, equals, call) != 0) return {};
    if (at != std::string::npos && !comes_at(text.substr(at + 1), nth)) return {};
    return parse(text.substr(equals + 1, at == std::string::npos ? at : at - equals - 1));
}

// Returns the call's fault that the variable names.
Fault asked_for(const char* call) {
    static auto& calls = *new std::map<std::string, int>;
    const std::lock_guard lock(g_mutex);
    const int nth = ++calls[call];
    const char* asked = std::getenv("KFD_EMULATOR_FAULTS");
    for (std::string rest = asked != nullptr ? asked : ""; !rest.empty();) {
        const size_t comma = rest.find(',');
        const Fault fault = matching(rest.substr(0, comma), call, nth);
        if (fault.kind != Fault::kNone) {
            say(1, "fault: %s, at call %d", rest.substr(0, comma).c_str(), nth);
            return fault;
        }
        rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    }
    return {};
}

Fault evict() {
    keep_off(OffFor::kEviction, true);
    std::thread([] {
        wait_ns(kEvictionNs);
        keep_off(OffFor::kEviction, false);
        say(1, "the evicted queues are back");
    }).detach();
    return {};
}

Fault hang() {
    g_hangs = true;
    keep_off(OffFor::kReset, true);
    wait_ns(kHangNs);
    std::thread([] {
        wait_ns(kResetNs);
        tell_of_reset();
    }).detach();
    return {Fault::kError, ETIME};
}

}  // namespace

Fault fault_of(const char* call) {
    if (g_hangs) return {Fault::kError, EIO};
    const Fault fault = asked_for(call);
    if (fault.kind == Fault::kEvict) return evict();
    if (fault.kind == Fault::kHang) return hang();
    if (fault.kind != Fault::kSlow) return fault;
    wait_ns(kSlowNs);
    return {};
}

}  // namespace kfd
