// The system's files, with names that users have chosen in them: /proc/PID/cgroup, /etc/subuid, a GPU's properties.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "base/unique_fd.h"
#include "fuzz/bytes.h"
#include "fuzz/target.h"
#include "platform/hip/hal/cu_mask.h"
#include "server/limits/cgroups.h"
#include "server/limits/users.h"

namespace xsched::fuzz::system_files_target {
namespace {

void read_group(const std::string& file) {
    const std::string group = server::cgroup_in(file);
    demand(group.empty() || group.front() == '/', "a group is a path");
    demand(group.size() <= 255 && (group + "/").find("/../") == std::string::npos, "and lies below the mount");
}

void read_subordinates(std::string_view text) {
    const base::UniqueFd file(memfd_create("fuzz", MFD_CLOEXEC));
    demand(file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()), "there are files");
    server::Users users("/proc/self/fd/" + std::to_string(file.get()));
    const uid_t uid = users.of({.pid = 1, .uid = 100'000, .trusted = false}).uid();
    demand(uid != 0 && uid != geteuid(), "no range makes an ordinary user root");
}

void read_properties(const std::string& text) {
    namespace kfd = hip::kfd;
    const uint32_t few = kfd::few_units(kfd::shape_in(text.c_str()));
    const kfd::CuMask own =
        kfd::mask_of(reinterpret_cast<const uint32_t*>(text.data()), static_cast<uint32_t>(text.size() / 4 * 32));
    demand(kfd::first_units(own, few).bits == kfd::whole(own).bits, "a mask keeps its length");
}

}  // namespace

XSCHED_FUZZ(system_files) {
    Bytes bytes(input);
    switch (bytes.below(3)) {
        case 0: return read_group(std::string(bytes.rest()));
        case 1: return read_subordinates(bytes.rest());
        default: return read_properties(std::string(bytes.rest()));
    }
}

}  // namespace xsched::fuzz::system_files_target
