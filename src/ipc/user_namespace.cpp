#include "ipc/user_namespace.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>

namespace xsched::ipc {
namespace {

constexpr uint64_t kUsualOverflow = 65534;

uint64_t overflow_uid() {
    uint64_t number = kUsualOverflow;
    FILE* file = fopen("/proc/sys/kernel/overflowuid", "re");
    if (file == nullptr) return number;
    if (fscanf(file, "%" SCNu64, &number) != 1) number = kUsualOverflow;
    fclose(file);
    return number;
}

// Looks for a mapping of that number, as this namespace (inside) or the one above (outside) has it. Without /proc every
// user counts as mapped, as on the host.
bool is_mapped(uint64_t inside, uint64_t outside) {
    FILE* file = fopen("/proc/self/uid_map", "re");
    if (file == nullptr) return true;
    uint64_t first_inside = 0;
    uint64_t first_outside = 0;
    uint64_t count = 0;
    bool found = false;
    while (fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64, &first_inside, &first_outside, &count) == 3)
        found |= inside - first_inside < count || outside - first_outside < count;
    fclose(file);
    return found;
}

constexpr uint64_t kNone = UINT64_MAX;  // in no range

}  // namespace

uid_t shown_for_unmapped() { return static_cast<uid_t>(overflow_uid()); }

uid_t unmapped_uid() {
    const uint64_t number = overflow_uid();
    return is_mapped(number, kNone) ? kNoUid : static_cast<uid_t>(number);
}

bool is_own_uid(uid_t uid) { return uid == geteuid() && uid != unmapped_uid(); }

bool root_is_mapped() { return is_mapped(kNone, 0); }

}  // namespace xsched::ipc
