// A policy in C++: programs take turns of 10 ms on each device, in the order of their numbers. It remembers whose turn
// it is.
#include <xsched/policy.h>

#include <unordered_map>

namespace {

constexpr int64_t kTurnNs = 10'000'000;

struct Turn {
    uint64_t process = 0;
    int64_t until_ns = 0;
};
using State = std::unordered_map<uint64_t, Turn>;  // by device

int64_t choose(void* state, const XPolicyUnit* units, size_t count, int64_t now_ns, XPolicyChoice* choices) {
    if (count == 0) return 0;
    Turn& turn = (*static_cast<State*>(state))[units[0].device];
    const XPolicyUnit* next = nullptr;     // the first after the one whose turn it is,
    const XPolicyUnit* first = nullptr;    // or the first of all
    const XPolicyUnit* present = nullptr;  // whose turn it is, if it wants the device
    for (size_t i = 0; i < count; ++i) {
        const XPolicyUnit& unit = units[i];
        if (unit.wants == 0) continue;
        if (unit.process == turn.process && present == nullptr) present = &unit;
        if (first == nullptr || unit.process < first->process) first = &unit;
        if (unit.process > turn.process && (next == nullptr || unit.process < next->process)) next = &unit;
    }
    if (first == nullptr) return 0;  // no unit wants it
    if (present == nullptr || now_ns >= turn.until_ns) {
        present = next != nullptr ? next : first;
        turn = {present->process, now_ns + kTurnNs};
    }
    for (size_t i = 0; i < count; ++i) {
        choices[i].run = units[i].process == turn.process ? 1 : 0;
        choices[i].by = choices[i].run != 0 ? 0 : present->id;
    }
    return turn.until_ns;
}

const XPolicyModule kModule = {XSCHED_POLICY_ABI,
                               sizeof(XPolicyUnit),
                               "ROUND_ROBIN",
                               "round robin: on each device programs take turns of 10 ms",
                               []() -> void* { return new State; },
                               choose,
                               [](void* state, uint64_t device) { static_cast<State*>(state)->erase(device); },
                               [](void* state) { delete static_cast<State*>(state); }};

}  // namespace

extern "C" const XPolicyModule* XSchedPolicy() { return &kModule; }
