#include "server/thread/cpu_priority.h"

#include <sched.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "server/system_files.h"

namespace xsched::server {
namespace {

// Positions of the nice value, the real-time priority and the policy in /proc/PID/stat, counted from 1.
constexpr int kNiceField = 19;
constexpr int kRealTimeField = 40;
constexpr int kPolicyField = 41;

constexpr int32_t kIdle = -30;
constexpr int32_t kRealTime = 100;
constexpr int32_t kDeadline = 200;

// The kernel's numbers of two scheduling policies, which not every C library's header defines.
constexpr long kSchedIdle = 5;
constexpr long kSchedDeadline = 6;

}  // namespace

int32_t cpu_priority_of(pid_t pid) {
    if (pid <= 0) return 0;
    const std::string text = read_system_file("/proc/" + std::to_string(pid) + "/stat").text;
    const char* at = strrchr(text.c_str(), ')');  // the program's name may contain any character
    long values[kPolicyField + 1] = {};
    for (int field = 3; at != nullptr && field <= kPolicyField; ++field) {
        at = strchr(at + 1, ' ');
        if (at != nullptr) values[field] = strtol(at + 1, nullptr, 10);
    }
    if (at == nullptr) return 0;
    switch (values[kPolicyField]) {
        case SCHED_FIFO:
        case SCHED_RR: return kRealTime + static_cast<int32_t>(values[kRealTimeField]);
        case kSchedDeadline: return kDeadline;
        case kSchedIdle: return kIdle;
        default: return -static_cast<int32_t>(values[kNiceField]);
    }
}

}  // namespace xsched::server
