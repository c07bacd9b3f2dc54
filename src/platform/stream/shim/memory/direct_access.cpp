#include "platform/stream/shim/memory/direct_access.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "base/unique_fd.h"

namespace xsched::stream::memory {
namespace {

struct Driver {
    const char* file;  // that is mapped before any memory of the device is registered
    const char* why;
};
constexpr Driver kDrivers[] = {
    {"/dev/infiniband/uverbs", "a network card that the program has opened may use it"},
    {"/dev/gdrdrv", "processors may use it by gdrdrv, which the program has opened"},
    {"/dev/nvidia-fs", "disks may use it by nvidia-fs, which the program has opened"},
};

const Driver* named_in(const char* text) {
    for (const Driver& driver : kDrivers)
        if (std::strstr(text, driver.file) != nullptr) return &driver;
    return nullptr;
}

}  // namespace

const char* direct_access() {
    const base::UniqueFd maps(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
    if (!maps) return "/proc/self/maps cannot be read, which says whether other hardware uses it";
    // The last characters of each read are kept and searched again together with the next read, since a name may lie
    // across the boundary.
    constexpr size_t kLongestName = 32;
    char text[kLongestName + 4096 + 1] = "";
    size_t kept = 0;
    for (;;) {
        const ssize_t got = read(maps.get(), text + kept, sizeof text - 1 - kept);
        if (got <= 0) return nullptr;
        const size_t size = kept + static_cast<size_t>(got);
        text[size] = '\0';
        if (const Driver* const found = named_in(text)) return found->why;
        kept = size < kLongestName ? size : kLongestName;
        std::memmove(text, text + size - kept, kept);
    }
}

}  // namespace xsched::stream::memory
