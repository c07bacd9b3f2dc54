#include "faults.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "emulator.h"

namespace kfd {
namespace {

std::mutex g_mutex;

Fault parse(const std::string& what) {
    if (what == "nothing") return {Fault::kNothing};
    if (what == "miss") return {Fault::kMiss};
    const int error = std::atoi(what.c_str());
    if (error <= 0) give_up("KFD_EMULATOR_FAULTS: \"%s\" is none of nothing, miss and an errno", what.c_str());
    return {Fault::kError, error};
}

// One fault as it stands in the variable; kNone: it is not about this call.
Fault matching(const std::string& text, const std::string& call, int nth) {
    const size_t equals = text.find('='), at = text.find('@');
    if (equals == std::string::npos) give_up("KFD_EMULATOR_FAULTS: \"%s\" has no =", text.c_str());
    if (text.compare(0, equals, call) != 0) return {};
    if (at != std::string::npos && std::atoi(text.c_str() + at + 1) != nth) return {};
    return parse(text.substr(equals + 1, at == std::string::npos ? at : at - equals - 1));
}

}  // namespace

Fault fault_of(const char* call) {
    static auto& calls = *new std::map<std::string, int>;
    const std::lock_guard lock(g_mutex);
    const int nth = ++calls[call];
    const char* asked = std::getenv("KFD_EMULATOR_FAULTS");
    for (std::string rest = asked != nullptr ? asked : ""; !rest.empty();) {
        const size_t comma = rest.find(',');
        const Fault fault = matching(rest.substr(0, comma), call, nth);
        if (fault.kind != Fault::kNone) return fault;
        rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    }
    return {};
}

}  // namespace kfd
