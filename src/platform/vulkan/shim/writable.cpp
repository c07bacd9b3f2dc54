#include "platform/vulkan/shim/writable.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/unique_fd.h"

namespace xsched::vulkan {

// The kernel copies the word out of a pipe: where it may not write, the call fails and no signal is raised.
bool write_word(uint32_t* word, uint32_t value) {
    const int saved = errno;
    int ends[2];
    bool done = false;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
        const base::UniqueFd from(ends[0]);
        const base::UniqueFd to(ends[1]);
        done = write(to.get(), &value, sizeof value) == sizeof value &&
               read(from.get(), word, sizeof value) == sizeof value;
    }
    errno = saved;
    return done;
}

}  // namespace xsched::vulkan
